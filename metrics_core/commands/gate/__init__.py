"""The gate of `metrics_core compare`: its options, what is read for it, and each form in which its
outcome is written."""
