"""What people have becomes what scores take: tables, joins, batches, ids.

Everything here returns arrays and codes, and computes no score.
"""
