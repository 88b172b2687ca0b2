"""Compare runs: paired differences per query, tests of the differences, verdicts and gates."""
