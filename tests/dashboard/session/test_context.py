"""What is open is one value a rerun, and what was worked out is kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dashboard.address.address import Address
from dashboard.address.measure_key import ChosenMeasure
from dashboard.address.view import Comparison, View
from dashboard.drawing.theme import LIGHT, Look, run_styles
from dashboard.session import PageContext
from dashboard.session import page_context as session_opened
from dashboard.study.study import Study
from metrics_core.measures import parse_measure
from metrics_core.scoring import resampling
from tests.dashboard.conftest import opened

PAGES = ["", "curves", "breakdown", "queries", "query", "data"]


@pytest.mark.parametrize("page", PAGES)
def test_the_view_is_worked_out_once_a_rerun(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(page)
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[name] += 1
            return plain(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(Study, "view")
    # The module behind the function of the same name.
    import sys

    count(sys.modules[session_opened.__module__], "run_styles")
    app.run()
    assert counted == {"view": 1, "run_styles": 1}


def test_what_is_drawn_from_is_one_value_with_the_shown_runs_in_their_order() -> None:
    styles = run_styles("abcd", {n: i for i, n in enumerate("abcd")}, focus="c", baseline="b")
    shown = Comparison("c", "b", ("a",), ChosenMeasure(parse_measure("AP"), "AP"), 5)
    here = PageContext(None, View(shown, Address()), Look(LIGHT, styles))  # type: ignore[arg-type]
    assert here.drawing is here.drawing
    assert list(here.drawing.styles) == ["c", "b", "a"]
    assert here.drawing.comparison is shown and here.drawing.palette is LIGHT
    quiet = here.drawing.without_outcome_colours
    assert quiet.palette.better == quiet.palette.worse == LIGHT.muted
    assert quiet.styles is here.drawing.styles


def test_draws_are_made_once_for_a_number_of_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[int] = Counter()
    plain = resampling._make_draws

    def counting(units: int) -> Any:
        made[units] += 1
        return plain(units)

    monkeypatch.setattr(resampling, "_memo", resampling.Memo(64))
    monkeypatch.setattr(resampling, "_make_draws", counting)
    for page in PAGES:
        opened(page)
        opened(page, k="5")
    assert made[104] == 1
    assert set(made.values()) == {1}


@pytest.mark.parametrize(
    "change",
    [
        {"run": "hybrid"},
        {"base": "dense", "run": "hybrid"},
        {"also": "-"},
        {"m": "P@k"},
        {"k": "5"},
        {"where": "difficulty=hard"},
        {"missing": "shared"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_control_of_the_comparison_is_in_the_key(change: dict[str, str]) -> None:
    def key(**parameters: str) -> Any:
        seen: list[Any] = []
        plain = Study.cached_answer

        def looking(study: Study, answer: Any, *asked: Any, **made: Any) -> Any:
            seen.append((answer.__name__, asked))
            return plain(study, answer, *asked, **made)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Study, "cached_answer", looking)
            opened(**parameters)
        return next(asked for name, asked in seen if name == "overview")

    assert key() == key()
    assert key() != key(**change)
