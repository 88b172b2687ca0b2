"""How much of the first results stays."""

from __future__ import annotations

import pytest

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.explaining.overlap import Overlap, find_overlaps
from metrics_core.tables import Run


def run_of(name: str, lists: dict[str, str]) -> Run:
    rows = [(q, d, -i) for q, docs in lists.items() for i, d in enumerate(docs)]
    query, doc, score = zip(*rows, strict=True)
    return Run.from_columns(name, list(query), list(doc), list(score))


MAIN = run_of("main", {"q1": "abcd", "q2": "abcd", "q3": "abcd"})


def test_the_mean_share_is_asked_and_the_most_changed_come_first() -> None:
    branch = run_of("branch", {"q1": "bace", "q2": "xyza", "q4": "a"})
    (found,) = find_overlaps(MAIN, [branch], [Overlap(2, 0.4)])
    shares = dict(zip(found.query_ids, found.overlap.tolist(), strict=True))
    assert shares == {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}
    assert found.mean == 0.25 and found.outcome == "below" and found.n_changed == 4
    assert [query for query, _, _ in found.most_changed_queries(3)] == ["q2", "q3", "q4"]
    assert found.most_changed_queries(9)[-1][:2] == ("q1", 1.0)


def test_equal_lists_hold() -> None:
    (found,) = find_overlaps(MAIN, [MAIN.renamed("branch")], [Overlap(3, 1.0)])
    assert (found.outcome, found.n_changed, found.most_changed_queries(5)) == ("held", 0, [])


def test_an_overlap_is_read_from_its_text() -> None:
    assert Overlap.parse(" top10 >= 0.8 ") == Overlap(10, 0.8) == Overlap.parse("Top 10≥.8")
    assert str(Overlap.parse("top5>=1")) == "top5 >= 1"
    for text in ("top10", "top0 >= 0.5", "top10 > 0.5", "top10 >= 80", "top10 >= 0", "AP >= 0.5"):
        with pytest.raises(ParameterError, match="is not a valid overlap"):
            Overlap.parse(text)


def test_runs_without_a_list_are_refused() -> None:
    empty = Run.from_columns("empty", [], [], [])
    with pytest.raises(RanklensError, match="empty has no results"):
        find_overlaps(empty, [empty], [Overlap(2, 0.4)])
