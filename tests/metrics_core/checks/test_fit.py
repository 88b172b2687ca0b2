"""Do the files fit together, and would odd ids match if they were cleaned?"""

from __future__ import annotations

import pytest

from metrics_core.base.errors import NoSharedQueriesError, TableError
from metrics_core.checks.fit import clean_ids, find_near_matches, fit_report
from metrics_core.judging import join_judgments
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.columns import clean_id
from tests.collections_of import qrels_of, run_of

QRELS = qrels_of({"q1": {"d1": 1}, "q2": {"d1": 1}})
WHOLE = run_of({"q1": {"d1": 2, "x": 1}, "q2": {"d1": 1}, "z": {"d1": 1}}, "bm25")
PART = run_of({"q1": {"d1": 1}}, "dense")


def report(runs: list, queries: Queries | None = None, documents: Documents | None = None) -> dict:
    judged = [join_judgments(run, QRELS) for run in runs]
    lines = fit_report(runs, judged, QRELS, queries, documents, cutoff=1)
    return {line.label: (line.value, line.remark) for line in lines}


def test_lines_without_their_table_are_left_out() -> None:
    assert list(report([PART])) == ["judged queries with results in every run"]
    assert fit_report([], [], None, None, None) == []


def test_what_each_run_lacks() -> None:
    lines = report([WHOLE, PART])
    assert lines["judged queries with results in every run"] == (
        "1 of 2",
        "dense: no results for 1 query (q2)",
    )
    assert lines["queries with results but no judgments"] == ("1", "left out: z")
    alone = report([run_of({"q1": {"d1": 1}, "q2": {"d1": 1}})])
    assert alone["judged queries with results in every run"] == ("2 of 2", "")
    assert "queries with results but no judgments" not in alone


def test_queries_against_judgments_and_runs() -> None:
    queries = Queries.from_columns({"query_id": ["q1", "q2", "q3"], "text": ["a", "b", "c"]})
    lines = report([WHOLE], queries)
    assert lines["queries with judgments"] == ("2 of 3", "without judgments: q3")
    assert lines["queries with text"] == ("2 of 3", "shown by id: z")


def test_documents_in_the_top_with_a_text() -> None:
    documents = Documents.from_columns({"doc_id": ["d1"], "text": ["a"]})
    lines = report([WHOLE], documents=documents)
    assert lines["top 1 documents with text"] == ("1 of 1", "")
    judged = [join_judgments(WHOLE, QRELS)]
    (*_, deeper) = fit_report([WHOLE], judged, QRELS, None, documents, cutoff=2)
    assert (deeper.value, deeper.remark) == ("1 of 2", "1 shown by id")


def test_many_are_counted_and_three_shown() -> None:
    qrels = qrels_of({f"q{i}": {"d": 1} for i in range(6)})
    run = run_of({"q0": {"d": 1}}, "r")
    lines = fit_report([run], [join_judgments(run, qrels)], qrels, None, None)
    assert lines[0].remark == "r: no results for 5 queries (q1, q2, q3 and 2 more)"
    runs = [run_of({"q0": {"d": 1}}, name) for name in "abcde"]
    lines = fit_report(runs, [join_judgments(run, qrels) for run in runs], qrels, None, None)
    assert lines[0].remark.startswith("a: no results") and lines[0].remark.endswith("\n2 more runs")
    assert lines[0].remark.count("no results for") == 3


