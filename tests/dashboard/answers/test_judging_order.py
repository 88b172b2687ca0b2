"""The orders in which documents are offered, and whether what was graded is a sample."""

from __future__ import annotations

import pytest

from dashboard.address.address import Address
from dashboard.answers import grading, unjudged
from dashboard.answers.judging_order import (
    AT_RANDOM,
    BY_QUERY,
    is_random_sample,
    parse_judging_order,
    positions_in_random_order,
)
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import Layer
from dashboard.workspace.layers import GradeRecord
from metrics_core.tables import Qrels, Run

PAIRS = [(f"q{q}", f"d{d}") for q in range(20) for d in range(5)]


def test_an_order_by_lot_is_the_same_for_every_selection() -> None:
    drawn = [PAIRS[place] for place in positions_in_random_order(PAIRS)]
    some = PAIRS[::3]
    assert [some[place] for place in positions_in_random_order(some)] == [
        pair for pair in drawn if pair in some
    ]
    assert drawn != PAIRS and sorted(drawn) == sorted(PAIRS)
    assert parse_judging_order("random") == AT_RANDOM and parse_judging_order("by colour") == ""


def test_the_first_by_lot_are_a_sample_and_others_are_not() -> None:
    drawn = [PAIRS[place] for place in positions_in_random_order(PAIRS)]
    assert is_random_sample(set(), PAIRS) and is_random_sample(set(drawn[:30]), PAIRS)
    assert is_random_sample({*drawn[:12], *drawn[13:30]}, PAIRS), "one was skipped"
    assert not is_random_sample(set(drawn[10:40]), PAIRS) and not is_random_sample(
        set(PAIRS[:30]), PAIRS
    )


def two_runs() -> Study:
    """Forty queries; each run lists ten documents, of which the last five are not judged."""
    runs = []
    for name, own in (("new", "n"), ("old", "o")):
        rows = [
            (
                f"q{q}",
                f"{'j' if r < 5 else own}{(r + (name == 'old')) % 5 + (r >= 5) * 5}",
                -float(r),
            )
            for q in range(40)
            for r in range(10)
        ]
        runs.append(Run.from_columns(name, *map(list, zip(*rows, strict=True))))
    judged = [(f"q{q}", f"j{d}", int(d == 0)) for q in range(40) for d in range(5)]
    judged += [(f"q{q}", f"{own}5", 0) for q in range(40) for own in "no"]
    return Study(runs, Qrels.from_columns(*map(list, zip(*judged, strict=True))))


@pytest.mark.parametrize("order", ["", BY_QUERY, AT_RANDOM])
def test_every_order_offers_the_same_documents(order: str) -> None:
    study = two_runs()
    shown = study.view(Address.create(run="new", base="old")).comparison
    usual, found = (grading.judging_queue(study, shown, o, n_to_settle=30) for o in ("", order))
    assert sorted(found["doc_id"]) == sorted(usual["doc_id"]) and len(found) == 320
    if order == BY_QUERY:
        first = found["query_id"].head(30).tolist()
        assert first == sorted(first, key=study.query_ids.index)
        assert set(first) == set(usual["query_id"].head(30))


def test_grades_given_at_random_keep_what_is_likely() -> None:
    study = two_runs()
    shown = study.view(Address.create(run="new", base="old")).comparison

    def reason(order: str) -> str:
        first = grading.judging_queue(study, shown, order).head(40)
        pairs = zip(first["query_id"], first["doc_id"], strict=True)
        given = {pair: GradeRecord(0, "me", "") for pair in pairs}
        layer = Layer(order or "usual", "me", "", judged=True, version="1", grade_records=given)
        return unjudged.unjudged_effects(with_layers(study, [layer]), shown).likely.reason

    assert unjudged.unjudged_effects(study, shown).likely.interval is not None
    assert reason(AT_RANDOM) == "" and "perhaps because of their effect" in reason("")
