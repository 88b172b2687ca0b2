"""What is shared holds no text and no name that it is not to hold, and the same numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.address.measure_key import key_at_k
from dashboard.address.view import Comparison
from dashboard.answers.report import make_report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import make_report_page
from dashboard.drawing.report.parts import ReportRequest
from dashboard.study.layered_study import with_layers
from dashboard.study.sharing import SharedStudy, make_shareable_study, run_letter
from dashboard.study.study import Study
from dashboard.workspace import GradeRecord, Layer
from metrics_core.measures import parse_measure
from metrics_core.slicing.derived_groups import MARK as DERIVED_MARK
from metrics_core.tables import Documents, Qrels, Queries, RankedRun
from tests.collections_of import qrels_of, run_of

MARK = "SECRET"


def marked() -> Study:
    """A study with the mark in every text, name and id: queries and documents whose ids are their
    texts, as of Ragas, and people as queries, as of a recommender."""
    grades = {
        f"{MARK} what is {q}?": {f"{MARK} passage {d}": (q * d) % 3 for d in range(8)}
        for q in range(24)
    }

    def scored(k: int, i: int, docs: dict[str, int]) -> dict[str, float]:
        listed = [*docs, f"{MARK} unjudged"]
        return {doc: float((place * k + i) % 5) for place, doc in enumerate(listed)}

    runs = [
        run_of({q: scored(k, i, docs) for i, (q, docs) in enumerate(grades.items())}, name)
        for k, name in ((1, f"{MARK} one"), (3, f"{MARK} two"), (4, f"{MARK} three"))
    ]
    queries = Queries.from_columns(
        {
            "query_id": list(grades),
            "text": [f"{MARK} {q}{' and more' * (i % 7)}" for i, q in enumerate(grades)],
            f"{MARK} kind": [f"{MARK} {'ab'[i % 2]}" for i in range(len(grades))],
            f"{MARK} note": [f"{MARK} note {q}" for q in grades],
            "answer": [f"{MARK} the answer is {i // 2}" for i in range(len(grades))],
        }
    )
    docs = [f"{MARK} passage {d}" for d in range(8)]
    documents = Documents.from_columns(
        {
            "doc_id": docs,
            "title": [f"{MARK} {d}" for d in docs],
            "text": [MARK] * 8,
            "price": [float(d) for d in range(8)],
        }
    )
    return Study(runs, qrels_of(grades), queries, documents)


def page_of(leaving: SharedStudy, view: Comparison) -> str:
    study, shown = leaving.study, leaving.rename_comparison(view)
    drawing = Drawing.for_comparison(shown, study.names)
    return make_report_page(
        make_report(study, shown, ()),
        drawing,
        ReportRequest("Shared", left_out_note=leaving.omissions),
    )


WORDS = f"words in the query{DERIVED_MARK}"
ADDRESSES: tuple[Any, ...] = (
    {},
    pytest.param({"m": "AP"}, marks=pytest.mark.thorough),
    {"also": ("-",), "run": f"{MARK} one", "base": f"{MARK} one"},
    {"m": key_at_k(parse_measure("MoneyP@5")), "k": "5", "where": ((WORDS, "5 to 9 words"),)},
    {"where": ((f"{MARK} kind", f"{MARK} a"), ("answer", f"{MARK} the answer is 1"))},
)
"""Usual; all ranks; one run alone; what follows from texts and documents; too few to test."""


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_but_numbers(address: dict[str, Any]) -> None:
    study = marked()
    view = study.view(Address.create(**address)).comparison
    assert MARK in page_of(make_shareable_study(study, "full texts"), view)
    page = page_of(make_shareable_study(study, "scores only"), view)
    assert MARK not in page
    assert re.search(r"query \d", page) and "names and texts left out" in page
    if not address:
        assert all(each in page for each in ("query 24", "document 1", "Group 1", "column 1"))


@pytest.mark.parametrize("address", ADDRESSES)
def test_names_of_runs_stay_without_texts_and_ids(address: dict[str, Any]) -> None:
    study = marked()
    view = study.view(Address.create(**address)).comparison
    page = page_of(make_shareable_study(study, "run names"), view)
    left = re.sub(f"{MARK} (one|two|three|kind|a|b)\\b", "", page)
    assert MARK not in left, left[left.index(MARK) - 99 :][:199]
    assert f"{MARK} one" in page and re.search(r"query \d", page)
    if not address:
        assert f"{MARK} kind" in page and "document 1" in page


def test_judged_ranks_subtopics_and_layers_are_numbered_too() -> None:
    ids = [f"{MARK} {i}" for i in range(12)]
    subtopics = [f"{MARK} a"] * 12 + [f"{MARK} b"] * 12
    qrels = Qrels.from_columns(ids * 2, ids + ids[1:] + ids[:1], [1] * 12 + [2] * 12, subtopics)
    ones = np.ones(12, dtype=np.int64)
    runs = [RankedRun.from_ranks(f"r{k}", ids, ids, ones * k, ones * 3, ones * 2) for k in (1, 2)]
    given = {(f"{MARK} what is 1?", f"{MARK} new"): GradeRecord(1.0, "ann", "now")}
    layer = Layer("a", "a", "2026-01-01", judged=True, version="a", grade_records=given)
    for study in (Study(runs, qrels), with_layers(marked(), [layer])):
        view = study.view(Address.create()).comparison
        assert MARK not in page_of(make_shareable_study(study, "scores only"), view)


def test_the_numbers_stay_to_the_bit() -> None:
    study, measure = marked(), parse_measure("nDCG@5")
    leaving = make_shareable_study(study, "scores only")
    own = study.all_scores(measure).values
    assert np.array_equal(own, leaving.study.all_scores(measure).values, equal_nan=True)
    assert leaving.study.names == ["A", "B", "C"]


def test_a_view_is_renamed_with_its_runs_and_groups() -> None:
    study = marked()
    name = f"{MARK} kind"
    asked = Address.create(run=study.names[2], base=study.names[0], where=((name, f"{MARK} b"),))
    leaving = make_shareable_study(study, "scores only")
    view = leaving.rename_comparison(study.view(asked).comparison)
    assert (view.focus, view.baseline, view.other_runs) == ("C", "A", ("B",))
    assert view.filters == (("column 1", "Group 2"),)
    assert (
        leaving.study.view_mask(view).tolist()
        == study.view_mask(study.view(asked).comparison).tolist()
    )


def test_letters_go_on() -> None:
    assert [run_letter(place) for place in (0, 25, 26, 52)] == ["A", "Z", "A2", "A3"]


def test_ranges_of_a_column_of_numbers_are_groups_without_a_name() -> None:
    study = marked()
    assert study.queries is not None
    lengths = [str(7 + i // 2) for i in range(len(study.query_ids))]
    queries = Queries(study.queries.frame.assign(length=lengths))
    leaving = make_shareable_study(
        Study(list(study.runs.values()), study.qrels, queries), "scores only"
    )
    assert leaving.study.groups["column 3"] == ["Group 1", "Group 2"]
