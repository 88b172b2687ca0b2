"""Who may be the best, in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.findings import places_finding


def found(names: str, clear: dict[str, str]) -> AllPairs:
    """Runs of these names, best first; of `clear` each run is clearly ahead of those."""
    runs = tuple(names.split())
    verdict = np.full((len(runs),) * 2, "cannot tell", dtype=object)
    np.fill_diagonal(verdict, None)
    for run, behind in clear.items():
        for other in behind.split():
            verdict[runs.index(run), runs.index(other)] = "better"
            verdict[runs.index(other), runs.index(run)] = "worse"
    nothing = np.full(verdict.shape, np.nan)
    return AllPairs(
        runs=runs,
        means=np.linspace(0.6, 0.4, len(runs)),
        difference=nothing,
        low=nothing,
        high=nothing,
        p=nothing,
        p_corrected=nothing,
        verdict=verdict,
        queries=np.full(verdict.shape, 84),
        first=1 + (verdict == "worse").sum(axis=1),
        last=len(runs) - (verdict == "better").sum(axis=1),
        draws=10_000,
    )


@pytest.mark.parametrize(
    ("names", "clear", "said"),
    [
        (
            "dense hybrid bm25 titles",
            {"dense": "bm25 titles", "hybrid": "bm25 titles", "bm25": "titles"},
            "dense and hybrid may both be the best of four."
            " bm25 comes third, titles fourth: those places are clear.",
        ),
        ("a b c", {"a": "b c", "b": "c"},
         "a is the best of three. b comes second, c third: those places are clear."),
        ("a b c", {"a": "b c"},
         "a is the best of three. The other two are each clearly behind another run;"
         " their places are open."),
        ("a b c", {"a": "c"},
         "a and b may both be the best of three. c is clearly behind one of them;"
         " its place is open."),
        ("a b c d", {"a": "b c d", "b": "d", "c": "d"},
         "a is the best of four. d comes fourth: only that place is clear."),
        ("a b c d", {"a": "d", "b": "d", "c": "d"},
         "a, b and c may each be the best of four. d comes fourth: that place is clear."),
        ("a b c", {},
         "None of the three can be told apart from another on AP: any may be the best."),
        ("a b", {}, "The two cannot be told apart on AP: any may be the best."),
        ("a b c d e f", dict.fromkeys("abcde", "f"),
         "a, b, c and 2 more may each be the best of six. f comes sixth: that place is clear."),
        ("a b c d e", {"a": "b c d e", "b": "c d e", "c": "d e", "d": "e"},
         "a is the best of five. The places of the other four are all clear."),
        ("a b c d e f g", {"a": "b c d e f g", "b": "c d e f g", "c": "d e f g", "d": "e f g"},
         "a is the best of seven. b comes second, c third, d fourth: only those places are clear."),
        ("a b c d e f g", {"a": "b c d e f g", "b": "c d e f g", "c": "d e f g", "d": "e f g",
                           "e": "f g"},
         "a is the best of seven. Of the other six, four have a clear place."),
    ],
)  # fmt: skip
def test_who_may_be_the_best(names: str, clear: dict[str, str], said: str) -> None:
    sentence = places_finding(found(names, clear), "AP", 84)
    assert sentence.text == said
    assert {s.text for s in sentence.spans if s.role == "run"} <= set(names.split())


def test_too_few_queries_give_no_verdict() -> None:
    assert places_finding(found("a b c", {"a": "b c"}), "AP", 6).text == (
        "Only 6 queries: read this as examples, not as a result. a has the best mean, 0.600 on AP."
    )
