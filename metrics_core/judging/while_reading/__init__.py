"""Join runs with judgments while they are read, in one pass over the rows, by compiled code.

`large_files` decides whether a file is large enough for this. All other modules need compiled
code."""
