"""Draws of queries: kept for each judge, pair and k, in any order of the runs, also if renamed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dashboard.address.address import Address, Field
from dashboard.session.action_messages import action_messages
from dashboard.session.actions import draws
from dashboard.session.actions.draws import (
    draw_random_queries,
    find_random_queries,
    leave_out_queries,
    make_random_draw_key,
)
from dashboard.session.actions.grading import set_judge_name
from dashboard.session.open_collection import workspace
from dashboard.study.library import Library
from dashboard.workspace.disk.records import Collection, DamagedRecordError, parse_record


@pytest.fixture(autouse=True)
def renamed(own_visit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection in which the run of the file "a" is called "new", too."""
    address = Address.create((Field("order"),), set="own")
    own_visit |= {"_empty": address, "_address": address, "_first_page": "judge"}
    library = Library((), None, (), {"new": "a"})
    monkeypatch.setattr(draws, "current_library", lambda: library)


def test_a_draw_is_kept_with_the_judge_and_drawing_more_appends() -> None:
    assert find_random_queries(make_random_draw_key("a", "b", 10)) is None
    draw_random_queries(make_random_draw_key("a", "b", 10), 50)
    first = find_random_queries(make_random_draw_key("b", "a", 10))
    assert first and first.sizes == (50,) and len(first.date) == 10
    assert find_random_queries(make_random_draw_key("a", "b", 5)) is None
    assert find_random_queries(make_random_draw_key("a", "c", 10)) is None
    draw_random_queries(make_random_draw_key("b", "a", 10), 30)
    more = find_random_queries(make_random_draw_key("a", "b", 10))
    assert more == replace(first, sizes=(50, 30))
    draw_random_queries(make_random_draw_key("a", "b", 5), 50)
    assert (
        find_random_queries(make_random_draw_key("a", "b", 10))
        == more
        == find_random_queries(make_random_draw_key("new", "b", 10))
    )
    set_judge_name("Ann")
    assert find_random_queries(make_random_draw_key("a", "b", 10)) is None
    copy = workspace().duplicate_collection("own", "Copy")
    kept = workspace().collection(copy.id).draws
    assert kept == workspace().collection("own").draws and len(kept) == 2


def test_skipped_queries_are_left_out_until_that_is_undone() -> None:
    draw_random_queries(make_random_draw_key("a", "b", 10), 50)
    before = find_random_queries(make_random_draw_key("a", "b", 10))
    leave_out_queries(make_random_draw_key("a", "b", 10), ["q1"])
    leave_out_queries(make_random_draw_key("a", "b", 10), ["q2", "q3"])
    after = find_random_queries(make_random_draw_key("a", "b", 10))
    assert before and after == replace(before, left_out=("q1", "q2", "q3"))
    (receipt,) = [r for r in action_messages() if r.message == "2 queries left out."]
    ((label, undo),) = receipt.offers
    undo()
    last = find_random_queries(make_random_draw_key("a", "b", 10))
    assert label == "Undo" and last and last.left_out == ("q1",)


def test_a_record_with_an_invalid_draw_is_damaged() -> None:
    draw_random_queries(make_random_draw_key("a", "b", 10), 50)
    record = workspace().collection("own")
    ((key, kept),) = record.draws.items()
    assert parse_record(vars(record), Collection) == record
    for damage in (
        *({"sizes": sizes} for sizes in ([], [0], "x", [50, 50], [2.5])),
        *({"seed": seed} for seed in (None, -1, "1")),
        *({"dates": dates} for dates in ([], ["never"])),
        {"more": 1},
        {"left_out": [1]},
    ):
        with pytest.raises(DamagedRecordError):
            parse_record({**vars(record), "draws": {key: {**kept, **damage}}}, Collection)
