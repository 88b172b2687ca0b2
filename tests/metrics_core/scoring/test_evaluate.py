"""evaluate(): which rows there are, what counts 0, what is left out, and what is said of it."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from metrics_core.base.errors import NoSharedQueriesError, UnknownMeasureError
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.evaluate import evaluate
from metrics_core.scoring.notes import score_notes, tie_range
from metrics_core.scoring.scores import score_run
from metrics_core.tables import Qrels
from tests.collections_of import qrels_of, run_of

QRELS = qrels_of({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d1": 0}})
RUN = run_of({"q1": {"d1": 2, "d2": 1}, "q3": {"d1": 1}, "z": {"d1": 1}}, "bm25")


def test_a_row_for_each_run_and_judged_query() -> None:
    frame = evaluate([RUN, RUN.renamed("copy")], QRELS, ["map", "P@2"])
    assert list(frame.columns) == ["run", "query_id", "map", "P@2"]
    assert frame["run"].tolist() == ["bm25"] * 3 + ["copy"] * 3
    assert frame["query_id"].tolist() == ["q1", "q2", "q3"] * 2
    assert frame["map"].tolist() == [1, 0, 0] * 2  # q2 is missing, q3 has nothing relevant
    assert frame["P@2"].tolist() == [0.5, 0, 0] * 2


def test_one_run_needs_no_list() -> None:
    assert evaluate(RUN, QRELS, ["AP"])["run"].unique().tolist() == ["bm25"]


def test_queries_without_relevant_documents_can_be_left_out() -> None:
    frame = evaluate(RUN, QRELS, ["AP", "NumRet"], without_relevant="leave out")
    assert frame["AP"].tolist()[:2] == [1, 0]
    assert np.isnan(frame["AP"][2])
    assert frame["NumRet"].tolist() == [2, 0, 1]  # counts stay
    ranks = join_judgments(RUN, QRELS)
    assert score_run(ranks, parse_measure("AP")).tolist() == [1, 0, 0]


def test_mistakes_are_not_turned_into_zeros() -> None:
    with pytest.raises(UnknownMeasureError):
        evaluate(RUN, QRELS, ["precison@5"])
    with pytest.raises(NoSharedQueriesError):
        evaluate(RUN, qrels_of({"other": {"d1": 1}}), ["AP"])


def test_what_counts_is_told() -> None:
    found = {n.kind: n for n in score_notes(join_judgments(RUN, QRELS), [parse_measure("P@2")])}
    assert {kind: (n.message, n.examples) for kind, n in found.items()} == {
        "missing": ("1 judged query without results; scored 0", ("q2",)),
        "unjudged": ("1 query without judgments; excluded", ("z",)),
        "no_relevant": ("1 judged query without a relevant document; scored 0", ("q3",)),
    }
    left_out = score_notes(join_judgments(RUN, QRELS), without_relevant="leave out")
    assert left_out[-1].message == "1 judged query without a relevant document; excluded"


def test_several_queries_are_counted_and_three_shown() -> None:
    qrels = qrels_of({f"q{i}": {"d": 1} for i in range(6)})
    (note,) = score_notes(join_judgments(run_of({"q0": {"d": 1}}), qrels))
    assert (note.message, note.count) == ("5 judged queries without results; scored 0", 5)
    assert note.examples == ("q1", "q2", "q3")


def test_a_cutoff_beyond_the_run_is_told() -> None:
    ranks = join_judgments(RUN, QRELS)
    names = ["P@2", "P@3", "AP@1000", "AP", "NumRet"]
    (note,) = [
        n for n in score_notes(ranks, [parse_measure(n) for n in names]) if n.kind == "depth"
    ]
    assert note.message == (
        "P@3 and AP@1000 exceed the depth of the run (at most 2 documents per query)"
    )


@pytest.mark.parametrize(
    "name",
    ["P@2", "AP", "nDCG@3", "RR", "Judged@2", "Success@1", "NumRelRet", "GMAP", "Unjudged@2"],
)
def test_the_range_of_ties_is_that_of_all_orders(name: str) -> None:
    grades: dict[str, Any] = {"q": {"d1": 2, "d2": 1, "d3": 0, "d5": -1}, "p": {"d1": 1}}
    tied = {"q": {f"d{i}": 1.0 for i in range(1, 6)}, "p": {"d0": 2.0, "d1": 1.0}}
    qrels, measure = qrels_of(grades), parse_measure(name)
    combined = measure.declaration.combination.combine
    means = []
    for order in permutations(tied["q"]):
        run = {**tied, "q": {d: 10.0 - i for i, d in enumerate(order)}}
        values = measure.score(join_judgments(run_of(run), qrels))
        means.append(float(combined(values)))
    ((low, high),) = tie_range(join_judgments(run_of(tied), qrels), [measure])
    assert (low, high) == pytest.approx((min(means), max(means)), rel=1e-14)
    as_ordered = measure.score(join_judgments(run_of(tied), qrels))
    assert low <= combined(as_ordered) <= high


def test_users_without_relevant_items_by_the_measures_own_grade() -> None:
    qrels = qrels_of({"q1": {"d1": 2}, "q2": {"d1": 1}, "q3": {"d1": 0}})
    run = run_of({q: {"d1": 1.0} for q in ("q1", "q2", "q3")})
    names = ["P@1", "P(rel=2)@1"]
    frame = evaluate(run, qrels, names, without_relevant="leave out")
    assert frame["P@1"].fillna(-1).tolist() == [1, 1, -1]
    assert frame["P(rel=2)@1"].fillna(-1).tolist() == [1, -1, -1]
    notes = score_notes(join_judgments(run, qrels), [parse_measure(n) for n in names])
    assert [n.message for n in notes] == [
        "1 judged query without a relevant document; scored 0",
        "2 judged queries without a relevant document of grade 2 or more; scored 0",
    ]


def test_grades_below_one_are_relevant_to_gains() -> None:
    qrels = Qrels.from_columns(["q1"], ["d1"], [0.5])
    run = run_of({"q1": {"d1": 1.0}})
    assert evaluate(run, qrels, ["nDCG@5"], without_relevant="leave out")["nDCG@5"][0] == 1
    ranks = join_judgments(run, qrels)
    assert not [n for n in score_notes(ranks, [parse_measure("nDCG@5")]) if n.kind == "no_relevant"]
    assert [n for n in score_notes(ranks, [parse_measure("P@5")]) if n.kind == "no_relevant"]
