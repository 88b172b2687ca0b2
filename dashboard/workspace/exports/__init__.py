"""Export and import of collections as one file, with their notes and grades."""
