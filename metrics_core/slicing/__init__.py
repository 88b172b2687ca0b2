"""Compute scores and differences by group of queries, and the contributions of groups to a
difference."""
