"""Runs judged while they are read, by compiled code: one look at each row.

`large_files` says whether that pays; the other modules load what runs compiled code.
"""
