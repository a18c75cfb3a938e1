"""The parts of the command line: arguments, help, files, numbers, output, and the words of errors.

`ranking_scores.__main__` takes them one after the other.
"""
