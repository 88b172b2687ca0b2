"""Judging runs while they are read, by compiled code, with one pass over the rows.

`large_files` decides whether this pays; all other modules need compiled code.
"""
