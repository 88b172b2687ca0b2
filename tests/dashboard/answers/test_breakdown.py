"""The Breakdown: by columns given and derived, the bridge, the slices that differ."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pandas as pd
import pytest

from dashboard.address.address import Address
from dashboard.address.measure_key import ChosenMeasure
from dashboard.address.view import Comparison
from dashboard.answers import group_table
from dashboard.answers.breakdown import (
    Breakdown,
    breakdown,
    focus_differences_by_column,
    scores_by_column,
)
from dashboard.answers.crossing import crossing, default_second_column, offered_crossings
from dashboard.answers.group_table import GroupRows, GroupTableRequest
from dashboard.answers.overview import overview
from dashboard.answers.slices import slices as slices_of
from dashboard.study.study import Study
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.measures import parse_measure
from metrics_core.slicing.derived_groups import MARK
from metrics_core.tables import Qrels, Queries, Run

N = 120
IDS = [f"q{i:03}" for i in range(N)]
HARD = "how hard for the other runs" + MARK


def listed(name: str, places: list[int]) -> Run:
    """A run that finds the one relevant document of each query at this rank, 9 for nowhere."""
    rows = [
        (q, f"{q}-d" if rank == place else f"{q}-{name}{rank}", 10.0 - rank)
        for q, place in zip(IDS, places, strict=False)
        for rank in range(1, 6)
    ]
    return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))


def study(
    n: int = N, *, runs: int = 3, columns: bool = True, groups: int = 4, grade: float = 1
) -> Study:
    """Run a beats b a little everywhere, and loses where the category is c1 and the kind k0."""
    worse = [i % groups == 1 and i % 3 == 0 for i in range(n)]
    chance = random.Random(3)
    a = [5 if bad else chance.choice([1, 1, 1, 2]) for bad in worse]
    b = [1 if bad else chance.choice([1, 2, 2, 3]) for bad in worse]
    places = [a, b, *([chance.randint(1, 5) for _ in range(n)] for _ in range(10))]
    made = [listed(name, places[i]) for i, name in enumerate("abcdefghijkl"[:runs])]
    ids = IDS[:n]
    queries = None
    if columns:
        queries = Queries.from_columns(
            {
                "query_id": ids,
                "text": [" ".join(["word"] * (1 + i % 5)) for i in range(n)],
                "category": [f"c{i % groups}" for i in range(n)],
                "kind": [f"k{i % 3}" for i in range(n)],
                "length": [str(i * 37 % 91) for i in range(n)],
            }
        )
    return Study(made, Qrels.from_columns(ids, [f"{q}-d" for q in ids], [grade] * n), queries)


STUDY = study()


def comparison(of: Study = STUDY, **asked: object) -> Comparison:
    values = {"run": "a", "base": "b", "m": "RR"} | asked
    return of.view(Address.create(**values)).comparison


def shown(of: Study = STUDY, by: str = "", **asked: object) -> Breakdown:
    return breakdown(of, comparison(of, **asked), by)


def test_the_bridge_adds_up_by_every_column() -> None:
    scores = STUDY.scores(comparison(), comparison().measure)
    own, other = scores.values_of("RR")[:2]
    columns = shown().columns
    assert columns[:3] == ["category", "kind", "length"]
    assert {"words in the query" + MARK, HARD} < set(columns)
    for by in columns:
        bridge = shown(by=by).bridge
        assert math.fsum(bridge["part"]) == pytest.approx(float((own - other).mean()), abs=1e-12)
        assert bridge["queries"].sum() == N
        table = shown(by=by).table
        assert math.fsum(table["adds"].iloc[:-1]) == pytest.approx(table["adds"].iloc[-1])


def test_what_most_comes_from_is_unlike_the_rest_and_not_only_large() -> None:
    chance = random.Random(5)
    many = [i % 3 > 0 for i in range(N)]
    texts = {"query_id": IDS, "text": ["word"] * N, "size": ["many" if m else "few" for m in many]}
    b = [chance.choice([2, 3, 4]) for _ in IDS]

    def told(gains: list[bool]) -> str:
        a = [place - (gain and chance.random() < 0.9) for place, gain in zip(b, gains, strict=True)]
        runs = [listed("a", a), listed("b", b)]
        qrels = Qrels.from_columns(IDS, [f"{q}-d" for q in IDS], [1] * N)
        of = Study(runs, qrels, Queries.from_columns(texts))
        return shown(of, "size").title.text

    assert told([True] * N) == "a scores higher than b in both groups"
    assert told([m or i % 12 == 0 for i, m in enumerate(many)]) == "a gains most in many"


def test_the_planted_slice_is_found_and_leads_to_its_queries() -> None:
    found = slices_of(STUDY, comparison()).slices
    assert [name for name, _ in found[0].names] == ["c1", "k0"]
    assert not found[0].gains and found[0].difference == "−0.800"
    assert found[0].filters == (("category", "c1"), ("kind", "k0"))
    narrowed = comparison(where=found[0].filters)
    assert int(STUDY.view_mask(narrowed).sum()) == found[0].queries == 10


def test_a_derived_group_is_a_filter() -> None:
    groups = STUDY.columns(comparison())[HARD]
    where = ((HARD, "hard for other runs"),)
    view = STUDY.view(Address.create(run="a", base="b", m="RR", where=where))
    assert view.comparison.filters == where and not view.lacking
    inside = STUDY.view_mask(view.comparison)
    assert inside.tolist() == (groups == "hard for other runs").tolist()
    assert 0 < inside.sum() < N
    scores = STUDY.scores(view.comparison, view.comparison.measure)
    assert scores.n_queries == inside.sum()


def test_a_filter_that_does_not_fit_is_said() -> None:
    view = STUDY.view(Address.create(where=((HARD, "impossible"), ("other" + MARK, "x"))))
    assert view.comparison.filters == () and "where" in view.lacking
    two = study(runs=2)
    view = two.view(Address.create(where=((HARD, "hard for other runs"),)))
    assert HARD in view.lacking["where"]


def test_a_filter_does_not_change_the_groups_it_is_made_of() -> None:
    whole = STUDY.columns(comparison())
    narrowed = STUDY.columns(comparison(where=((HARD, "hard for other runs"),)))
    assert whole[HARD].equals(narrowed[HARD])


def test_without_columns_and_texts_there_is_a_breakdown() -> None:
    of = study(columns=False)
    found = shown(of)
    assert found.by == HARD and found.explanation
    assert default_second_column(of, comparison(of), found.by) == "" and not offered_crossings(
        of, comparison(of), found.by, ""
    )
    assert len(found.bridge) == 3 and found.title.text.startswith("a scores higher than b in")


def test_one_run_has_no_bridge_and_no_slices() -> None:
    alone = study(runs=1)
    view = alone.view(Address.create(m="RR")).comparison
    found = breakdown(alone, view, "category")
    assert found.title.text.startswith("a scores lowest in c")
    rows = group_table.select_groups(found, GroupTableRequest(), is_single_run=True).rows
    assert list(rows["mean"]) == sorted(rows["mean"], reverse=True) and len(rows) == 4
    assert rows["difference"].isna().all() and not offered_crossings(alone, view, "category", "")
    slices = slices_of(alone, view)
    assert not slices.slices and slices.searched_count == 0


def test_four_queries_are_examples() -> None:
    few = study(4)
    found = shown(few)
    assert found.title.text == "Only 4 queries: too few for a result"
    assert not slices_of(few, comparison(few)).slices
    assert not found.bridge["clear"].any() and found.groups["diff_low"].isna().all()


def rows_of(found: Breakdown, **asked: object) -> GroupRows:
    return group_table.select_groups(found, GroupTableRequest(**asked), is_single_run=False)  # type: ignore[arg-type]


def test_of_many_groups_twelve_are_listed_and_the_others_summed_up() -> None:
    found = shown(study(groups=40))
    few = rows_of(found)
    assert len(few.rows) == 12 and few.hidden == 28 and few.sort_key == "-adds"
    assert few.rows["queries"].sum() + few.hidden_queries == N
    assert few.rows["adds"].sum() + few.hidden_adds == pytest.approx(found.total_row["adds"])
    assert few.rows["adds"].abs().is_monotonic_decreasing
    printed = few.rows["printed"].sum() + few.hidden_printed
    assert printed == pytest.approx(round(found.total_row["adds"], 3))
    assert not found.bridge["clear"].any(), f"no group has {FEWEST_QUERIES} queries"
    whole = rows_of(found, every=True, ranked="difference")
    assert whole.hidden == 0 and whole.rows["difference"].is_monotonic_increasing
    assert list(rows_of(found, within="C13").rows["group"]) == ["c13"]
    none = rows_of(found, least=10)
    assert len(none.rows) == 0 and none.hidden == 40 and none.matching_count == 0


def test_the_room_of_a_group_and_an_order_that_is_none() -> None:
    found = shown(m="nDCG@10")
    room = found.groups[["score", "order", "below", "missing"]].sum(axis=1)
    assert room.between(0.99, 1.01).all()
    assert rows_of(found, ranked="nothing").sort_key == "-adds"
    by_room = rows_of(found, ranked="-room").rows
    assert by_room["score"].is_monotonic_increasing


def test_twelve_runs_and_a_numeric_column_in_its_own_order() -> None:
    found = shown(study(runs=12), by="length", also=("*",))
    rows = rows_of(found)
    assert found.has_numeric_order and rows.sort_key == "group"
    assert list(rows.rows["group"]) == list(found.bridge["group"].str.removeprefix("length "))


def test_two_columns_are_crossed_and_every_pair_is_offered_once() -> None:
    pairs = offered_crossings(STUDY, comparison(), "kind", "")
    assert pairs[:3] == [("category", "kind"), ("category", "length"), ("kind", "length")]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert ("kind", HARD) in pairs
    found = crossing(STUDY, comparison(), "category", "kind")
    assert len(found.cells) == 5 * 4 and found.left_out == 0
    assert "is largest for" in found.title.text or "by two columns" in found.title.text
    many = study(groups=40)
    some = crossing(many, comparison(many), "category", "kind")
    assert some.left_out == 28 and len(some.cells) == 13 * 4
    every = crossing(many, comparison(many), "category", "kind", show_all=True)
    assert every.left_out == 0 and len(every.cells) == 41 * 4


def test_where_less_is_better_signs_and_words_agree() -> None:
    less = ChosenMeasure(parse_measure("Unjudged@1"), "Unjudged@1")
    view = replace(comparison(), chosen_measure=less)
    found = breakdown(STUDY, view, "category")
    assert math.fsum(found.bridge["part"]) < -0.1
    assert (
        found.title.text.startswith("a scores lower than b in") or "gains most" in found.title.text
    )
    # More unjudged documents stand first where a loses.
    first = slices_of(STUDY, view).slices[0]
    assert not first.gains and first.difference.startswith("+")


def test_the_overview_reads_the_same_groups() -> None:
    rows = scores_by_column(STUDY, comparison(), "category")
    assert list(rows.columns) == [
        "group", "run", "queries", "mean", "low", "high", "difference", "diff_low", "diff_high",
        "clear",
    ]  # fmt: skip
    assert STUDY.groupings == ["category", "kind", "length"]
    fresh = study()
    own = focus_differences_by_column(fresh, comparison(fresh), "category")
    told = rows[rows["run"] == "a"].reset_index(drop=True)
    unlike = ["low", "high"]
    pd.testing.assert_frame_equal(
        own.reset_index(drop=True).drop(columns=unlike), told.drop(columns=unlike)
    )
    assert own[unlike].isna().all(axis=None)


def test_grades_with_decimals_add_up_as_well() -> None:
    of = study(grade=0.5)
    found = shown(of, m="nDCG@10")
    own, other = of.scores(comparison(of, m="nDCG@10"), parse_measure("nDCG@10")).values_of(
        "nDCG@10"
    )[:2]
    assert math.fsum(found.bridge["part"]) == pytest.approx(float((own - other).mean()), abs=1e-12)
    first = slices_of(of, comparison(of, m="nDCG@10")).slices[0]
    assert first.filters == (("category", "c1"), ("kind", "k0"))


def test_a_column_that_does_not_split_the_queries_in_view_is_never_chosen() -> None:
    made = study()
    assert made.queries is not None
    frame = made.queries.frame
    of_one = {"constant": ["en"] * N, "kind": frame["kind"], "category": frame["category"]}
    queries = Queries.from_columns({"query_id": IDS, "text": IDS, "Category": ["en"] * N, **of_one})
    split = Study(list(made.runs.values()), made.qrels, queries)
    assert split.groupings[0] == "Category"
    narrowed = split.view(Address.create(run="a", base="b", where=(("category", "c1"),))).comparison
    for shown, chosen in (
        (split.view(Address.create(run="a", base="b")).comparison, "category"),
        (narrowed, "kind"),
    ):
        assert overview(split, shown).grouping == chosen
        assert breakdown(split, shown, "").by == chosen
        across = default_second_column(split, shown, chosen)
        assert across == ("kind" if chosen == "category" else HARD)
        pairs = {column for pair in offered_crossings(split, shown, chosen, "") for column in pair}
        assert not {"Category", "constant"} & pairs
        assert breakdown(split, shown, "constant").by == "constant"
    assert set(overview(split, narrowed).worse["meta"]) <= {"c1 \u00b7 k0", "c1 \u00b7 k1"}
    only = Study(
        list(made.runs.values()),
        made.qrels,
        Queries.from_columns({"query_id": IDS, "text": IDS, "category": ["en"] * N}),
    )
    assert overview(only, only.view(Address.create()).comparison).grouping is None
