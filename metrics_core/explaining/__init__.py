"""Explain scores: the documents, changes and causes behind the score of a query."""
