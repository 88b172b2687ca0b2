"""Read files of records with a mapping: a path for each role, such as query or document.

paths.py   syntax of paths and mappings
axes.py    values at a path of all records at once, from Python or Arrow
rows.py    rows of a table: one column per role, one row per document
records.py records of a file, in blocks
documents.py, infer.py    inference of a mapping from names and types
tables.py  a run or judgments from blocks of records and mappings
texts.py   queries or documents from blocks of records and mappings
lists.py, list_cells.py    lists of documents by query, with an inferred or assigned mapping
presets.py, preset_files.py    declarations of tools' formats, recognition and reading of files
python_records.py    records of a Python program"""
