"""What a study keeps: answers that depend on nothing asked outlast any number of others."""

from __future__ import annotations

import pytest

from dashboard.study import cached_answers
from dashboard.study.study import Study
from metrics_core.tables import Qrels, Run


def test_what_depends_on_nothing_is_not_pushed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_answers, "MAX_BYTES", 100)
    monkeypatch.setattr(cached_answers, "MAX_BYTES_PER_QUERY", 1)
    runs = [Run.from_columns("a", ["q"], ["d"], [1.0])]
    study = Study(runs, Qrels.from_columns(["q"], ["d"], [1]))
    made: list[object] = []

    def lasting(of: Study) -> str:
        made.append("lasting")
        return "x" * 60

    def large(of: Study, number: int) -> str:
        made.append(number)
        return "x" * 60

    for number in (1, 2, 1):
        study.cached_answer(lasting)
        study.cached_answer(large, number)
    assert made == ["lasting", 1, 2, 1]
    assert study.cached_answer(lasting) == "x" * 60 and made.count("lasting") == 1


def test_very_many_queries_have_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_answers, "MAX_BYTES", 100)
    monkeypatch.setattr(cached_answers, "MAX_BYTES_PER_QUERY", 100)
    queries = ["1", "2", "3"]
    runs = [Run.from_columns("a", queries, ["d"] * 3, [1.0] * 3)]
    study = Study(runs, Qrels.from_columns(queries, ["d"] * 3, [1] * 3))

    def large(of: Study, number: int) -> str:
        return "x" * 60

    for number in range(3):
        study.cached_answer(large, number)
    assert [study.has_answer(large, number) for number in range(3)] == [False, True, True]
