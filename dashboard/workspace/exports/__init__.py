"""Export and import of a collection as one file, together with its notes and grades."""
