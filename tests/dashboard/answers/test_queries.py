"""The list of queries: what it keeps, in which order, page by page."""

from __future__ import annotations

import pytest

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers.queries import (
    PAGE_ROWS,
    QueryList,
    QueryListRequest,
    query_ids_of_list,
    query_list,
)
from dashboard.answers.query import query_page
from dashboard.answers.query_views import query_strips
from dashboard.study.study import Study
from metrics_core.tables import Qrels, Queries, Run

N = 250
IDS = [f"q{i:03}" for i in range(N)]


def study(n: int = N) -> Study:
    """Run b finds the one relevant document of each query at rank 1; a finds it at a rank from 1 to
    5, or, in every tenth query, nowhere; every seventh query carries no difficulty."""
    ids = IDS[:n]

    def listed(name: str, places: list[int]) -> Run:
        rows = [
            (q, f"{q}-d" if rank == place else f"{q}-x{rank}", 10.0 - rank)
            for q, place in zip(ids, places, strict=True)
            for rank in range(1, 6)
        ]
        return Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))

    places = [9 if i % 10 == 0 else i % 5 + 1 for i in range(n)]
    queries = {
        "query_id": ids,
        "text": [f"{'Abc'[i % 3]} text {i}" for i in range(n)],
        "difficulty": ["" if i % 7 == 0 else ("hard", "easy", "medium")[i % 3] for i in range(n)],
    }
    return Study(
        [listed("a", places), listed("b", [1] * n)],
        Qrels.from_columns(ids, [f"{q}-d" for q in ids], [1] * n),
        Queries.from_columns(queries),
    )


STUDY = study()


def comparison(of: Study = STUDY, **asked: str) -> Comparison:
    values = {"run": "a", "base": "b", "m": "RR"} | asked
    return of.view(Address.create(**values)).comparison


def listed(order: str = "", show: str = "", search: str = "") -> QueryList:
    return query_list(STUDY, comparison(), QueryListRequest(show, search, order))


def test_the_worst_stands_first_and_among_the_better_ones_the_best() -> None:
    assert listed().order == "difference"
    gaps = listed().rows["difference"]
    assert gaps.is_monotonic_increasing and gaps.iloc[0] == -1
    other = query_list(STUDY, comparison(run="b", base="a"), QueryListRequest("better"))
    assert other.order == "-difference"
    assert other.rows["difference"].is_monotonic_decreasing and len(other.rows) == 225
    alone = query_list(STUDY, comparison(run="a", base="a"), QueryListRequest())
    assert alone.order == "score:a" and alone.rows["score"].is_monotonic_increasing
    assert "difference" not in [column.key for column in alone.columns]


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("key", "source"),
    [("difference", "difference"), ("score:a", "run: a"), ("score:b", "run: b")],
)
def test_every_number_sorts_both_ways(key: str, source: str, sign: str) -> None:
    found = listed(f"{sign}{key}")
    values = found.rows[source]
    assert values.is_monotonic_decreasing if sign else values.is_monotonic_increasing
    assert sorted(found.rows["query_id"]) == IDS
    # Level rows stay in the order of the queries, so that pages neither repeat nor lose one.
    for _, rows in found.rows.groupby(source):
        assert rows["query_id"].is_monotonic_increasing


def test_texts_sort_whatever_their_case_and_groups_in_a_readers_order() -> None:
    texts = [text.casefold() for text in listed("text").rows["text"]]
    assert texts == sorted(texts)
    groups = list(dict.fromkeys(listed("by:difficulty").rows["by: difficulty"]))
    assert groups[:3] == ["easy", "medium", "hard"] and len(groups) == 4
    turned = list(dict.fromkeys(listed("-by:difficulty").rows["by: difficulty"]))
    assert turned == groups[::-1]


def test_undefined_scores_stand_last_whichever_way() -> None:
    of = study(12)
    view = comparison(of)
    frame = query_list(of, view, QueryListRequest()).frame
    frame.loc[frame.index[:3], ["run: a", "difference"]] = float("nan")
    for order in ("score:a", "-score:a", "difference", "-difference"):
        found = query_list(of, view, QueryListRequest(order=order))
        assert list(found.rows["query_id"].tail(3)) == IDS[:3], order
        assert found.paired == 9 and not found.has_outcomes


@pytest.mark.parametrize("order", ["bogus", "-", "score:nobody", "by:nothing", "--difference"])
def test_an_order_that_is_none_is_the_usual_one(order: str) -> None:
    assert listed(order).order == "difference"


