"""Judgments treated as complete: nothing warns of missing ones, and no score changes."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers.grading import unjudged_documents
from dashboard.answers.navigation_counts import page_counts
from dashboard.answers.overview import overview
from dashboard.answers.queries import QueryListRequest
from dashboard.answers.query import query_page
from dashboard.answers.query_chips import query_failures
from dashboard.answers.robustness_summary import robustness_summary
from dashboard.study.study import Study
from dashboard.workspace import Settings
from metrics_core.explaining.query_kinds import UNJUDGED_TOP
from metrics_core.tables import Qrels, Run


def study_of(complete: bool) -> Study:
    """Two runs of 40 queries, of whose documents four in ten are judged."""
    generator = np.random.default_rng(4)
    grade = generator.random((40, 30)) < 0.4
    query_id = np.repeat([f"q{i}" for i in range(40)], 30)
    doc_id = np.tile([f"d{i}" for i in range(30)], 40)
    runs = [
        Run.from_columns(name, query_id, doc_id, (skill * grade + noise).ravel())
        for name, skill, noise in (
            ("new", 0.6, generator.random((40, 30))),
            ("old", 0.3, generator.random((40, 30))),
        )
    ]
    known = generator.random(len(query_id)) < 0.4
    qrels = Qrels.from_columns(query_id[known], doc_id[known], grade.ravel()[known] * 1)
    return Study(runs, qrels, settings=Settings(complete=complete))


STUDIES = {complete: study_of(complete) for complete in (False, True)}


def shown_of(study: Study):  # type: ignore[no-untyped-def]
    return study.view(Address.create(run="new", base="old")).comparison


@pytest.mark.parametrize("complete", [False, True])
def test_what_warns_of_missing_judgments(complete: bool) -> None:
    study = STUDIES[complete]
    shown = shown_of(study)
    warned = not complete
    assert (UNJUDGED_TOP in query_failures(study, shown)) is warned
    held = robustness_summary(study, shown)
    assert ("unjudged" in {entry.part for entry in held.all_checks}) is warned
    assert ("unjudged" in {entry.part for entry in held.settling_checks}) is (
        warned and bool(held.settling_checks)
    )
    assert ("judge" in page_counts(study, shown)) is warned
    assert overview(study, shown).facts.is_little_judged is warned
    assert overview(study, shown).facts.complete is complete
    assert unjudged_documents(study, shown, "q0").empty is complete
    page = query_page(study, shown, "q0", QueryListRequest("all", "", "", ""))
    assert any(rows["grade"].isna().any() for rows in page.diagnosis.rankings.values()) is warned


def test_no_score_changes() -> None:
    open_, complete = (
        study.scores(shown_of(study), shown_of(study).measure).values for study in STUDIES.values()
    )
    np.testing.assert_array_equal(open_, complete)
