"""Sentences, and beginnings of sentences, that several findings have in common."""

from __future__ import annotations

COMPARE_ANOTHER_RUN = "Compare another run to see"
NO_SCORE_WITH_BOTH = "No query has scores from both runs"
NO_OTHER_MEASURE = "No other measure has scores for both runs."
NOT_SIGNIFICANT = "the difference is not significant."
NOT_CLEAR_AT_ANY_K = "not significant at any k"
RUNS_ARE_TIED = "The runs are tied, so there is no"
