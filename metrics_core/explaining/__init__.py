"""Explanations of scores: everything about one query."""
