"""Judging runs while they are read, by compiled code, with one pass over the rows.

`large_files` decides whether that pays; the other modules need compiled code.
"""
