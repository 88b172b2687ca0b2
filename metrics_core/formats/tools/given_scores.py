"""Scores by query that other tools computed: one row per score, or one column per measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pyarrow.compute as pc

from metrics_core.base.errors import LineProblem
from metrics_core.formats.parquet import MAGIC, read_parquet_rows
from metrics_core.formats.parsing.delimited import (
    read_csv_records,
    read_named_columns,
    read_tsv_records,
)
from metrics_core.formats.parsing.eval_lines import are_eval_lines, read_eval_lines
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.parsing.score_columns import ScoreColumns, infer_score_columns
from metrics_core.formats.parsing.score_rows import build_scores
from metrics_core.formats.registry import (
    KIND_TITLES,
    TOOL_SPECIFIC,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    reader,
)
from metrics_core.formats.source.lines import file_error
from metrics_core.formats.source.source import Source
from metrics_core.formats.tabular import detect_separator, read_csv_columns, read_tsv_columns
from metrics_core.formats.tools.score_tools import TOOLS, find_record_reader, infer_tool_columns

_SAMPLED_ROWS = 200


def recognise_scores(sample: Sample) -> Mapping[Kind, int]:
    """Recognise scores by their columns, or by the lines that trec_eval and ir_measures print."""
    if not sample.columns and are_eval_lines(sample.lines):
        return {"scores": TOOL_SPECIFIC}
    first_rows, is_record_tool = _read_first_rows(sample)
    if is_record_tool:
        return {"scores": TOOL_SPECIFIC}
    columns = None if first_rows is None else _find_columns(first_rows, sample.columns)
    return {} if columns is None else {"scores": columns.sureness}


def read_first_rows(sample: Sample) -> FirstRows | None:
    """Return the columns and first rows of a table of scores, None for any other file."""
    first_rows = _read_first_rows(sample)[0]
    is_scores = first_rows is not None and _find_columns(first_rows, sample.columns) is not None
    return first_rows if is_scores else None


def _find_columns(first_rows: FirstRows, assigned: Mapping[str, str]) -> ScoreColumns | None:
    tool_columns = None if assigned else infer_tool_columns(first_rows)
    return tool_columns or infer_score_columns(first_rows, assigned)


def _read_first_rows(sample: Sample) -> tuple[FirstRows | None, bool]:
    """Return the columns and first rows of a table, and whether it has records of a known tool."""
    if sample.source.magic.startswith(MAGIC):
        return read_parquet_rows(sample), False
    if not sample.text.lstrip().startswith(("{", "[")):
        return read_tsv_columns(sample) or read_csv_columns(sample), False
    from metrics_core.formats.mapping.records import read_first_records

    records, is_truncated = read_first_records(sample)
    if records and find_record_reader(records[0]) is not None:
        return None, True
    records = [record for record in records if isinstance(record, dict)]
    if is_truncated and len(records) < 2:
        return None, False
    names = list(dict.fromkeys(chain.from_iterable(records)))
    rows = [[_to_text(record.get(name)) for name in names] for record in records]
    return (FirstRows(names, rows), False) if names else (None, False)


def _to_text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "[…]"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@reader(
    "scores",
    title="Scores by query",
    kinds=("scores",),
    endings=(".csv", ".tsv", ".jsonl", ".json", ".parquet", ".txt"),
    explanation="Scores that another tool computed, as CSV, TSV, JSON, JSON Lines or Parquet: one"
    " row per score (query_id, run, measure, value), or one column of numbers per measure. Also the"
    " output of `trec_eval -q`. A column repeat, epoch or trial counts repeats.",
    example="query_id,run,correct,latency_ms\nq1,base,1,812\nq1,rerank,0,1140",
    recognise=recognise_scores,
    first_rows=read_first_rows,
    tools=TOOLS,
)
def read_scores(source: Source, request: Request) -> Loaded:
    """Read scores. Raises FileFormatError for a value that is not a number."""
    named, columns, title = _read_columns(source, request)
    if columns is None:
        name_list = ", ".join(f"`{name}`" for name in named.names[:12])
        problem = LineProblem(named.header, f"the columns {name_list}", KIND_TITLES["scores"])
        hint = "Scores need a column query_id, and a column of numbers for each measure."
        if len(named.names) > 1 and not any("query" in name.lower() for name in named.names):
            hint = f"One number per run is not enough: there are no queries behind it. {hint}"
        raise file_error(source, [problem], hint=hint)
    table = build_scores(source, request, named, columns)
    return Loaded(table.with_notes(*named.notes), "scores", title, source.name)


def _read_columns(
    source: Source, request: Request
) -> tuple[NamedColumns, ScoreColumns | None, str]:
    """Return the named columns of a file, their roles and the title of the format."""
    head = source.head.decode()
    sample = Sample(source, head, request.columns)
    is_records = source.magic.startswith(MAGIC) or head.lstrip().startswith(("{", "["))
    if not is_records and not request.columns and are_eval_lines(sample.lines):
        named = read_eval_lines(source, sample.lines)
        run = "run" if "run" in named.columns else ""
        columns = ScoreColumns("query_id", run=run, measure="measure", value="value")
        return named, columns, "trec_eval -q"
    if is_records:
        named, title = _read_records(source), "Scores in records"
    elif "\t" in sample.first_line:
        named = read_named_columns(source, request, read_tsv_records(source))
        title = "Scores in TSV"
    else:
        separator = detect_separator(sample) or ","
        named = read_named_columns(source, request, read_csv_records(source, separator))
        title = "Scores in CSV"
    first = [pc.fill_null(named.columns[n][:_SAMPLED_ROWS], "").to_pylist() for n in named.names]
    first_rows = FirstRows(named.names, [[*row] for row in zip(*first, strict=True)])
    return named, _find_columns(first_rows, request.columns), title


def _read_records(source: Source) -> NamedColumns:
    """Return the columns of records in JSON, JSON Lines or Parquet."""
    from metrics_core.formats.mapping.records import read_blocks

    (records,) = read_blocks(source, lambda name: True, at_once=True)
    values, lines = records.values.to_list(), records.lines
    numbers = [None] * len(values) if lines is None else lines.tolist()
    record_reader = find_record_reader(values[0]) if values else None
    if record_reader is None:
        rows = zip(numbers, map(_to_plain_values, values), strict=True)
        return to_named_columns(source, rows, "scores", known_lines=lines is not None)

    def iterate_rows() -> Iterator[tuple[int | None, Any]]:
        for number, value in zip(numbers, values, strict=True):
            for row in record_reader(value, source.name):
                yield number, row

    return to_named_columns(source, iterate_rows(), "scores", known_lines=lines is not None)


def _to_plain_values(record: Any) -> Any:
    """Return a record whose values JSON can represent: dates in Parquet become texts."""
    if not isinstance(record, dict):
        return record
    plain = (str, int, float, bool, list, dict, type(None))
    return {k: v if isinstance(v, plain) else str(v) for k, v in record.items()}
