"""The metrics: tie groups and their profiles, the steps of every score, the scores, their names.

A score is a profile times a weight, summed over ranks; it never deals with ties or layouts itself.
"""
