"""Compute scores per query, their means and intervals, curves by cutoff, and bounds for unjudged
documents."""
