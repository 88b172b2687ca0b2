"""The best single change, against trying every one of them, and near misses."""

from __future__ import annotations

from random import Random

import pytest

from metrics_core.explaining.improvements import Change, find_best_change, find_near_misses
from metrics_core.explaining.what_if import Edit, Move, Remove, edit_ranks
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from tests.collections_of import qrels_of, run_of


def best(listed: str, grades: dict[str, int], measure: str, k: int = 3) -> Change | None:
    run = run_of({"q": {d: -float(i) for i, d in enumerate(listed)}, "p": {"a": 1.0}})
    return find_best_change(run, qrels_of({"q": grades}), "q", parse_measure(measure), k)


def edit_of(change: Change | None) -> Edit | None:
    return change and change.edit


def test_the_best_document_is_brought_up_or_in() -> None:
    grades = {"a": 1, "b": 2, "m": 3}
    assert edit_of(best("xyab", {"a": 1, "b": 2}, "DCG")) == Move("b", 1)
    assert edit_of(best("xyab", grades, "DCG")) == Move("m", 1)
    # P@3: b to rank 3 passes one document, m to rank 3 passes two: both add a third.
    found = best("xyab", grades, "P@2", k=2)
    assert found == Change(Move("a", 2), 0.5, 0.5)


def test_taking_out_what_stands_above_may_be_best() -> None:
    # Only one move puts a and b both up: x leaves.
    assert edit_of(best("xab", {"a": 1, "b": 1, "x": 0}, "AP")) == Remove("x")
    assert edit_of(best("xab", {"a": 1, "b": 1}, "AP")) == Remove("x")


def test_where_less_is_better_the_score_falls() -> None:
    found = best("xa", {"x": 0, "a": 1}, "NumNonrelRet")
    assert found == Change(Remove("x"), -1, 0)


def test_nothing_to_gain() -> None:
    assert best("ab", {"a": 1, "b": 1}, "P@2") is None
    assert best("ab", {"c": 0}, "P@2") is None
    run = run_of({"q": {"a": 1.0}})
    assert find_best_change(run, qrels_of({"p": {"a": 1}}), "q", parse_measure("AP"), 3) is None


def literal(run: Run, qrels: Qrels, grades: dict[str, int], name: str, k: int) -> float:
    """The best gain of all edits that exist, each scored on its own."""
    measure = parse_measure(name)

    def score(*edits: Edit) -> float:
        return float(measure.score(edit_ranks(run, qrels, "q", edits, edited_run="run"))[0])

    listed = run.doc_ids.to_pylist()
    edits: list[Edit] = [Move(d, t) for d, g in grades.items() if g > 0 for t in range(1, k + 1)]
    edits += [Remove(d) for d in listed[:k]]
    return max(score(edit) - score() for edit in edits)


@pytest.mark.parametrize("name", ["nDCG@4", "AP", "ERR@3", "P@3", "Bpref", "AP(judged_only=True)"])
def test_every_change_is_tried(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics_core.explaining.improvements._MOST_CELLS", 40)
    random = Random(name)
    for _ in range(6):
        names = random.sample("abcdefghij", random.randint(1, 8))
        grades = {d: random.choice([-1, 0, 1, 2, 3]) for d in random.sample("abcdefghijkl", 7)}
        grades["a"] = 1
        run = run_of({"q": {d: -float(i) for i, d in enumerate(names)}})
        qrels = qrels_of({"q": grades})
        found = find_best_change(run, qrels, "q", parse_measure(name), 4)
        expected = max(literal(run, qrels, grades, name, 4), 0)
        assert (found.gain if found else 0) == pytest.approx(expected, abs=1e-12)
        if found:
            edited = edit_ranks(run, qrels, "q", [found.edit], edited_run="run")
            assert parse_measure(name).score(edited)[0] == pytest.approx(found.score, abs=1e-15)


def test_near_misses_tell_how_far_they_are() -> None:
    run = run_of({"q": {"a": 9.0, "x": 7.5, "b": 7.0, "c": 5.0, "y": 2.0, "d": 1.0}})
    qrels = qrels_of({"q": {"a": 1, "b": 2, "c": 0, "d": 1}})
    found = find_near_misses(run, qrels, "q", parse_measure("P@2"), 2, deepest_rank=4)
    assert found.to_dict("records") == [
        {"doc_id": "b", "grade": 2.0, "rank": 3, "score": 7.0, "short": 0.5}
    ]
    assert find_near_misses(run, qrels, "q", parse_measure("P@2"), 2, deepest_rank=6)[
        "rank"
    ].tolist() == [
        3,
        6,
    ]
    assert find_near_misses(run, qrels, "u", parse_measure("P@2"), 2, deepest_rank=4).empty
