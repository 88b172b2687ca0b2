"""Files of records read by one mapping: for each role, such as query or document, a path.

paths.py   the grammar of paths and mappings
axes.py    the values at a path of all records at once, from Python or from Arrow
rows.py    the rows of a table: one column a role, all on the axis of the documents
records.py the records of a file, in blocks
documents.py, infer.py    the mapping of records by their names and types
tables.py  a run or judgments from blocks of records and mappings
"""
