"""Sentences, and beginnings of sentences, that several findings have in common."""

from __future__ import annotations

COMPARE_ANOTHER_RUN = "Compare another run to see"
NO_SCORE_WITH_BOTH = "No query has a score with both runs"
NO_OTHER_MEASURE = "No other measure has a score of both."
NOT_SIGNIFICANT = "the difference is not significant."
NOT_CLEAR_AT_ANY_K = "not clear at any k"
THE_TWO_ARE_LEVEL = "The two are level, so there is no"
