"""Every pair of runs at once: who may be the best, and which places are clear."""
