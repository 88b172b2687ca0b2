"""Odd and bad input, row by row: each gives an error with its place, a note, or the exact table.

E: FileFormatError with file, physical line, found, expected and a hint. N: a note with a count.
A: the table, exactly. Rows about judging, measures and pages are tested beside those.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.base.notes import Note
from metrics_core.formats import Loaded, read, read_qrels, read_run, spreadsheet_csv
from metrics_core.formats.source import limits
from metrics_core.formats.writing import table_bytes
from metrics_core.tables import Documents, Qrels, Queries, Run

GOOD = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n"


def load(content: str | bytes, name: str = "x.run", **choices: Any) -> Loaded:
    data = content.encode() if isinstance(content, str) else content
    return read(data, name=name, **choices)


def rows(loaded: Loaded) -> list[tuple[Any, ...]]:
    table = loaded.table
    if isinstance(table, Queries):
        return list(table.frame.itertuples(index=False, name=None))
    return [tuple(row.values()) for row in table.table.to_pylist()]


def refusal(content: str | bytes, name: str = "x.run", **choices: Any) -> FileFormatError:
    with pytest.raises(FileFormatError) as caught:
        load(content, name, **choices)
    error = caught.value
    assert error.file == name
    assert str(error).startswith(name)
    assert error.problems[0].found and error.problems[0].expected
    return error


def place(error: FileFormatError) -> tuple[int | None, str, str]:
    first = error.problems[0]
    return first.line, first.expected, first.found


def note(loaded: Loaded, kind: str) -> Note:
    found = [n for n in loaded.notes if n.kind == kind]
    assert len(found) == 1, loaded.notes
    return found[0]


# Columns


def test_run_line_of_five_columns() -> None:
    error = refusal(GOOD + "q1 Q0 d3 3 tag\n" + GOOD.replace("q1", "q2"))
    assert place(error) == (3, "6 columns", "5")
    assert error.problems[0].text == "q1 Q0 d3 3 tag"
    assert "query_id Q0 doc_id rank score run_name" in error.hint


@pytest.mark.parametrize("line", ["q1 d3 1", "q1 0 d3 1 extra"])
def test_qrels_line_of_three_or_five_columns(line: str) -> None:
    error = refusal(f"q1 0 d1 1\nq1 0 d2 0\n{line}\n", "qrels.txt")
    assert place(error) == (3, "4 columns", str(len(line.split())))
    assert "query_id 0 doc_id relevance" in error.hint


def test_qrels_of_five_columns_throughout() -> None:
    error = refusal("q1 0 d3 1 extra\n" * 2, "qrels.txt")
    assert place(error) == (1, "4 columns", "5")
    assert error.count == 2


def test_run_line_of_more_columns_has_a_run_name_with_blanks() -> None:
    loaded = load(GOOD + "q1 Q0 d3 3 1 my best run\n")
    assert rows(loaded)[2] == ("q1", "d3", 1.0)
    assert note(loaded, "long_lines").count == 1


def test_blank_in_an_id_is_not_taken_for_a_longer_run_name() -> None:
    error = refusal(GOOD + "q1 Q0 my doc 3 1.5 tag\n")
    assert place(error) == (3, "6 columns", "7")
    assert "blank" in error.hint


def test_many_problems_are_counted_and_the_first_hundred_kept() -> None:
    error = refusal(GOOD + "q1 Q0 d3\n" * 250)
    assert error.count == 250
    assert len(error.problems) == 100
    assert "250 problems in total" in str(error)


# Scores


@pytest.mark.parametrize("score", ["NaN", "nan", "inf", "-inf", "+Infinity", "1e400", "-1e999"])
def test_score_that_is_not_finite(score: str) -> None:
    error = refusal(GOOD + f"q1 Q0 d3 3 {score} tag\n")
    assert place(error) == (3, "a finite number as the score", f"`{score}`")


@pytest.mark.parametrize(
    ("score", "cause"),
    [
        ("0,9", "decimal comma; write 0.9"),
        ("1_000", "thousands"),
        ("1,000.5", "thousands"),
        ("٣", "digits other than 0 to 9"),
        ("0x10", "hexadecimal"),
        ("85%", "percentage"),
        ("1e400", "too large for double precision"),
        ("abc", ""),
        (".", ""),
        ("1e", ""),
        ("+-1", ""),
    ],
)
@pytest.mark.parametrize("separator", [" ", "\t"])
def test_score_that_is_no_number(score: str, cause: str, separator: str) -> None:
    text = (GOOD + f"q1 Q0 d3 3 {score} tag\n").replace(" ", separator)
    error = refusal(text)
    assert place(error) == (3, "a finite number as the score", f"`{score}`")
    assert cause in error.hint


@pytest.mark.parametrize("score", ["+1.5", "1.5e0", "15E-1", "1.50", "0001.5"])
def test_ways_to_write_a_number(score: str) -> None:
    assert rows(load(f"q1 Q0 d1 1 {score} tag\n")) == [("q1", "d1", 1.5)]


def test_score_problems_in_csv_have_their_line() -> None:
    error = refusal('query_id,doc_id,score\nq1,d1,1\nq1,"d2",0x10\n', "x.csv")
    assert place(error) == (3, "a finite number as the score", "`0x10`")
    assert "hexadecimal" in error.hint


# Twice


def test_document_twice_in_a_query_of_a_run() -> None:
    text = GOOD + "q2 Q0 d1 1 1 tag\nq1 Q0 d1 3 9.5 tag\n"
    error = refusal(text)
    assert error.problems[0].line == 4
    assert "document d1 of query q1" in error.problems[0].found
    assert error.offer == "duplicates=best"
    best = load(text, duplicates="best")
    assert rows(best) == [("q1", "d2", 1.5), ("q2", "d1", 1.0), ("q1", "d1", 9.5)]
    assert note(best, "duplicates").count == 1
    assert rows(load(text, duplicates="first"))[0] == ("q1", "d1", 2.5)


def test_judged_twice_with_different_grades() -> None:
    error = refusal("q1 0 d1 1\nq1 0 d2 0\n\nq1 0 d1 2\n", "qrels.txt")
    assert error.problems[0].line == 4
    assert "has grade 2, but an earlier row has grade 1" in error.problems[0].found


def test_judged_twice_under_two_subtopics() -> None:
    loaded = load("q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 2\n", "qrels.txt")
    assert rows(loaded) == [("q1", "d1", 1), ("q1", "d2", 2)]
    assert "2 subtopics per query" in note(loaded, "subtopics").message
    assert "highest grade" in note(loaded, "subtopics").message
    assert isinstance(loaded.table, Qrels) and loaded.table.subtopics is not None
    given = loaded.table.subtopics.select(["subtopic", "doc_id", "relevance"])
    assert [tuple(row.values()) for row in given.to_pylist()] == [
        ("1", "d1", 1),
        ("2", "d1", 0),
        ("2", "d2", 2),
    ]


def test_judged_twice_under_one_subtopic_with_different_grades() -> None:
    error = refusal("q1 1 d1 1\nq1 2 d1 0\nq1 1 d1 2\n", "qrels.txt")
    assert error.problems[0].line == 3
    assert "has grade 2, but an earlier row has grade 1" in error.problems[0].found


def test_a_second_column_that_nobody_uses() -> None:
    for text in ("q1 Q0 d1 1\nq1 Q0 d2 0\n", "q1 1 d1 1\nq2 2 d1 0\n"):
        loaded = load(text, "qrels.txt")
        assert isinstance(loaded.table, Qrels) and loaded.table.subtopics is None
        assert not loaded.notes


def test_a_second_column_of_rounds_is_kept() -> None:
    text = "q1 0.5 d1 1\nq1 1 d2 0\n"
    loaded = load(text, "qrels.txt")
    assert "no document has grades for two" in note(loaded, "subtopics").message
    assert table_bytes(loaded.table, "trec").decode() == text


@pytest.mark.parametrize("format", ["trec", "csv", "tsv", "jsonl", "parquet"])
def test_subtopics_are_written_and_read_back(format: str) -> None:
    table = load("q1 1 d1 1\nq1 2 d1 0\nq2 a d2 2\nq2 b d2 2\n", "qrels.txt").table
    again = load(table_bytes(table, format), f"qrels.{format}", kind="qrels").table
    assert isinstance(table, Qrels) and isinstance(again, Qrels) and again.subtopics is not None
    assert table.subtopics is not None
    assert again.subtopics.to_pylist() == table.subtopics.to_pylist()
    assert again.table.to_pylist() == table.table.to_pylist()
    with pytest.raises(RanklensError, match="one per subtopic"):
        table_bytes(table, "json")


def test_judged_twice_with_the_same_grade() -> None:
    loaded = load("q1 0 d1 1\nq1 0 d1 1\n", "qrels.txt")
    assert rows(loaded) == [("q1", "d1", 1)]
    assert note(loaded, "duplicates").count == 1


# Lines


def test_line_ends_comments_and_blank_lines() -> None:
    expected = [("q1", "d1", 2.5), ("q1", "d2", 1.5)]
    for text in (GOOD.replace("\n", "\r\n"), GOOD.replace("\n", "\r"), GOOD.rstrip("\n")):
        loaded = load(text)
        assert rows(loaded) == expected
        assert loaded.notes == ()
    loaded = load("# by hand\n\n" + GOOD.replace("\n", "\n  \n# x\n"))
    assert rows(loaded) == expected
    assert (note(loaded, "comment").count, note(loaded, "blank").count) == (3, 3)
    assert note(loaded, "comment").examples == ("# by hand",)


def test_lines_are_physical_lines() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = f"# note{end}{end}" + (GOOD + "q1 Q0 d3 3 abc tag\n").replace("\n", end)
        assert refusal(text).problems[0].line == 5


def test_last_line_cut_off() -> None:
    error = refusal(GOOD + "q1 Q0 d3")
    assert place(error) == (3, "6 columns", "3")
    assert "truncated" in error.hint
    assert "truncated" not in refusal(GOOD + "q1 Q0 d3\n").hint


def test_interleaved_queries() -> None:
    loaded = load("q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 b 2 2 t\n")
    assert rows(loaded) == [("q1", "a", 3), ("q2", "a", 3), ("q1", "b", 2), ("q2", "b", 2)]
    assert loaded.notes == ()


@pytest.mark.parametrize("name", ["empty.run", "qrels.txt", "x.csv", "x.json", "x.jsonl"])
@pytest.mark.parametrize("content", ["", "\n", " \n\t\n"])
def test_empty_file(name: str, content: str) -> None:
    assert "empty" in str(refusal(content, name))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("query_id Q0 doc_id rank score tag\n", "x.run"),
        ("query_id iteration doc_id relevance\n", "qrels.txt"),
        ("query_id,doc_id,score\n", "x.csv"),
        ("query_id\tdoc_id\tgrade\n", "x.tsv"),
        ("{}", "x.json"),
        ("[]", "x.json"),
        ('{"q1": {}}', "x.json"),
    ],
)
def test_header_only(content: str, name: str) -> None:
    refusal(content, name)


@pytest.mark.parametrize(
    ("header", "body", "name"),
    [
        ("query_id Q0 doc_id rank score run_name\n", GOOD, "x.run"),
        ("qid iter docno rel\n", "q1 0 d1 1\n", "qrels.txt"),
    ],
)
def test_header_in_a_trec_file(header: str, body: str, name: str) -> None:
    loaded = load(header + body, name)
    assert rows(loaded) == rows(load(body, name))
    assert note(loaded, "header").examples == (header.strip(),)


def test_run_and_qrels_swapped() -> None:
    with pytest.raises(FileFormatError, match="swapped") as caught:
        read_qrels(GOOD.encode(), name="qrels.txt")
    assert caught.value.offer == "kind=run"
    assert "looks like a run" in caught.value.hint
    with pytest.raises(FileFormatError, match="swapped") as caught:
        read_run(b"q1 0 d1 1\nq1 0 d2 0\n", name="bm25.run")
    assert caught.value.offer == "kind=qrels"


# Characters


def test_byte_order_mark_is_stripped() -> None:
    assert rows(load("\ufeff" + GOOD)) == rows(load(GOOD))
    assert rows(load("\ufeffquery_id,doc_id,score\nq1,d1,1\n", "x.csv")) == [("q1", "d1", 1.0)]
    assert rows(load('\ufeff{"q1": {"d1": 1.5}}', "x.json")) == [("q1", "d1", 1.5)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le", "utf-32"])
def test_utf_16_with_byte_order_mark(encoding: str) -> None:
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    assert rows(load((mark + GOOD).encode(encoding))) == rows(load(GOOD))


def test_utf_16_without_byte_order_mark() -> None:
    assert "NUL" in str(refusal(GOOD.encode("utf-16-le")))


def test_latin_1() -> None:
    content = (GOOD + "q1 Q0 café 3 1 tag\n").encode("latin-1")
    error = refusal(content)
    first = error.problems[0]
    assert (first.line, first.expected) == (3, "UTF-8 text")
    assert f"byte {content.index(0xE9)}" in first.found
    assert error.offer == "encoding=latin-1"
    assert rows(load(content, encoding="latin-1"))[2] == ("q1", "café", 1.0)


def test_unknown_encoding() -> None:
    assert "`klingon`" in str(refusal(GOOD, encoding="klingon"))


def test_nul_byte() -> None:
    error = refusal(GOOD + "q1 Q0 d\0 3 1 tag\n")
    assert error.problems[0].line == 3
    assert "NUL byte at byte" in error.problems[0].found


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\xa0", "\x0b", "\x0c", "\x85", "\x1c"])
def test_columns_split_on_blanks_and_tabs_only(odd: str) -> None:
    assert rows(load(f"q1 Q0 d{odd}1 1 2 tag\n")) == [("q1", f"d{odd}1", 2.0)]
    assert rows(load(f"query_id,doc_id,score\nq1,d{odd}1,2\n", "x.csv")) == [
        ("q1", f"d{odd}1", 2.0)
    ]


@pytest.mark.parametrize(
    "id_",
    [
        "\u202eabc",
        "<b>x</b>",
        "<script>alert(1)</script>",
        "'; --",
        "=1+1",
        "ﬁ",
        "e\u0301",
        "\u200bx",
    ],
)
def test_ids_are_kept_as_bytes(id_: str) -> None:
    bare = id_.replace(" ", "")
    assert rows(load(f"q1 Q0 {bare} 1 2 tag\n"))[0][1] == bare
    assert rows(load(json.dumps({"q1": {id_: 1.5}}), "x.json"))[0][1] == id_


IDS = ["001", "1e5", "True", "NA", "null", "None", "nan", "-0", "1.0", "9007199254740993"]


@pytest.mark.parametrize("id_", IDS)
def test_ids_that_look_like_values_stay_text(id_: str) -> None:
    expected = [(id_, id_, 2.0)]
    assert rows(load(f"{id_} Q0 {id_} 1 2 tag\n")) == expected
    assert rows(load(f"query_id,doc_id,score\n{id_},{id_},2\n", "x.csv")) == expected
    assert rows(load(f'query_id,doc_id,score\n"{id_}",{id_},2\n', "x.csv")) == expected
    assert (
        rows(load(f"query_id\tdoc_id\tscore\n{id_}\t{id_}\t2\n", "x.tsv", kind="run")) == expected
    )
    assert rows(load(json.dumps({id_: {id_: 2.5}}), "x.json")) == [(id_, id_, 2.5)]
    record = json.dumps({"query_id": id_, "doc_id": id_, "score": 2.0})
    assert rows(load(record + "\n", "x.jsonl")) == expected


def test_ids_that_are_json_numbers_keep_their_digits() -> None:
    big = "123456789012345678901234567890"
    assert rows(load(f'{{"qid": 7, "docid": {big}, "score": 2}}\n', "x.jsonl")) == [("7", big, 2.0)]


def parquet(**columns: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def test_ids_that_are_parquet_numbers_become_their_digits() -> None:
    data = parquet(query_id=[1, 2], doc_id=[2**53 + 1, 7], score=[1, 2])
    assert rows(load(data, "x.parquet")) == [
        ("1", "9007199254740993", 1.0),
        ("2", "7", 2.0),
    ]
    loaded = load(parquet(query_id=[1.0], doc_id=["d"], score=[1.5]), "x.parquet")
    assert rows(loaded) == [("1", "d", 1.5)]
    assert note(loaded, "columns").count == 1
    error = refusal(parquet(query_id=[1.5], doc_id=["d"], score=[1.5]), "x.parquet")
    assert "`1.5`" in error.problems[0].found


# Quotes and separated columns


def test_no_quoting_in_trec() -> None:
    loaded = load('q1 Q0 "d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq1 Q0 d3" 3 1 tag\n')
    assert [row[1] for row in rows(loaded)] == ['"d1', "d2", 'd3"']


def test_unbalanced_quote_in_tsv_folds_no_lines() -> None:
    loaded = load('query_id\ttext\nq1\t"open\nq2\tb\nq3\tclose"\n', "queries.tsv")
    assert rows(loaded) == [("q1", '"open'), ("q2", "b"), ("q3", 'close"')]


def test_unbalanced_quote_in_csv() -> None:
    error = refusal('query_id,text\nq1,"open\nq2,b\n', "queries.csv")
    assert error.problems[0].line == 2
    error = refusal('query_id,doc_id,score\nq1,"d1,1\nq1,d2",2\nq1,d3,3\n', "x.csv")
    assert error.problems[0].line == 2
    assert "quote" in error.hint


def test_line_numbers_after_a_quoted_line_break() -> None:
    error = refusal('query_id,text\nq1,"a\nb"\nq2,c,d\n', "queries.csv")
    assert place(error) == (4, "2 columns", "3")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_extra_column_short_row(separator: str) -> None:
    text = "query_id,doc_id,score\nq1,d1,1,9\nq1,d2,2,9\nq1,d3\n".replace(",", separator)
    error = refusal(text, "x.csv")
    assert [(p.line, p.found) for p in error.problems] == [(2, "4"), (3, "4"), (4, "2")]
    assert error.problems[0].expected == "3 columns"


def test_header_names_a_column_twice() -> None:
    error = refusal("query_id,doc_id,score,score\nq1,d1,1,2\n", "x.csv")
    assert place(error) == (1, "each column name once", "`score` more than once")


def test_header_without_a_needed_column() -> None:
    error = refusal("query_id,doc_id,colour\nq1,d1,red\n", "x.csv", kind="run")
    assert error.problems[0].line == 1
    assert "score" in error.problems[0].found


# Grades


def test_negative_grades() -> None:
    loaded = load("q1 0 d1 -2\nq1 0 d2 1\n", "qrels.txt")
    assert rows(loaded) == [("q1", "d1", -2), ("q1", "d2", 1)]
    assert note(loaded, "negative").count == 1


def test_real_grades() -> None:
    error = refusal("q1 0 d1 1\nq1 0 d2 0.5\n", "qrels.txt")
    assert place(error) == (2, "a whole number as the grade", "`0.5`")
    assert error.offer == "grades=real"
    loaded = load("q1 0 d1 1\nq1 0 d2 0.5\n", "qrels.txt", grades="real")
    assert rows(loaded) == [("q1", "d1", 1.0), ("q1", "d2", 0.5)]


@pytest.mark.parametrize("grade", [2.0**53, 2.0**63, 1e30, -1e30])
def test_whole_gains_of_any_size(grade: float) -> None:
    loaded = load(f"q1 0 d1 {grade!r}\nq1 0 d2 1\n", "qrels.txt", grades="real")
    assert rows(loaded) == [("q1", "d1", grade), ("q1", "d2", 1)]


def test_words_as_grades() -> None:
    text = "q1 0 d1 relevant\nq1 0 d2 no\n"
    error = refusal(text, "qrels.txt")
    assert place(error) == (1, "a whole number as the grade", "`relevant`")
    assert "To read words as grades" in error.hint
    assert error.offer.startswith("grades=")
    loaded = load(text, "qrels.txt", grades={"relevant": 2, "no": 0})
    assert rows(loaded) == [("q1", "d1", 2), ("q1", "d2", 0)]


@pytest.mark.parametrize("grade", [[2], "high", None, 10**400, float("nan"), float("inf")])
def test_words_are_worth_finite_numbers(grade: Any) -> None:
    said = r"grades maps 'relevant' to .*, which is not a finite number"
    with pytest.raises(RanklensError, match=said):
        read_qrels(b"q1 0 d1 relevant\n", grades={"relevant": grade})


@pytest.mark.parametrize("grade", ["128", "-128", "99999999999999999999", "1e300"])
def test_grade_out_of_range(grade: str) -> None:
    error = refusal(f"q1 0 d1 1\nq1 0 d2 {grade}\n", "qrels.txt")
    assert place(error) == (2, "a grade between -127 and 127", f"`{grade}`")


@pytest.mark.parametrize("grade", ["nan", "inf", "0x1", "1_0", "٣"])
def test_grade_that_is_no_number(grade: str) -> None:
    error = refusal(f"q1 0 d1 1\nq1 0 d2 {grade}\n", "qrels.txt")
    assert place(error) == (2, "a whole number as the grade", f"`{grade}`")


def test_rank_contradicts_score() -> None:
    loaded = load("q1 Q0 d1 1 1 t\nq1 Q0 d2 2 5 t\nq2 Q0 d1 1 5 t\nq2 Q0 d2 2 1 t\n")
    assert note(loaded, "rank").count == 1
    assert note(loaded, "rank").examples == ("query q1",)


# JSON


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ('{"q1": {"d1": 1.5,\n"d2": NaN}}', 2, "`NaN`"),
        ('{"q1": {"d1": 1.5,\n"d2": -Infinity}}', 2, "`-Infinity`"),
        ('{"q1": {"d1": 1.5,\n"d1": 2.5}}', 2, "the key `d1` twice in one object"),
        ('{"q1": {"d1": 1.5},\n\n"q1": {"d2": 2.5}}', 3, "the key `q1` twice in one object"),
        ('{"q1": {"d1":\n' + "1" * 5000 + "}}", 2, "a number of 5,000 characters"),
        ('{"q1": {"d1": 1.5,\n"d\\ud800": 2}}', 2, "half a character (\\ud800)"),
        ('{"q1": {"d1": 1.5,\n"d2": 1e400}}', 2, "`1e400`"),
        ('{"q1": {"d1": 1.5,\n"d2": "high"}}', 2, '`"high"`'),
        ('{"q1": {"d1": 1.5,\n"d2": null}}', 2, "`null`"),
        ('{"q1": {"d1": 1.5,\n"d2": true}}', 2, "`true`"),
        ("[" * 100_000, None, "values nested too deeply"),
        ('{"q":' * 100_000, None, "values nested too deeply"),
    ],
)
def test_json(content: str, line: int | None, found: str) -> None:
    first = refusal(content, "x.json").problems[0]
    assert (first.line, first.found) == (line, found)


def test_json_cut_off() -> None:
    error = refusal('{"q1": {"d1": 1.5,\n"d2"', "x.json")
    assert error.problems[0].line == 2
    assert "truncated" in error.hint


def test_json_lines_have_their_line() -> None:
    good = '{"query_id": "q1", "doc_id": "d1", "score": 1.5}\n'
    for bad, found in [
        ('{"query_id": "q1", "doc_id": "d2", "score": NaN}', "`NaN`"),
        ('{"query_id": "q1", "doc_id": "d2"}', "nothing"),
        ('{"query_id": "q1", "doc_id": "d2", "score": "0,9"}', "`0,9`"),
        ('{"query_id": "q1", "doc_id": "d\\ud800", "score": 1}', "half a character (\\ud800)"),
    ]:
        first = refusal(good + "\n" + bad + "\n", "x.jsonl").problems[0]
        assert (first.line, first.found) == (3, found)


# Parquet


def test_parquet_nested_columns() -> None:
    data = parquet(query_id=["q1"], doc_id=[["d1", "d2"]], score=[1.0])
    assert "lists or structs in `doc_id`" in str(refusal(data, "x.parquet"))
    hits = parquet(query_id=["q1"], hits=[[{"docid": "d1", "score": [1.5]}]])
    assert "expected a finite number as the score, found a list" in str(refusal(hits, "x.parquet"))


def test_parquet_duplicate_columns() -> None:
    buffer = io.BytesIO()
    table = pa.table([["q1"], ["d1"], [1.0], [2.0]], ["query_id", "doc_id", "score", "score"])
    pq.write_table(table, buffer)
    assert "`score` more than once" in str(refusal(buffer.getvalue(), "x.parquet"))


@pytest.mark.parametrize("keep", [5, 40, -1, -9])
def test_parquet_truncated(keep: int) -> None:
    data = parquet(query_id=["q1"], doc_id=["d1"], score=[1.0])
    assert "Parquet" in str(refusal(data[:keep], "x.parquet"))


def test_parquet_bomb() -> None:
    zeros = pa.array([0], pa.int8()).take(pa.array(np.zeros(3_000_000, np.int32)))
    data = parquet(query_id=zeros, doc_id=zeros, score=zeros)
    assert len(data) < 60_000
    assert "3,000,000 rows" in str(refusal(data, "x.parquet"))


# Packed files


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


BOMB = GOOD.encode() + (b"#" * 9_999 + b"\n") * 400


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    "lz4": lambda data: pa.Codec("lz4").compress(data, asbytes=True),
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


@pytest.mark.parametrize("packing", PACKED)
def test_packed_files(packing: str, tmp_path: Path) -> None:
    run = "".join(f"q1 Q0 d{i} 1 {i} t\n" for i in range(5000)).encode()
    path = tmp_path / f"bm25.run.{packing}"
    path.write_bytes(PACKED[packing](run))
    for source in (path, str(path), path.read_bytes()):
        table = read_run(source, name="bm25.run." + packing)
        assert (table.name, len(table)) == ("bm25", 5000)
    cut = path.read_bytes()[:-20]
    assert "damaged or truncated" in str(refusal(cut, path.name))
    frame = io.BytesIO()
    pq.write_table(pa.table({"qid": ["q"], "docno": ["d"], "score": [1.0]}), frame)
    assert len(read_run(PACKED[packing](frame.getvalue()), name="x.parquet")) == 1


def test_a_text_may_begin_as_a_packing_does() -> None:
    assert read_run(b"BZh9 Q0 d1 1 2 t\n").query_ids == ["BZh9"]


@pytest.mark.parametrize("packing", ["gz", "zst", "zip"])
def test_bomb(packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATIO_FROM", 1 << 20)
    data = {
        "gz": gzip.compress(BOMB),
        "zst": pa.Codec("zstd").compress(BOMB, asbytes=True),
        "zip": zipped(**{"x.run": BOMB.decode()}),
    }[packing]
    assert "a compressed file that unpacks to" in str(refusal(data, f"x.run.{packing}"))


@pytest.mark.parametrize("cut", [20, -1, -4])
def test_packed_file_cut_off(cut: int) -> None:
    assert "damaged or truncated" in str(refusal(gzip.compress(GOOD.encode())[:cut], "x.run.gz"))


def test_zip_with_several_members() -> None:
    error = refusal(zipped(**{"a.run": GOOD, "b.run": GOOD}), "runs.zip")
    assert "2 files: `a.run`, `b.run`" in error.problems[0].found


def test_zip_with_a_path_that_leads_out() -> None:
    error = refusal(zipped(**{"../../a.run": GOOD}), "runs.zip")
    assert "points outside the archive" in error.problems[0].found


def test_office_document() -> None:
    data = zipped(**{"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"})
    assert "CSV" in refusal(data, "results.xlsx").hint


# Too large


@pytest.mark.parametrize("separator", [",", "\t", " ", ";"])
def test_very_many_columns(separator: str) -> None:
    error = refusal(separator.join(f"c{i}" for i in range(200_000)) + "\n1\n", "x.csv")
    assert error.problems[0].expected == "at most 4,096 columns"


@pytest.mark.parametrize("name", ["x.run", "x.csv", "x.jsonl"])
def test_very_long_line(name: str) -> None:
    start = {"x.run": GOOD, "x.csv": "query_id,doc_id,score\nq1,d1,1\n"}.get(
        name, '{"query_id": "q", "doc_id": "d", "score": 1}\n{"query_id": "q1", "doc_id": "'
    )
    error = refusal(start + "x" * 11_000_000 + "\n", name)
    assert error.problems[0].expected == "lines of at most 10 MB"
    assert error.problems[0].line == start.count("\n") + 1


# Queries and names


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("query_id,text,category\nq1,a,x\nq2,b,x\nq1,a,y\n", "queries.csv"),
        ('{"_id": "q1", "text": "a"}\n\n{"_id": "q1", "text": "b"}\n', "queries.jsonl"),
    ],
)
def test_query_metadata_twice(content: str, name: str) -> None:
    error = refusal(content, name)
    assert error.problems[0].found == "query q1 a second time"
    assert error.problems[0].line == content.count("\n")


def test_document_texts_twice() -> None:
    error = refusal("doc_id\ttitle\ttext\nd1\ta\tb\nd1\ta\tb\n", "corpus.tsv")
    assert (error.problems[0].line, error.problems[0].found) == (3, "document d1 a second time")


def test_file_name_is_shown_and_never_used() -> None:
    loaded = load(GOOD, "../../etc/x.run")
    assert loaded.file == "../../etc/x.run"
    assert isinstance(loaded.table, Run)
    assert loaded.table.name == "x"


def test_markup_in_texts_is_kept() -> None:
    text = "query_id,text\nq1,<script>alert('x')</script> \u202eabc\n"
    assert rows(load(text, "queries.csv")) == [("q1", "<script>alert('x')</script> \u202eabc")]


def test_spreadsheet_export_runs_no_formula() -> None:
    loaded = load("query_id,text\n=1+1,+2\n@x,-3\nplain,a=b\n", "queries.csv")
    assert isinstance(loaded.table, Queries)
    frame = loaded.table.frame.assign(score=[-1.5, 2.0, 3.0])
    frame["\tname"] = ["\tx", "\ry", "z"]
    lines = spreadsheet_csv(frame).decode("utf-8-sig").split("\r\n")
    assert lines[0] == "query_id,text,score,'\tname"
    assert lines[1] == "'=1+1,'+2,-1.5,'\tx"
    assert lines[3] == "plain,a=b,3.0,z"


def test_kinds_are_what_they_say() -> None:
    kinds = {
        GOOD: Run,
        "q1 0 d1 1\n": Qrels,
        "query_id,text\nq1,a\n": Queries,
        "doc_id,title,text\nd1,a,b\n": Documents,
    }
    for content, kind in kinds.items():
        assert isinstance(load(content, "x").table, kind)


def test_a_grade_left_empty_is_no_judgment() -> None:
    loaded = load("query_id,doc_id,relevance\nq1,d1,2\nq1,d2,\nq2,d3,0\nq2,d4, \n", "next.csv")
    assert rows(loaded) == [("q1", "d1", 2), ("q2", "d3", 0)]
    told = note(loaded, "ungraded")
    assert told.count == 2 and told.loud and "excluded" in told.message


def test_lines_are_counted_with_the_rows_left_empty() -> None:
    error = refusal("query_id,doc_id,relevance\nq1,d1,\nq1,d2,x\nq1,d3,1\n", "next.csv")
    assert place(error)[0] == 3


def test_judgments_without_any_grade_are_refused() -> None:
    error = refusal("query_id,doc_id,relevance\nq1,d1,\nq1,d2,\n", "next.csv")
    assert place(error) == (2, "a whole number as the grade", "nothing")


def test_a_packed_file_of_very_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused by what it takes to read, with the ways round that; unpacked it is read."""
    monkeypatch.setattr(limits, "VALUES_FROM", 1_000)
    record = '{"query_id": "q", "doc_id": "d%d", "score": 1}'
    for text, name in (
        ("\n".join(record % i for i in range(900)), "x.jsonl"),
        (f"[{','.join(record % i for i in range(900))}]", "x.json"),
        ("query_id,doc_id,score\n" + "".join(f'"q",d{i},1\n' for i in range(900)), "x.csv"),
    ):
        packed = lzma.compress(text.encode())
        error = refusal(packed, f"{name}.xz")
        assert "more than" in error.problems[0].found
        assert error.problems[0].expected == "at most 2 values per byte of a compressed file"
        assert "Unpack the file and use its contents, or split it." in error.hint
        assert len(read_run(text.encode(), name=name)) == 900
        assert len(read_run(packed, name=f"{name}.xz", limit="1GB")) == 900
