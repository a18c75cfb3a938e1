"""Doors in the words of other programs, for code that calls these already."""
