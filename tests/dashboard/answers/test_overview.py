"""The Overview's lists: what is said of the queries that one of the two does not list."""

from __future__ import annotations

import pytest

from dashboard.address.address import Address
from dashboard.answers.overview import overview
from dashboard.study.study import Study
from metrics_core.tables import Qrels, Run

QUERIES = [f"q{i:02}" for i in range(20)]


def study(lacked: int) -> Study:
    """A run that finds the relevant document third, and a baseline that finds it second but lacks
    some queries."""

    def run(name: str, queries: list[str], place: int) -> Run:
        rows = [
            (q, "yes" if i == place else f"no{i}", -float(i)) for q in queries for i in (1, 2, 3)
        ]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    qrels = Qrels.from_columns(QUERIES, ["yes"] * 20, [1] * 20)
    return Study([run("new", QUERIES, 3), run("old", QUERIES[lacked:], 2)], qrels)


@pytest.mark.parametrize(("lacked", "all_of_them"), [(4, True), (9, True), (0, False)])
def test_each_listed_query_says_which_of_the_two_does_not_list_it(
    lacked: int, all_of_them: bool
) -> None:
    given = study(lacked)
    shown = overview(given, given.view(Address.create(run="new", base="old")).comparison)
    assert set(shown.worse["unlisted_by"]) == {""} and len(shown.better) == min(lacked, 5)
    assert set(shown.better["unlisted_by"]) == ({"old"} if all_of_them else set())
