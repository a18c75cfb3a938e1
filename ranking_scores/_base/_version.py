"""The version of the package. Its metadata take it from here, and saved files have it."""

__version__ = "0.2.0"
