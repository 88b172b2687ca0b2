"""What takes long is done step by step, and once."""

from __future__ import annotations

import pytest

from dashboard.answers.overview import overview
from dashboard.answers.overview_steps import overview_steps
from tests.dashboard.answers.test_breakdown import comparison, study


def test_what_is_done_in_a_moment_has_no_steps() -> None:
    of = study()
    shown = comparison(of)
    assert overview_steps(of, shown) == []


def test_the_steps_are_what_the_page_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.answers.overview_steps._MAX_QUICK_SIZE", 1)
    of = study()
    shown = comparison(of)
    steps = overview_steps(of, shown)
    assert {label.rpartition(": ")[2] for label, _ in steps} >= {
        "RR. Leaving this page cancels the comparison.",
        "AP. Leaving this page cancels the comparison.",
    }
    assert all(label.startswith("Comparing ") for label, _ in steps)
    made = [work() for _, work in steps]
    overview(of, shown)
    assert made[0] is steps[0][1]()
    assert overview_steps(of, shown) == []