@pytest.mark.parametrize(
    ("odd", "clean"),
    [
        (" a ", "a"),
        ("\xa0a\t", "a"),
        ("a\u200bb", "ab"),
        ("\ufeffa", "a"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\u00adb", "ab"),
        ("\u200b a", "a"),
        ("A b", "A b"),
        ("ﬁ", "ﬁ"),
    ],
)
def test_an_id_without_what_nobody_sees(odd: str, clean: str) -> None:
    assert clean_id(odd) == clean


@pytest.mark.parametrize("odd", [" d1", "d1\u200b", "d1\xa0", "\ufeffd1"])
@pytest.mark.parametrize("side", ["run", "judgments"])
def test_ids_that_would_match_are_noted_and_kept(odd: str, side: str) -> None:
    own, judged = (odd, "d1") if side == "run" else ("d1", odd)
    run, qrels = run_of({"q": {own: 1, "d2": 2}}), qrels_of({"q": {judged: 1, "d2": 0}})
    (note,) = find_near_matches(run, qrels)
    assert (note.kind, note.count, note.loud) == ("near_document_ids", 1, True)
    assert note.message.startswith("1 document id in the judgments would match the run after")
    assert "clean-ids" in note.message
    assert note.examples == (f"{judged!r} and {own!r}",)
    assert own in run.doc_ids.to_pylist()


def test_query_ids_and_accents_are_noted_too() -> None:
    run = run_of({"cafe\u0301": {"d1": 1}, "q": {"d1": 1}})
    qrels = qrels_of({"caf\u00e9": {"d1": 1}, "q": {"d1": 1}})
    assert [n.kind for n in find_near_matches(run, qrels)] == ["near_query_ids"]


def test_ids_that_match_or_differ_visibly_are_not_noted() -> None:
    run = run_of({"q": {"é": 2, " b": 1, "c": 0}})
    assert find_near_matches(run, qrels_of({"q": {"é": 1, "x": 1, " b": 1}})) == ()


def test_clean_ids_match() -> None:
    run = run_of({"q\u200b": {" d1": 2, "cafe\u0301": 1, "d3": 0}}, "r")
    qrels = qrels_of({"q": {"d1": 0, "caf\u00e9": 1}})
    ranks = join_judgments(clean_ids(run), clean_ids(qrels))
    assert ranks.rank.tolist() == [1, 2]
    assert clean_ids(run).name == "r"
    queries = Queries.from_columns({"query_id": [" q"], "category": ["x"]})
    assert clean_ids(queries).frame["query_id"].tolist() == ["q"]
    assert clean_ids(queries).columns == ["category"]


def test_two_ids_that_become_one_are_refused() -> None:
    with pytest.raises(TableError, match="document d1 of query q a second time"):
        clean_ids(run_of({"q": {"d1": 2, "d1\u200b": 1}}))
    with pytest.raises(TableError):
        clean_ids(Queries.from_columns({"query_id": ["q", "q "]}))


LONG = [str(1234567890123456789 + 10**12 * n) for n in range(6)]
SHORT = [f"{int(own):.5E}" for own in LONG]


@pytest.mark.parametrize("in_run", [True, False])
def test_ids_that_a_spreadsheet_shortened_are_counted(in_run: bool) -> None:
    run_ids, judged_ids = (SHORT, LONG) if in_run else (LONG, SHORT)
    run = Run.from_columns("run", list("123456"), run_ids, range(6))
    qrels = Qrels.from_columns(list("123456"), judged_ids, [1] * 6)
    (note,) = find_near_matches(run, qrels)
    where = "the run" if in_run else "the judgments"
    assert (note.kind, note.count, note.loud) == ("shortened_document_ids", 6, True)
    assert note.message.startswith(
        f"6 of 6 document ids (1 distinct) in {where} were shortened by a spreadsheet or by"
        " conversion to a float, so different ids may have become identical. Export the ids again"
        " as text"
    )
    assert note.examples == ("1.23457E+18",)


def test_query_ids_that_a_spreadsheet_shortened() -> None:
    run = Run.from_columns("run", ["1.23457e+18", "2"], ["a", "b"], [1, 2])
    (note,) = find_near_matches(run, Qrels.from_columns(["2", LONG[0]], ["a", "b"], [1, 1]))
    assert (note.kind, note.count) == ("shortened_query_ids", 1)


@pytest.mark.parametrize("ids", [LONG, ["E+18", "1.5", "1E5", "a1E+18", "0E+1", "1.2.3E+4"]])
def test_other_ids_are_not_called_shortened(ids: list[str]) -> None:
    run = Run.from_columns("run", ids, ids, range(6))
    assert find_near_matches(run, Qrels.from_columns(ids, ids, [1] * 6)) == ()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("1.23457E+18", "1.23457E+18 was shortened by a spreadsheet or by conversion to a float"),
        ("b'q1'", "b'q1' is a printed Python bytes object: read ids with 'quotes'"),
        ("q%231", "q%231 is percent-encoded: read ids with 'percent'"),
        ("q1", "Load judgments for these queries."),
    ],
)
@pytest.mark.parametrize("in_run", [True, False])
def test_what_spoilt_the_ids_of_queries_is_said(query: str, words: str, in_run: bool) -> None:
    own, judged = (query, "x") if in_run else ("x", query)
    run, qrels = run_of({own: {"d": 1.0}}), qrels_of({judged: {"d": 1}})
    with pytest.raises(NoSharedQueriesError) as caught:
        join_judgments(run, qrels)
    assert words in caught.value.hint


def test_documents_that_became_one_are_no_duplicates() -> None:
    with pytest.raises(TableError, match=r"1\.23457E\+18 was shortened"):
        Run.from_columns("run", ["1", "1"], SHORT[:2], [2, 1])
    with pytest.raises(TableError, match=r"1\.23457E\+18 was shortened"):
        Qrels.from_columns(["1", "1"], SHORT[:2], [1, 0])


def test_an_encoded_document_that_stands_twice_is_a_duplicate() -> None:
    with pytest.raises(TableError, match="duplicates=best"):
        Run.from_columns("run", ["1", "1"], ["a%23", "a%23"], [2, 1])
