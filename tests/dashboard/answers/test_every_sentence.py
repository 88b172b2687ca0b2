"""Every sentence that a page is given, for 1 to 20 runs on 1 to 100 queries: level, one-sided,
mixed or undefined: its counts agree with their nouns, and title, badge, colour and number with one
another. What a page says is found by walking the values it is given: no sentence is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers import (
    breakdown,
    curves,
    grading,
    history,
    overview,
    pairs,
    queries,
    query,
    ranking,
    robustness_summary,
    slices,
)
from dashboard.study.study import Study
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.findings.robustness import RobustnessCheck, robustness_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.verdicts import VerdictFinding
from metrics_core.tables import Qrels, Queries, Run

KINDS = ("level", "one-sided", "mixed", "undefined")
RUNS, COUNTS = (1, 2, 5, 20), (1, 2, 9, 10, 100)
_LONGEST_TITLE = 68
_DOCS = 12


def study_of(kind: str, runs: int, count: int) -> Study:
    """Runs of so many queries, each listing its twelve documents; three in ten are not judged."""
    generator = np.random.default_rng(runs * 1000 + count)
    ids = np.repeat([f"q{i:03}" for i in range(count)], _DOCS)
    docs = np.tile([f"d{i}" for i in range(_DOCS)], count)
    grade = (generator.random((count, _DOCS)) < 0.4) * generator.integers(1, 4, (count, _DOCS))
    if kind == "undefined":
        # Accuracy is undefined where nothing that is listed is relevant.
        grade[:: 1 if count < FEWEST_QUERIES else 2] = 0
    noise = generator.random((runs, count, _DOCS))
    scores = {
        "level": np.broadcast_to(noise[0], noise.shape),
        "one-sided": grade * np.where(np.arange(runs) > 0, 9, -9)[:, None, None] + noise,
        "mixed": grade * 0.2 + noise,
        "undefined": grade * 0.2 + noise,
    }[kind]
    tables = [
        # What is level ranks alike, and is no copy.
        Run.from_columns(f"run{chr(97 + i)}", ids, docs, scores[i].ravel() + 10.0 * i)
        for i in range(runs)
    ]
    known = generator.random(len(ids)) < 0.7
    known[::_DOCS] = True
    qrels = Qrels.from_columns(ids[known], docs[known], grade.ravel()[known])
    names = sorted(set(ids))
    of_each = ["Billing", "Returns", "Devices"] if count > 2 else ["Billing"]
    told = {
        "query_id": names,
        "text": [f"words of query {name}" for name in names],
        "category": [of_each[i % len(of_each)] for i in range(len(names))],
    }
    return Study(tables, qrels, Queries.from_columns(told))


def view_of(study: Study, kind: str) -> Comparison:
    m = "Accuracy" if kind == "undefined" else "nDCG"
    return study.view(Address.create(m=m)).comparison


@cache
def pages(kind: str, runs: int, count: int) -> tuple[Comparison, dict[str, Any]]:
    """What is compared, and page -> what it is given."""
    study = study_of(kind, runs, count)
    shown = view_of(study, kind)
    given: dict[str, Any] = {
        "Overview": overview.overview(study, shown),
        "Breakdown": breakdown.breakdown(study, shown, "category"),
        "By cutoff": curves.curves(study, shown),
        "All queries": queries.query_list(study, shown, queries.QueryListRequest()),
        "Query": query.query_page(study, shown, "", queries.QueryListRequest()),
        "To judge": grading.judging_summary(study, shown),
        "Robustness": robustness_summary.robustness_summary(study, shown),
        "Slices": slices.slices(study, shown),
    }
    given["Robustness, title"] = robustness_finding(given["Robustness"])
    if runs > 2:
        given["Ranking"] = ranking.ranking(study, shown)
        given["Pairs"] = pairs.pairs(study, shown)
    if runs > 1:
        names = history.ordered_versions(study, "", ())
        given["Versions"] = history.history_page(study, shown, names, are_versions=True)
    return shown, given


def said(given: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every sentence in a value, and which field holds it."""
    if isinstance(given, Sentence):
        if given:
            yield name, given.text
    elif isinstance(given, RobustnessCheck):
        yield from ((f"{given.part}, {n}", t) for n, t in vars(given).items() if n != "tone" and t)
    elif is_dataclass(given):
        for field in fields(given):
            yield from said(getattr(given, field.name), f"{name}.{field.name}")
    elif isinstance(given, dict):
        for key, value in given.items():
            yield from said(value, f"{name}[{key}]")
    elif isinstance(given, (tuple, list)):
        for value in given:
            yield from said(value, name)


