"""Scores of each query, their means and intervals, by cutoff, and what unjudged documents allow."""
