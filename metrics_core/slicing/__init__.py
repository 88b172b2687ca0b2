"""Scores and differences by group of queries, and the parts of a difference."""