def test_a_head_sorts_from_the_least_then_the_other_way_round() -> None:
    assert listed("score:a").format_order_for_address("-score:a") == "-score:a"
    assert listed("-difference").format_order_for_address("difference") == "", (
        "the usual order needs no word"
    )


def test_pages_hold_a_hundred_rows_and_each_query_once() -> None:
    found = listed("score:a")
    pages = [found.select_page(str(n)) for n in (1, 2, 3)]
    assert [len(page.frame) for page in pages] == [PAGE_ROWS, PAGE_ROWS, 50]
    assert [page.start for page in pages] == [0, 100, 200]
    assert [q for page in pages for q in page.frame["query_id"]] == list(found.rows["query_id"])
    assert [found.select_page(n).number for n in ("", "x", "0", "²", "7", "99999999999")] == [
        1,
        1,
        1,
        1,
        3,
        3,
    ]
    nothing = listed(search="no such text")
    assert (nothing.select_page("2").pages, len(nothing.select_page("2").frame)) == (1, 0)


def test_the_download_has_the_order_of_the_table() -> None:
    table = listed("-score:a", search="text 1").download_table
    assert list(table.columns) == [
        "query_id",
        "query",
        "difference",
        "a",
        "b",
        "unjudged",
        "difficulty",
    ]
    assert table["a"].is_monotonic_decreasing and len(table) == 111


def test_a_column_of_numbers_shows_them_sorts_by_them_and_is_downloaded_with_them() -> None:
    ids = IDS[:40]
    made = study(40)
    lengths = ["", *(str(4 + 26 * (i % 20)) for i in range(1, 39)), "4.50"]
    queries = Queries.from_columns({"query_id": ids, "text": ids, "length": lengths})
    numbered = Study(list(made.runs.values()), made.qrels, queries)
    found = query_list(numbered, comparison(numbered), QueryListRequest(order="by:length"))
    whole = [float(length or "nan") for length in lengths]
    expected = sorted(whole[1:])
    assert expected[:3] == [4.0, 4.5, 30.0]
    assert (
        found.rows["by: length"].tolist()[:-1]
        == found.download_table["length"].tolist()[:-1]
        == expected
    )
    assert found.rows["query_id"].iloc[-1] == ids[0]
    meta = dict(zip(found.frame["query_id"], found.frame["meta"], strict=True))
    assert [meta[q] for q in (ids[0], ids[1], ids[39])] == ["", "length 30", "length 4.5"]
    by_group = query_strips(numbered, comparison(numbered), "length")
    assert by_group.groups[0] == "under 160"


def test_previous_and_next_follow_the_list_in_its_order() -> None:
    asked = QueryListRequest("worse", "abc"[0], "-text")
    ids = list(query_list(STUDY, comparison(), asked).rows["query_id"])
    page = query_page(STUDY, comparison(), ids[4], asked)
    assert (page.previous, page.following) == (ids[3], ids[5])
    assert (page.position, page.listed) == (4, len(ids))
    first = query_page(STUDY, comparison(), "", asked)
    assert first.diagnosis.query_id == ids[0] and first.previous is None
    assert query_page(STUDY, comparison(), ids[-1], asked).following is None
    other = next(q for q in IDS if q not in ids)
    assert query_page(STUDY, comparison(), other, asked).position is None


@pytest.mark.parametrize("show", ["", "all", "better", "zero", "no list"])
@pytest.mark.parametrize("order", ["", "-difference", "text", "query_id", "kind:failure", "none"])
def test_the_ids_of_a_list_are_those_of_its_rows(show: str, order: str) -> None:
    shown = comparison()
    for asked in (
        QueryListRequest(show=show, order=order),
        QueryListRequest(show=show, order=order, search="1"),
        QueryListRequest(show=show, order=order, line="difference > 0"),
    ):
        rows = query_list(STUDY, shown, asked).rows["query_id"]
        assert query_ids_of_list(STUDY, shown, asked) == list(rows)


def test_ten_paired_queries_are_enough_to_tell() -> None:
    for n, enough in ((9, False), (10, True)):
        of = study(n)
        assert query_list(of, comparison(of), QueryListRequest()).has_outcomes is enough


def test_unjudged_counts_the_documents_of_both_lists_once() -> None:
    of = study(12)
    told = query_list(of, comparison(of), QueryListRequest(order="query_id")).rows["n: unjudged"]
    # Of five ranks each: both lists hold the same documents but for the rank of the relevant one.
    lists = {name: of.runs[name].table.to_pandas() for name in ("a", "b")}
    for query_id, number in zip(IDS, told, strict=False):
        seen = {d for t in lists.values() for d in t[t["query_id"] == query_id]["doc_id"]}
        assert number == len(seen - {f"{query_id}-d"}), query_id
