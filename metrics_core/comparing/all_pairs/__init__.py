"""Test all pairs of runs together: the runs that may be the best, and the possible ranks of each
run."""
