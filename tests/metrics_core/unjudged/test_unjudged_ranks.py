"""The unjudged documents of a pair against the lists, read one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics_core.judging import join_judgments
from metrics_core.tables import Run
from metrics_core.unjudged.first_documents import (
    FirstDocumentPair,
    match_documents,
    read_first_document_pair,
    read_first_documents,
)
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, find_unjudged
from tests.collections_of import qrels_of, run_of

QUERIES, DOCS = "pqrs", "abcdef"
JUDGED = {"p": {"a": 1}, "q": {"b": 0, "c": 2}, "r": {"z": 1}, "s": dict.fromkeys(DOCS, 0)}
Lists = dict[str, list[str]]

lists_of = st.dictionaries(
    st.sampled_from([*QUERIES, "nobody judged this"]),
    st.permutations(DOCS).flatmap(lambda p: st.integers(1, 6).map(lambda n: list(p[:n]))),
    min_size=1,
)


def run_with(lists: Lists) -> Run:
    return run_of({q: {d: -float(i) for i, d in enumerate(own)} for q, own in lists.items()})


def rows(found: UnjudgedRanks, queries: list[str]) -> list[tuple[str, str, int, int]]:
    assert found.doc_ids is not None
    query = [queries[q] for q in found.query]
    return list(
        zip(query, found.doc_ids.to_pylist(), found.run_rank, found.baseline_rank, strict=True)
    )


def literal(pair: tuple[Lists, Lists], queries: list[str], cutoff: int) -> list[object]:
    """Of each query what the run lists within the cutoff, then what the baseline alone does."""
    found: list[object] = []
    for query in queries:
        own, other = (
            {d: i + 1 for i, d in enumerate(lists.get(query, [])[:cutoff])} for lists in pair
        )
        for doc in dict.fromkeys([*own, *other]):
            if doc not in JUDGED[query]:
                found.append((query, doc, own.get(doc, 0), other.get(doc, 0)))
    return found


@given(
    pair=st.tuples(lists_of, lists_of),
    cutoff=st.integers(1, 7) | st.none(),
    deeper=st.integers(0, 3),
    view=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_the_unjudged_documents_of_both_lists_are_found(
    pair: tuple[Lists, Lists], cutoff: int | None, deeper: int, view: list[bool]
) -> None:
    assume(any(view) and all(set(lists) & set(QUERIES) for lists in pair))
    mask, qrels = np.array(view), qrels_of(JUDGED)
    run, baseline = (run_with(lists) for lists in pair)
    own, other = (join_judgments(them, qrels).select_queries(mask) for them in (run, baseline))
    queries = [q for q, seen in zip(qrels.query_ids, view, strict=True) if seen]
    found = find_unjudged(
        own, other, cutoff, lambda a, b, k: read_first_document_pair(a, b, k + deeper)
    )
    assert rows(found, queries) == literal(pair, queries, cutoff or 9)
    some = np.flatnonzero(found.baseline_rank == 0)
    assert rows(found.select(some), queries) == [
        row for row in literal(pair, queries, cutoff or 9) if row[3] == 0
    ]


@given(pair=st.tuples(lists_of, lists_of), depth=st.integers(1, 6))
def test_the_same_documents_are_those_of_one_query(pair: tuple[Lists, Lists], depth: int) -> None:
    runs = [run_with(lists) for lists in pair]
    tops = [read_first_documents(run, depth) for run in runs]
    same = match_documents(runs[0], tops[0], runs[1], tops[1])
    named = [
        [(run.query_ids[q], d) for q, d in zip(top.code, top.doc_ids.to_pylist(), strict=True)]
        for run, top in zip(runs, tops, strict=True)
    ]
    assert [named[1].index(row) if row in named[1] else -1 for row in named[0]] == same.tolist()


def test_where_all_is_judged_no_list_is_read() -> None:
    ranks = join_judgments(run_of({"s": {"a": 2.0, "b": 1.0}}), qrels_of(JUDGED))

    def tops(*_: object) -> FirstDocumentPair:
        raise AssertionError("read")

    found = find_unjudged(ranks, ranks, 5, tops)
    assert found.is_matched and len(found) == 0 and rows(found, []) == []