_ONE = "query|run|document|group|judgment|comparison|category|version|rank|grade|slice|pair|check"
_MANY = "|".join(f"{w[:-1]}ies" if w.endswith("y") else f"{w}s" for w in _ONE.split("|"))
_SEVERAL = r"(?:[02-9]|[1-9][\d,]+|two|three|four|five|six|seven|eight|nine|ten)"
_NO_PART = r"(?<![\d.,@=k] )(?<![\d.,−-])"
"""What stands before a number that is no decimal, no rank and no end of an interval."""
WRONG = {
    "one thing, many by its noun": rf"{_NO_PART}\b(?:1|one) (?:{_MANY})\b",
    "many things, one by their noun": rf"{_NO_PART}\b{_SEVERAL} (?:{_ONE})\b(?! (?:id|list))",
    "a verb of many for one": r"\b(?:1|one) (?:query|run|document) (?:are|were|have|fail|differ)\b",
    "two blanks": r"  ",
    "a blank before a stop": r" [,.;:](?!\d)",
    "two stops": r"[.,;:][.;:](?!\.)|\.\s*\.(?!\.)",
    "a number that is none": r"\b(?:nan|inf|NaN)\b|(?<=[a-z=] )None\b",
    "a minus that is a hyphen": r"(?<![\w.])-\d",
    "a zero with a sign": r"[+−]0\.000\b",
    "a template": r"[{}]|%s",
    "nothing in brackets": r"\(\s*\)|\[\s*\]",
}
_GRID = [
    pytest.param(kind, runs, count, marks=[pytest.mark.thorough] * (runs == 5))
    for kind in KINDS
    for runs in RUNS
    for count in COUNTS
]


@pytest.mark.parametrize(("kind", "runs", "count"), _GRID)
def test_counts_and_signs(kind: str, runs: int, count: int) -> None:
    for page, given in pages(kind, runs, count)[1].items():
        for where, text in said(given, page):
            for what, pattern in WRONG.items():
                assert not re.search(pattern, text), f"{where}: {what}: {text}"
            for opening, closing in ("()", "[]", "“”"):
                assert text.count(opening) == text.count(closing), f"{where}: {text}"
            assert text == text.strip() or where.startswith("Robustness"), f"{where}: {text!r}"


@pytest.mark.parametrize(("kind", "runs", "count"), _GRID)
def test_title_badge_and_number_agree(kind: str, runs: int, count: int) -> None:
    shown, given = pages(kind, runs, count)
    page: overview.Overview = given["Overview"]
    found: VerdictFinding = page.verdict
    text = found.title.text
    if runs == 1:
        assert found.tone in ("few", "unclear") and "beats" not in text
        return
    row = page.shown_rows.set_index("run").loc[shown.focus]
    clear = row["verdict"] in CLEAR
    assert clear == (found.tone in ("better", "worse"))
    assert (" beats " in text or " falls behind " in text) == clear
    assert ("clear" in found.badge and "no clear" not in found.badge) == clear
    if row["queries"] < FEWEST_QUERIES:
        assert found.tone == "few" and not clear
    if kind == "level":
        assert not clear and not row["differing"]
    if kind == "one-sided" and count >= FEWEST_QUERIES:
        assert clear and "beats" in text and row["difference"] > 0
    if clear:
        assert (row["difference"] > 0) == (found.tone == "better")


@pytest.mark.parametrize(("kind", "runs", "count"), _GRID)
def test_titles_fit_in_one_look(kind: str, runs: int, count: int) -> None:
    for page, value in pages(kind, runs, count)[1].items():
        titles = [
            getattr(value, "title", None),
            getattr(getattr(value, "verdict", None), "title", None),
        ]
        for title in filter(None, titles):
            assert len(title.text) <= _LONGEST_TITLE, f"{page}: {title.text}"
