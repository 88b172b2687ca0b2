"""Comparing runs: paired differences per query, tests of them, verdicts and gates."""
