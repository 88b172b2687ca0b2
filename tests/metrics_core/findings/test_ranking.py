"""Who may be the best, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.findings.ranking import first_places_text, ranking_subtitle, ranking_title


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
        difference=np.full(verdict.shape, 0.02),
        low=nothing,
        high=nothing,
        p=nothing,
        p_corrected=nothing,
        verdict=verdict,
        queries=np.full(verdict.shape, 84),
        first=1 + (verdict == "worse").sum(axis=1),
        last=len(runs) - (verdict == "better").sum(axis=1),
        draws=10_000,
        log_ratios=None,
    )


TIED = "Their difference of 0.020 is not significant."
ALL_OTHERS = "The other five pairs differ significantly after correction."


def pairs(clear: int, of: str) -> str:
    n = ["None", "One", "Two", "Three", "Four", "Five"][clear]
    return f"{n} of {of} pairs differ{'s' * (clear == 1)} significantly after correction."


@pytest.mark.parametrize(
    ("names", "clear", "title", "lead"),
    [
        (
            "dense hybrid bm25 titles",
            {"dense": "bm25 titles", "hybrid": "bm25 titles", "bm25": "titles"},
            "dense and hybrid share first place on AP",
            f"{TIED} {ALL_OTHERS}",
        ),
        ("a b c", {"a": "b c", "b": "c"}, "a alone ranks first on AP",
         "All three pairs differ significantly after correction."),
        ("a b c", {"a": "b c"}, "a alone ranks first on AP", pairs(2, "three")),
        # b is clearly behind a, and c behind b, but not behind a.
        ("a b c", {"a": "b", "b": "c"}, "Only a may be the best on AP",
         pairs(2, "three")),
        ("a b c", {"a": "c"}, "a and b share first place on AP", f"{TIED} {pairs(1, 'three')}"),
        ("a b c d", {"a": "d", "b": "d", "c": "d"}, "a, b and c share first place on AP",
         pairs(3, "six")),
        ("a b c", {}, "Any of the three runs may be the best on AP", pairs(0, "three")),
        ("a b", {}, "a and b share first place on AP", "The difference is not significant."),
        ("a b c d e f", dict.fromkeys("abcde", "f"), "Five of six runs may be the best on AP",
         f"These are a, b, c and 2 more. {pairs(5, '15')}"),
        ("a b c d e", {"a": "b c d e", "b": "c d e", "c": "d e", "d": "e"},
         "a alone ranks first on AP",
         "All ten pairs differ significantly after correction."),
    ],
)  # fmt: skip
def test_who_may_be_the_best(names: str, clear: dict[str, str], title: str, lead: str) -> None:
    asked = found(names, clear), "AP", 84
    assert (ranking_title(*asked).text, ranking_subtitle(*asked).text) == (title, lead)
    assert {s.text for s in ranking_title(*asked).spans if s.role == "run"} <= set(names.split())


def test_too_few_queries_give_no_verdict() -> None:
    few = found("a b c", {"a": "b c"}), "AP", 6
    assert ranking_title(*few).text == "a scores highest on AP"
    assert ranking_subtitle(*few).text == (
        "Only 6 queries: too few for a result. No pair is tested."
    )
    same = replace(few[0], means=np.full(3, 0.5))
    assert ranking_title(same, "AP", 6).text == "All three runs score the same on AP"
    two = replace(few[0], means=np.array([0.5, 0.5, 0.4]))
    assert ranking_title(two, "AP", 6).text == "Two runs score highest on AP"


@pytest.mark.parametrize(
    ("bests", "said"),
    [
        ({}, ""),
        ({"nDCG@10": ("dense",)}, ""),
        ({"nDCG@10": ("dense",), "AP": ("dense",)}, "On AP, dense alone ranks first."),
        (
            {"P@10": ("dense",), "RR": ("bm25",), "AP": ("dense",)},
            "On P@10 and AP, dense alone ranks first; on RR, bm25 alone ranks first.",
        ),
        (
            {"P@10": ("dense", "bm25"), "RR": (), "AP": tuple("abcde")},
            "On P@10, dense and bm25 share first place; on RR, no run alone ranks first;"
            " on AP, a, b, c and 2 more share first place.",
        ),
    ],
)
def test_who_ranks_first_on_other_measures(bests: dict[str, tuple[str, ...]], said: str) -> None:
    assert first_places_text(bests, "nDCG@10") == said
