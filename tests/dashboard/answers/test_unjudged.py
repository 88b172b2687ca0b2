"""What the unjudged could do is not told by grades that were chosen for it."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers.grading import judging_queue
from dashboard.answers.unjudged import UnjudgedEffects, unjudged_effects
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import GradeRecord, Layer
from metrics_core.tables import Qrels, Run

QUERIES = [f"q{i}" for i in range(40)]
Grades = dict[tuple[str, str], float]


@pytest.fixture(scope="module")
def study() -> Study:
    """Two runs, of whose documents seven in ten are judged."""
    generator = np.random.default_rng(4)
    grade = generator.random((40, 30)) < 0.4
    query, doc = np.repeat(QUERIES, 30), np.tile([f"d{i}" for i in range(30)], 40)
    runs = [
        Run.from_columns(name, query, doc, (skill * grade + generator.random((40, 30))).ravel())
        for name, skill in (("new", 0.6), ("old", 0.3))
    ]
    known = generator.random(len(query)) < 0.7
    return Study(runs, Qrels.from_columns(query[known], doc[known], grade.ravel()[known] * 1))


def told(study: Study, grades: Grades | None = None, **asked: str) -> UnjudgedEffects:
    on = study
    if grades:
        given = {pair: GradeRecord(grade, "ann", "now") for pair, grade in grades.items()}
        on = with_layers(
            study, [Layer("a", "a", "1", judged=True, version=str(grades), grade_records=given)]
        )
    return unjudged_effects(on, on.view(Address.create(run="new", base="old", **asked)).comparison)


def test_what_is_usual_is_drawn_from_the_files(study: Study) -> None:
    likely = told(study).likely
    assert likely.interval is not None and likely.reason == ""


def test_grades_given_here_do_not_tell_what_is_usual(study: Study) -> None:
    shown = study.view(Address.create(run="new", base="old")).comparison
    first = judging_queue(study, shown).iloc[0]
    likely = told(study, {(first["query_id"], first["doc_id"]): 0.0}).likely
    assert likely.interval is None
    assert likely.reason.startswith("Some documents were judged in a layer, perhaps")


def test_another_grade_for_what_the_files_judge_is_no_choice(study: Study) -> None:
    query, doc = (study.qrels.table[name][0].as_py() for name in ("query_id", "doc_id"))
    assert told(study, {(query, doc): 1.0}).likely.interval is not None
    assert told(study, {("elsewhere", "d1"): 1.0}).likely.interval is not None, "nobody lists it"
