"""What knows nothing of rankings: parameters and errors, ids, sorting, sums, threads.

A program that does not score anything could share it.
"""
