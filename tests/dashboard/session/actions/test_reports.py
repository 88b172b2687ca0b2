"""What a report of the open study holds for whom."""

from __future__ import annotations

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
from tests.dashboard.study.test_sharing import MARK, marked


class Graded:
    """A layer with a name and so many grades."""

    name = f"{MARK} layer"

    def __len__(self) -> int:
        return 12


@pytest.mark.parametrize(
    ("include", "held"),
    [
        ("scores only", ()),
        ("run names", ("name", "file")),
        ("full texts", ("name", "file", "tag", "layer", "id")),
    ],
)
def test_what_leaves_is_what_is_included(include: Include, held: tuple[str, ...]) -> None:
    study = marked()
    view = study.view(Address.create())
    names = {name: place for place, name in enumerate(study.names)}
    shown = view.comparison
    styles = run_styles(study.names, names, focus=shown.focus, baseline=shown.baseline)
    here = PageContext(study, view, Look(LIGHT, styles), layers=cast(Any, (Graded(),)))
    noted = Remarks(((f"{MARK} what is 3?", (f"{MARK} tag",), (f"{MARK} note of Ann",)),))
    files = (UsedFile(f"{MARK} file.run", "run", f"{MARK} one", 9, 9, "ab" * 32),)
    page = make_report_file(
        here, include, "Ours", "", list(PARTS), files, include_notes=noted
    ).decode()
    assert (MARK in page) == bool(held)
    assert "12 of " in page  # of whom is said where names may be
    assert (f"{MARK} tag" in page) == ("tag" in held)
    assert (f"{MARK} file.run" in page) == ("file" in held)
    assert (f"{MARK} layer" in page) == ("layer" in held)
    assert (f"{MARK} what is" in page) == (f"{MARK} passage" in page) == ("id" in held)
