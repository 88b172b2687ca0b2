"""A query's ledger, what if and a document's card: their numbers are those of the scores."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from dashboard.address.address import Address
from dashboard.address.edits_key import read_edits
from dashboard.address.view import Comparison
from dashboard.answers.breakdown import breakdown
from dashboard.answers.document import find_document_card
from dashboard.answers.headroom import headroom_by_group
from dashboard.answers.ledger import query_ledger
from dashboard.answers.what_if import apply_edits
from dashboard.drawing.blocks.what_if import draw_best_edit
from dashboard.study.study import Study
from metrics_core.explaining.query_kinds import KINDS
from metrics_core.explaining.what_if import Move
from metrics_core.judging import join_judgments
from tests.collections_of import qrels_of, run_of
from tests.dashboard.answers.test_breakdown import comparison, study


def score_of(of: Study, shown: Comparison, run: str, query_id: str) -> float:
    scores = of.scores_of_all_runs(shown, shown.measure)
    place = list(scores.query_ids).index(query_id)
    return float(scores.values_of(shown.measure)[scores.position(run), place])


def test_the_bars_lead_from_one_score_to_the_other() -> None:
    of = study()
    shown = comparison(of)
    for query_id in of.query_ids:
        found = query_ledger(of, shown, query_id)
        assert found is not None and found.kind in KINDS
        own, other = (score_of(of, shown, run, query_id) for run in (shown.focus, shown.baseline))
        assert found.scores == pytest.approx((other, own), abs=1e-12)
        assert math.fsum(found.steps["part"]) == pytest.approx(own - other, abs=1e-12)
        assert found.headroom is not None
        assert found.headroom.score[0] == pytest.approx(own, abs=1e-12)


def test_a_query_that_nobody_judged_has_none() -> None:
    of = study()
    shown = comparison(of)
    assert query_ledger(of, shown, "no such query") is None
    assert apply_edits(of, shown, "no such query", ()) is None


def small() -> tuple[Study, Comparison]:
    """Two relevant documents: a stands first with one and third with two, b only with one."""
    one = run_of({"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "p": {"z": 1.0}}, "one")
    two = run_of({"q": {"x": 3.0, "y": 2.0, "a": 1.0}, "p": {"w": 1.0}}, "two")
    of = Study([one, two], qrels_of({"q": {"a": 1, "b": 1, "x": 0}, "p": {"z": 1}}))
    return of, of.view(Address.create(run="two", base="one", m="P@k", k="2")).comparison


def test_what_if_is_what_the_edited_files_score() -> None:
    of, shown = small()
    found = apply_edits(of, shown, "q", read_edits(["1:a", "g1:y", "out:x"]))
    assert found is not None
    row = found.scores.set_index("measure").loc[str(shown.measure)]
    edited = join_judgments(
        run_of({"q": {"a": 3.0, "y": 2.0}, "p": {"w": 1.0}}),
        qrels_of({"q": {"a": 1, "b": 1, "x": 0, "y": 1}, "p": {"z": 1}}),
    )
    after = shown.measure.score(edited)
    assert row["after"] == pytest.approx(after[0], abs=1e-12)
    assert row["mean_after"] == pytest.approx(after.mean(), abs=1e-12)
    assert row["before"] == pytest.approx(score_of(of, shown, "two", "q"), abs=1e-12)
    assert found.lines == ["q 0 y 1"]
    assert list(found.rows["doc_id"][:2]) == ["a", "y"]
    assert set(found.rows.loc[found.rows["part"] == "missing", "doc_id"]) == {"x", "b"}
    assert score_of(of, shown, "two", "q") == row["before"], "nothing of the study has changed"


def test_the_best_single_change_is_offered_before_any_other() -> None:
    of, shown = small()
    found = apply_edits(of, shown, "q", ())
    assert found is not None and found.best is not None and isinstance(found.best.edit, Move)
    tried = apply_edits(of, shown, "q", (found.best.edit,))
    assert tried is not None and tried.best is None
    after = tried.scores.set_index("measure").loc[str(shown.measure), "after"]
    assert after == pytest.approx(found.best.score, abs=1e-12)


def test_a_near_miss_tells_how_far_its_score_is() -> None:
    of, shown = small()
    found = apply_edits(of, shown, "q", ())
    assert found is not None and found.below == 2
    rows = found.rows.set_index("doc_id")
    assert (rows.loc["a", "part"], rows.loc["a", "short"]) == ("below", 1.0)
    assert rows["short"].drop("a").isna().all()
    moved = apply_edits(of, shown, "q", read_edits(["out:x"]))
    assert moved is not None and moved.rows["short"].isna().all()


def test_the_best_single_change_knows_ranks_that_are_not_shown() -> None:
    """The best of ten relevant documents is the last one; five below k are shown."""
    grades = {f"r{i}": 1 for i in range(9)} | {"best": 9}
    listed = [f"x{i}" for i in range(2)] + list(grades)
    run = run_of({"q": {d: float(-i) for i, d in enumerate(listed)}}, "one")
    of = Study([run], qrels_of({"q": grades}))
    found = apply_edits(of, of.view(Address.create(m="nDCG@k", k="2")).comparison, "q", ())
    assert found is not None and found.best is not None
    assert (found.best.edit, found.best_was) == (Move("best", 1), 12)
    assert "best" not in set(found.rows["doc_id"])
    drawn = draw_best_edit(
        found,
        pd.DataFrame(columns=["title", "text"]),
        "./query",
        (),
        document_link=lambda d: f"?doc={d}",
    )
    assert '<a href="?doc=best"><bdi>best</bdi></a></b> at rank 1 instead of 12 gives' in drawn


def test_a_card_knows_every_loaded_run() -> None:
    of, _ = small()
    found = find_document_card(of, "q", "b")
    assert found is not None and found.grade == 1
    ranks = dict(zip(found.standings["run"], found.standings["rank"], strict=True))
    assert ranks["one"] == 3 and np.isnan(ranks["two"])
    unjudged = find_document_card(of, "q", "y")
    assert unjudged is not None and np.isnan(unjudged.grade)
    assert find_document_card(of, "q", "nobody knows it") is None


def test_the_parts_of_all_groups_are_those_of_all_queries() -> None:
    of = study()
    shown = comparison(of)
    rows = headroom_by_group(of, shown, "category")
    assert set(rows["group"]) == {*breakdown(of, shown, "category").table["group"]}
    groups, whole = rows.iloc[:-1], rows.iloc[-1]
    for part in ("score", "order", "below", "missing"):
        together = (groups[part] * groups["queries"]).sum() / whole["queries"]
        assert together == pytest.approx(whole[part], abs=1e-12)
    assert whole[["score", "order", "below", "missing"]].sum() == pytest.approx(1.0)
    # Each query has one relevant document, at rank 1 to 5 of five: only the order can be better.
    assert whole["order"] > 0 and whole[["below", "missing"]].eq(0).all()
    none = comparison(of, m="Judged@5")
    assert headroom_by_group(of, none, "category").empty
