"""All pairs of runs tested together: the runs that may be the best, and the possible ranks of each
run."""
