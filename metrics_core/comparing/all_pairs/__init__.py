"""All pairs of runs tested together: which runs may be the best, and the possible ranks of each."""
