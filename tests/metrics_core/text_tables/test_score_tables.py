"""Score frames as text: what people read, and what programs read back exactly."""

from __future__ import annotations

import csv as csv_module
import io
import json

import pandas as pd
import pytest

from metrics_core.text_tables.score_tables import (
    PRINTERS,
    escape_markdown_line,
    format_latex,
    format_markdown,
    format_table,
)

THIRD = 1 / 3
FRAME = pd.DataFrame(
    [
        ("bm25", "all", "AP", THIRD),
        ("bm25", "all", "NumRet", 1234.0),
        ("a_b&c", "all", "AP", 0.5),
        ("a_b&c", "all", "NumRet", 0.0),
    ],
    columns=["run", "query_id", "measure", "value"],
)
PER_QUERY = pd.DataFrame(
    [
        ("bm25", "q1", "AP", 1.0),
        ("bm25", "q2", "AP", float("nan")),
        ("bm25", "all", "AP", 0.25),
        ("new", "q1", "AP", 0.0),
        ("new", "q2", "AP", 0.0),
        ("new", "all", "AP", 0.75),
    ],
    columns=["run", "query_id", "measure", "value"],
)


def test_table_has_a_measure_a_column_and_counts_as_whole_numbers() -> None:
    assert format_table(FRAME) == (
        "run    query_id     AP  NumRet\n"
        "bm25   all       0.333   1,234\n"
        "a_b&c  all       0.500       0\n"
    )


def test_a_count_of_one_is_a_count() -> None:
    frame = pd.DataFrame([("r", "NumQ", 1.0)], columns=["run", "measure", "value"])
    assert format_table(frame) == "run  NumQ\nr       1\n"


@pytest.mark.parametrize("format", ["tsv", "csv"])
def test_separated_values_are_read_back_exactly(format: str) -> None:
    text = PRINTERS[format](FRAME)
    assert "\r" not in text
    rows = list(csv_module.reader(io.StringIO(text), delimiter="\t" if format == "tsv" else ","))
    assert rows[0] == ["run", "query_id", "measure", "value"]
    assert rows[1] == ["bm25", "all", "AP", "0.3333333333333333"]
    assert [float(row[3]) for row in rows[1:]] == FRAME["value"].tolist()


def test_an_undefined_value_is_never_zero() -> None:
    assert "bm25\tq2\tAP\tnan\n" in PRINTERS["tsv"](PER_QUERY)
    assert json.loads(PRINTERS["json"](PER_QUERY))[1]["value"] is None
    assert "–" in format_table(PER_QUERY)


def test_json_is_a_list_of_objects() -> None:
    records = json.loads(PRINTERS["json"](FRAME))
    assert records[0] == {"run": "bm25", "query_id": "all", "measure": "AP", "value": THIRD}
    assert len(records) == 4


def test_a_tab_in_a_name_does_not_shift_columns() -> None:
    frame = FRAME.assign(run="a\tb")
    assert all(line.count("\t") == 3 for line in PRINTERS["tsv"](frame).splitlines())


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_a_name_that_a_spreadsheet_would_run_is_made_inert(begin: str) -> None:
    frame = FRAME.assign(run=f"{begin}1+1").rename(columns={"query_id": "=query"})
    for name, separator in {"csv": ",", "tsv": "\t"}.items():
        told = csv_module.reader(io.StringIO(PRINTERS[name](frame)), delimiter=separator)
        head, row, *_ = told
        assert head[1] == "'=query"
        kept = begin if name == "csv" or begin.strip() else " "
        assert row == [f"'{kept}1+1", "all", "AP", "0.3333333333333333"]
    assert "\t-1.5\n" in PRINTERS["tsv"](FRAME.assign(value=-1.5))


def test_markdown() -> None:
    assert format_markdown(FRAME[:2].assign(run="a|b")).splitlines() == [
        "| run | query_id | AP | NumRet |",
        "| --- | --- | ---: | ---: |",
        r"| a\|b | all | 0.333 | 1,234 |",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("a&lt;b", "a&amp;lt;b"),
        ("*a* `b` ~~c~~ $d$", r"\*a\* \`b\` \~\~c\~\~ \$d\$"),
        ("_a_ __b__ c_d", r"\_a\_ \_\_b\_\_ c_d"),
        ("[a](b) ![c][d] [^e] [0.1, 0.2]", r"[a\](b) ![c\][d] \[^e] [0.1, 0.2]"),
        ("a\\|b", r"a\\\|b"),
        ("a\nb\x1b[31m", r"a\\u000ab\\u001b[31m"),
        ("bm25_tuned+rm3 (k1=0.9)", "bm25_tuned+rm3 (k1=0.9)"),
        ("-1", "-1"),
    ],
)
def test_a_name_in_markdown_is_shown_letter_for_letter(name: str, shown: str) -> None:
    assert (
        format_markdown(FRAME[:2].assign(run=name)).splitlines()[2].startswith(f"| {shown} | all |")
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# q: better", r"\# q: better"),
        ("- q", r"\- q"),
        ("12. q", r"12\. q"),
        ("    q", "q"),
        ("<b>q</b>", "&lt;b&gt;q&lt;/b&gt;"),
        ("q1: worse", "q1: worse"),
    ],
)
def test_a_line_of_markdown_is_no_other_block(text: str, shown: str) -> None:
    assert escape_markdown_line(text) == shown


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_what_a_terminal_would_obey_is_written_in_tables(format: str) -> None:
    text = PRINTERS[format](FRAME.assign(run="a\x1b[2J\u202e\nb"))
    assert text.count("u001b") == text.count("u202e") == text.count("u000a") == 1
    assert all(line.isprintable() for line in text.splitlines())


def test_latex_escapes_names_and_sets_the_best_mean_in_bold() -> None:
    text = format_latex(FRAME)
    assert r"a\_b\&c & all & \textbf{0.500} & 0 \\" in text
    assert r"bm25 & all & 0.333 & 1,234 \\" in text  # a count is not a merit
    assert text.startswith("\\begin{tabular}{llrr}\n")
    odd = format_latex(FRAME[:2].assign(run="50% ~x^2\\"))
    assert r"50\% \textasciitilde{}x\textasciicircum{}2\textbackslash{}" in odd


def test_latex_sets_only_means_in_bold() -> None:
    text = format_latex(PER_QUERY)
    assert r"new & all & \textbf{0.750} \\" in text
    assert text.count("textbf") == 1


def test_formats_are_what_the_command_line_offers() -> None:
    assert list(PRINTERS) == ["table", "tsv", "csv", "json", "markdown", "latex"]


def test_latex_sets_the_lowest_mean_in_bold_where_fewer_is_better() -> None:
    frame = pd.DataFrame(
        {"run": ["a", "b"], "measure": ["Unjudged@10", "Unjudged@10"], "value": [0.4, 0.1]}
    )
    assert r"b & \textbf{0.100} \\" in PRINTERS["latex"](frame)
    assert PRINTERS["latex"](frame).count("textbf") == 1
