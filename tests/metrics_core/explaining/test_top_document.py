"""What became of the best document of a query, and how a list says it."""

from __future__ import annotations

import pytest

from metrics_core.explaining.top_document import TopDocument, find_top_document
from metrics_core.findings.changes import summarise_change
from metrics_core.judging import join_judgments
from metrics_core.tables import Qrels, Run

QRELS = Qrels.from_columns(
    ["q1", "q1", "q2", "q2", "q3", "q4"], ["a", "b", "a", "b", "a", "a"], [3, 1, 2, 2, 1, 0]
)


def run(name: str, **lists: str) -> Run:
    rows = [(q, d, -float(i)) for q, found in lists.items() for i, d in enumerate(found)]
    return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))


def test_the_best_document_is_the_one_that_no_other_reaches() -> None:
    old = join_judgments(run("old", q1="abc", q2="ab", q3="xa", q4="a"), QRELS)
    new = join_judgments(run("new", q1="bca", q2="ba", q3="xy", q4="a"), QRELS)
    assert find_top_document(new, old, 0, 1) == TopDocument(1, 3, False)
    assert find_top_document(new, old, 1, 1) is None, "two share the grade"
    assert find_top_document(new, old, 2, 1) == TopDocument(2, 0, True)
    assert find_top_document(new, old, 3, 1) is None, "nothing is relevant"


@pytest.mark.parametrize(
    ("top", "loses", "found", "said"),
    [
        (TopDocument(1, 5, False), True, True, "best document: rank 1 to 5"),
        (TopDocument(7, 2, True), False, True, "only relevant document: rank 7 to 2"),
        (TopDocument(2, 0, False), True, True, "best document no longer retrieved (was at rank 2)"),
        (TopDocument(0, 4, False), False, True, "best document new at rank 4"),
        (TopDocument(1, 5, False), False, True, ""),
        (TopDocument(3, 3, False), True, True, ""),
        (None, True, False, "new: nothing relevant in the top 10"),
        (None, True, True, ""),
    ],
)
def test_only_what_goes_the_way_of_the_score_is_told(
    top: TopDocument | None, loses: bool, found: bool, said: str
) -> None:
    assert summarise_change(top, "new", is_loss=loses, has_relevant=found, cutoff=10) == said
