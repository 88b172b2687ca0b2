"""The gate of `metrics_core compare`: its options, its input, and the formats of its outcome."""
