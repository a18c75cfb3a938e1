"""How far two rankings of the same items agree, without labels.

Two rankings of any kind become one object, and every score is a function of what they share.
"""
