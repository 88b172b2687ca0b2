"""Read scores by query that other tools computed: one row per score, or one column per measure."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from metrics_core.base.notes import Note
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.parquet import read_parquet_rows
from metrics_core.formats.parsing.delimited import (
    Record,
    read_named_columns,
    read_records,
)
from metrics_core.formats.parsing.eval_lines import NOT_OFFERED, find_eval_columns
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.parsing.score_columns import ScoreColumns, infer_score_columns
from metrics_core.formats.parsing.score_rows import build_scores, sample_first_rows
from metrics_core.formats.registry import (
    KIND_TITLES,
    TOOL_SPECIFIC,
    FirstRows,
    Loaded,
    Request,
    Sample,
    Sureness,
    is_json,
    reader,
)
from metrics_core.formats.source.lines import line_error
from metrics_core.formats.source.source import Source, is_parquet
from metrics_core.formats.tabular import detect_separator, read_csv_columns, read_tsv_columns
from metrics_core.formats.tools.score_tools import TOOLS, find_record_reader, infer_tool_columns
from metrics_core.tables.columns import ID


def recognise_scores(sample: Sample) -> Sureness:
    """Recognise scores by the columns of a table, or by the lines that trec_eval and ir_measures
    print."""
    if sample.columns or not _has_tool_rows(sample):
        first_rows = _read_first_rows(sample)
        columns = first_rows and _find_columns(first_rows, sample.columns)
        return {"scores": columns.sureness} if columns else {}
    return {"scores": TOOL_SPECIFIC}


def _has_tool_rows(sample: Sample) -> bool:
    """Return whether a file has lines of trec_eval, or records that an evaluation tool writes."""
    return bool(find_eval_columns(sample.lines) or find_record_reader(_first_records(sample)[:1]))


def _find_columns(first_rows: FirstRows, assigned: Mapping[str, str]) -> ScoreColumns | None:
    tool_columns = None if assigned else infer_tool_columns(first_rows)
    return tool_columns or infer_score_columns(first_rows, assigned)


def _first_records(sample: Sample) -> list[Any]:
    """Return the first records of a JSON file. Returns an empty list for other files, and if the
    first record is truncated."""
    if not is_json(sample):
        return []
    from metrics_core.formats.mapping.records import read_first_records

    return read_first_records(sample)[0]


def _read_first_rows(sample: Sample) -> FirstRows | None:
    """Return the columns and first rows of a table; None for any other file."""
    if is_parquet(sample.source):
        return read_parquet_rows(sample)
    if not is_json(sample):
        first_rows = read_tsv_columns(sample) or read_csv_columns(sample)
        if first_rows is None or '"' not in sample.text or "\t" in sample.first_line:
            return first_rows
        # A quoted cell, such as an answer, may have several lines.
        lines = sample.text.splitlines(keepends=True)
        _, *rows = csv.reader(lines, delimiter=detect_separator(sample) or ",")
        return FirstRows(first_rows.names, rows)
    records = [record for record in _first_records(sample) if isinstance(record, dict)]
    if len(records) < 2 and not sample.has_first_record:
        return None
    names = list(dict.fromkeys(chain.from_iterable(records)))
    rows = [[_to_text(record.get(name)) for name in names] for record in records]
    return FirstRows(names, rows) if names else None


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
    " output of `trec_eval -q`. The repeats are numbered in a column named repeat, epoch or trial.",
    example="query_id,run,correct,latency_ms\nq1,base,1,812\nq1,rerank,0,1140",
    recognise=recognise_scores,
    first_rows=_read_first_rows,
    tools=TOOLS,
)
def read_scores(source: Source, request: Request) -> Loaded:
    """Read scores that another tool computed. Raises FileFormatError for a value that is not a
    number."""
    named = _read_columns(source, request)
    columns = _find_columns(sample_first_rows(named), request.columns)
    if columns is None:
        names = ", ".join(f"`{name}`" for name in named.names[:12])
        hint = "Scores need a column query_id, and a column of numbers for each measure."
        raise line_error(source, named.header, f"the columns {names}", KIND_TITLES["scores"], hint)
    return Loaded(build_scores(source, request, named, columns), "scores", "Scores", source.name)


def _read_columns(source: Source, request: Request) -> NamedColumns:
    """Return the named columns of a file."""
    sample = read_sample(source, request.columns)
    if is_parquet(source) or is_json(sample):
        return _read_records(source)
    names = [] if request.columns else find_eval_columns(sample.lines)
    if names:
        lines = [line.split() for line in source.text_lines()]
        rows: Iterable[Record] = (
            (number, number, fields)
            for number, fields in enumerate(lines, 1)
            if len(fields) != 3 or not NOT_OFFERED.match(fields[names.index("measure")])
        )
        named = read_named_columns(source, request, rows, names)
        runs = [fields[2] for fields in lines if fields[:1] == ["runid"]]
        if runs:
            named.names.append("run")
            named.columns["run"] = pa.chunked_array([pa.array(runs[:1] * len(named), ID)])
        return named
    separator = "\t" if "\t" in sample.first_line else detect_separator(sample) or ","
    return read_named_columns(source, request, read_records(source, separator))


def _read_records(source: Source) -> NamedColumns:
    """Return the columns of a file of records: JSON, JSON Lines or Parquet."""
    from metrics_core.formats.mapping.records import read_blocks

    (records,) = read_blocks(source, lambda name: True, in_one_block=True)
    values = records.values.to_list()
    record_reader = find_record_reader(values[:1]) or _read_plain_record
    rows = list[tuple[int | None, Any]]()
    without_number = Counter[str]()
    for number, value in zip(records.line_numbers(), values, strict=True):
        for row in record_reader(value, source.name):
            # lm-eval combines such values, for example for perplexity, only over all queries.
            if isinstance(row, dict) and isinstance(row.get("value"), list):
                without_number[str(row.get("measure"))] += 1
            else:
                rows.append((number, row))
    named = to_named_columns(source, rows, "scores", known_lines=records.lines is not None)
    for name, n in without_number.items():
        message = f"{name} has a list instead of a number for each query, so it is not read"
        named.notes.append(Note("lists", message, n, (name,)))
    return named


def _read_plain_record(record: Any, _path: str) -> Iterator[Any]:
    """Yield the record. Values that JSON cannot represent, such as dates of Parquet, are converted
    to strings."""
    plain = (str, int, float, bool, list, dict, type(None))
    is_object = isinstance(record, dict)
    yield (
        {name: value if isinstance(value, plain) else str(value) for name, value in record.items()}
        if is_object
        else record
    )
