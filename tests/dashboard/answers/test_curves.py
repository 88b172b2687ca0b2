"""The Curves: lines sooner than bands, and bands that are known of a pair both ways."""

from __future__ import annotations

import random
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers import curves as answers
from dashboard.answers.overview import overview
from dashboard.study.study import Study
from metrics_core.comparing import curves as by_pair
from metrics_core.tables import Qrels, Run

IDS = [f"q{i:02}" for i in range(40)]
ENDS = ["low", "high", "diff_low", "diff_high"]


def study(n: int = 40) -> Study:
    """Three runs of ten results a query, of which the first finds the relevant ones sooner."""
    chance = random.Random(7)

    def run(name: str, lead: int) -> Run:
        rows = [
            (q, f"{q}-{d}", -float(chance.randint(0, 30) + (d > 3) * lead))
            for q in IDS[:n]
            for d in range(10)
        ]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    judged = [(q, f"{q}-{d}", int(d < 4)) for q in IDS[:n] for d in range(10)]
    qrels = Qrels.from_columns(*(list(column) for column in zip(*judged, strict=True)))
    return Study([run("a", 12), run("b", 4), run("c", 0)], qrels)


def shown(given: Study, **asked: str) -> Comparison:
    return given.view(Address.create(run="a", also=("b", "c"), **asked)).comparison


@pytest.mark.parametrize("measure", ["P@k", "nDCG@k", "AP", "RR@k"])
def test_lines_are_the_page_without_its_bands(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("dashboard.answers.curves"), "_QUICK_SIZE", 0)
    given = study()
    view = shown(given, base="b", m=measure)
    lines = answers.curves_without_bands(given, view)
    assert not answers.are_curves_quick_to_compute(given, view)
    whole = answers.curves(given, view)
    assert answers.are_curves_quick_to_compute(given, view)
    assert lines.table[ENDS].isna().all(axis=None)
    assert whole.table[ENDS].notna().any(axis=None)
    for part in ("table", "precision_recall"):
        one, other = (getattr(page, part) for page in (lines, whole))
        pd.testing.assert_frame_equal(
            one.drop(columns=ENDS, errors="ignore"), other.drop(columns=ENDS, errors="ignore")
        )
    assert (lines.queries, lines.half_recall) == (whole.queries, whole.half_recall)
    assert "Computing which leads are significant." in lines.lead.text
    assert "Computing" not in whole.lead.text


def test_the_line_of_one_run_is_there_sooner_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("dashboard.answers.curves"), "_QUICK_SIZE", 0)
    three = study()
    given = Study([three.runs["a"]], three.qrels)
    view = given.view(Address.create(run="a")).comparison
    assert not answers.are_curves_quick_to_compute(given, view)
    lines, whole = answers.curves_without_bands(given, view), answers.curves(given, view)
    assert lines.table["low"].isna().all() and whole.table["low"].notna().any()
    assert lines.lead.text == whole.lead.text and answers.are_curves_quick_to_compute(given, view)


def test_few_queries_are_still_said_to_be_few() -> None:
    given = study(6)
    assert "6 queries" in answers.curves(given, shown(given, base="b")).lead.text


def test_a_pair_turned_round_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, given = study(), study()
    expected = answers.curves(fresh, shown(fresh, base="b"))
    answers.curves(given, given.view(Address.create(run="b", base="a", also="-")).comparison)
    drawn: list[int] = []
    tested = by_pair.compare_groups
    monkeypatch.setattr(
        by_pair, "compare_groups", lambda g, method: (drawn.append(len(g)), tested(g, method))[1]
    )
    found = answers.curves(given, shown(given, base="b"))
    # Of two pairs on three measures those of b and a are known.
    assert drawn == [1, 1, 1]
    assert (found.title, found.lead) == (expected.title, expected.lead)
    numbers = found.table.select_dtypes("number").to_numpy()
    wanted = expected.table.select_dtypes("number").to_numpy()
    np.testing.assert_allclose(numbers, wanted, atol=1e-12)


def test_at_the_first_result_the_overview_says_the_same() -> None:
    """Of run a the first result is the baseline's, and the second is relevant."""
    ids = IDS[:30]

    def run(name: str, docs: list[str]) -> Run:
        rows = [(q, f"{q}-{d}", 9.0 - i) for q in ids for i, d in enumerate(docs)]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    qrels = Qrels.from_columns(ids, [f"{q}-good" for q in ids], [1] * len(ids))
    given = Study([run("a", ["x", "good", "y"]), run("b", ["x", "y", "good"])], qrels)
    view = given.view(Address.create(run="a", base="b", m="nDCG@1", k="1")).comparison
    assert overview(given, view).verdict.badge == "tied"
    assert "At k = 1 no query differs" in answers.curves(given, view).lead.text


def test_means_that_are_equal_by_chance_are_not_called_level() -> None:
    """At k = 1 each run has the relevant document on half of the queries."""
    ids = IDS

    def run(name: str, first: int) -> Run:
        rows = [
            (q, f"{q}-{d}", 9.0 - i)
            for place, q in enumerate(ids)
            for i, d in enumerate(["good", "x"] if place % 2 == first else ["x", "good"])
        ]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    qrels = Qrels.from_columns(ids, [f"{q}-good" for q in ids], [1] * len(ids))
    given = Study([run("a", 0), run("b", 1)], qrels)
    view = given.view(Address.create(run="a", base="b", m="P@1", k="1")).comparison
    assert "score the same" not in answers.curves(given, view).title.text


def test_of_many_runs_the_best_and_the_two_compared_are_in_colour() -> None:
    few = study()
    view = shown(few, base="b")
    assert set(answers.curves(few, view).coloured_runs(view)) == {"a", "b", "c"}
    chance = random.Random(3)

    def run(name: str, lead: int) -> Run:
        rows = [
            (q, f"{q}-{d}", -float(chance.randint(0, 30) + (d > 3) * lead))
            for q in IDS
            for d in range(10)
        ]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    many = Study([run(f"r{i}", 4 * i) for i in range(9)], few.qrels)
    view = many.view(Address.create(run="r0", base="r1", also=("*",))).comparison
    found = answers.curves(many, view)
    assert set(found.best_runs) == set(view.runs)
    assert set(found.coloured_runs(view)) == {"r0", "r1", *found.best_runs[:4]}
    assert found.list_ends == dict.fromkeys(view.runs, 10)
