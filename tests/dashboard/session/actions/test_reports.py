"""What a report of the open study holds for whom."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from dashboard.address.address import Address
from dashboard.answers.query_notes import Remarks
from dashboard.answers.report import UsedFile
from dashboard.drawing.report.parts import PARTS
from dashboard.drawing.theme import LIGHT, Look, run_styles
from dashboard.session.actions.reports import make_report_file
from dashboard.session.context import PageContext
from dashboard.study.sharing import Include
from dashboard.study.study import Study
from metrics_core.findings.drawn_queries import drawn_queries_finding
from tests.dashboard.study.test_sharing import MARK, marked
from tests.metrics_core.findings.test_claims_of_drawn_queries import BASELINE, RUN, SEEDS, state_of


class Graded:
    """A layer with a name and so many grades."""

    name = f"{MARK} layer"

    def __len__(self) -> int:
        return 12


def context_of(study: Study, **more: Any) -> PageContext:
    view = study.view(Address.create())
    names = {name: place for place, name in enumerate(study.names)}
    shown = view.comparison
    styles = run_styles(study.names, names, focus=shown.focus, baseline=shown.baseline)
    return PageContext(study, view, Look(LIGHT, styles), **more)


@pytest.mark.parametrize(
    ("include", "held"),
    [
        ("scores only", ()),
        ("run names", ("name", "file")),
        ("full texts", ("name", "file", "tag", "layer", "id")),
    ],
)
def test_what_leaves_is_what_is_included(include: Include, held: tuple[str, ...]) -> None:
    here = context_of(marked(), layers=cast(Any, (Graded(),)))
    noted = Remarks(((f"{MARK} what is 3?", (f"{MARK} tag",), (f"{MARK} note of Ann",)),))
    files = (UsedFile(f"{MARK} file.run", "run", f"{MARK} one", 9, 9, "ab" * 32),)
    page = make_report_file(
        here, include, "Ours", "", list(PARTS), files, query_remarks=noted
    ).decode()
    assert (MARK in page) == bool(held)
    assert "12 of " in page  # of whom is said where names may be
    assert (f"{MARK} tag" in page) == ("tag" in held)
    assert (f"{MARK} file.run" in page) == ("file" in held)
    assert (f"{MARK} layer" in page) == ("layer" in held)
    assert (f"{MARK} what is" in page) == (f"{MARK} passage" in page) == ("id" in held)


@pytest.mark.parametrize(
    ("include", "names"), [("scores only", ("B", "A")), ("full texts", ("new", "old"))]
)
def test_the_result_on_drawn_queries_is_included(include: Include, names: tuple[str, str]) -> None:
    here = context_of(Study([BASELINE, RUN], None), layers=())
    states = [state_of(seed) for seed in SEEDS]
    for is_open in (True, False):
        drawn = next(state for state in states if state.is_comparison_shown == is_open)
        page = make_report_file(here, include, "Ours", "", [], (), random_judgments=drawn).decode()
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
        assert ("Randomly selected on 2026-11-28" in text) == is_open
        title = drawn_queries_finding(drawn).title.text
        title = title.replace("new", names[0]).replace("old", names[1])
        assert (title in text) == is_open and ("changes the top" in text) != is_open
