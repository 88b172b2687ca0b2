"""What is shared holds no text and no name that it is not to hold, and the same numbers."""

from __future__ import annotations

import numpy as np

from dashboard.address.address import Address
from dashboard.answers.report import report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import document
from dashboard.drawing.report.parts import Asked
from dashboard.study.sharing import Shared, letter, without_names, without_texts
from dashboard.study.study import Study
from metrics_core.measures import parse_measure
from metrics_core.tables import Documents, Queries
from tests.collections_of import qrels_of, run_of

MARK = "SECRET"


def marked() -> Study:
    """A study with the mark in every text and name but the ids."""
    grades = {f"q{q}": {f"d{d}": (q * d) % 3 for d in range(8)} for q in range(24)}

    def scored(k: int, i: int, docs: dict[str, int]) -> dict[str, float]:
        return {d: float((int(d[1:]) * k + i) % 5) for d in docs}

    runs = [
        run_of({q: scored(k, i, docs) for i, (q, docs) in enumerate(grades.items())}, name)
        for k, name in ((1, f"{MARK} one"), (3, f"{MARK} two"), (4, f"{MARK} three"))
    ]
    queries = Queries.from_columns(
        {
            "query_id": list(grades),
            "text": [f"{MARK} {q}" for q in grades],
            f"{MARK} kind": [f"{MARK} {'ab'[i % 2]}" for i in range(len(grades))],
            f"{MARK} note": [f"{MARK} note {q}" for q in grades],
        }
    )
    docs = [f"d{d}" for d in range(8)]
    documents = Documents.from_columns(
        {"doc_id": docs, "title": [f"{MARK} {d}" for d in docs], "text": [MARK] * 8}
    )
    return Study(runs, qrels_of(grades), queries, documents)


def page_of(shared: Shared, **address: object) -> str:
    study = shared.study
    view = study.view(Address.of(**address)).comparison
    drawing = Drawing.of(view, study.names)
    return document(report(study, view, ()), drawing, Asked("Shared", texts=False))


def test_nothing_but_ids_and_numbers() -> None:
    study = marked()
    assert MARK in page_of(Shared(study))
    page = page_of(without_names(study))
    assert MARK not in page
    for said in ("q23", "d7", "Group 1", "column 1"):
        assert said.casefold() in page.casefold()


def test_without_texts_names_stay() -> None:
    page = page_of(without_texts(marked()))
    assert f"{MARK} one" in page and f"{MARK} kind" in page and f"{MARK} a" in page
    assert f"{MARK} q3" not in page and f"{MARK} d3" not in page and f"{MARK} note" not in page


def test_the_numbers_stay_to_the_bit() -> None:
    study, measure = marked(), parse_measure("nDCG@5")
    shared = without_names(study)
    own = study.all_scores(measure).values
    assert np.array_equal(own, shared.study.all_scores(measure).values, equal_nan=True)
    assert shared.study.names == ["A", "B", "C"]


def test_a_view_is_renamed_with_its_runs_and_groups() -> None:
    study = marked()
    name = f"{MARK} kind"
    asked = Address.of(run=study.names[2], base=study.names[0], where=((name, f"{MARK} b"),))
    shared = without_names(study)
    view = shared.comparison(study.view(asked).comparison)
    assert (view.focus, view.baseline, view.also) == ("C", "A", ("B",))
    assert view.where == (("column 1", "Group 2"),)
    assert (
        shared.study.in_view(view).tolist() == study.in_view(study.view(asked).comparison).tolist()
    )


def test_letters_go_on() -> None:
    assert [letter(place) for place in (0, 25, 26, 52)] == ["A", "Z", "A2", "A3"]


def test_ranges_of_a_column_of_numbers_are_groups_without_a_name() -> None:
    study = marked()
    assert study.queries is not None
    lengths = [str(7 + i // 2) for i in range(len(study.query_ids))]
    queries = Queries(study.queries.frame.assign(length=lengths))
    shared = without_names(Study(list(study.runs.values()), study.qrels, queries))
    assert shared.study.groups["column 2"] == ["Group 1", "Group 2"]
