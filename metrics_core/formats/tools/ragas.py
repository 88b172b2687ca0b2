"""Read Ragas files: single-turn samples of a question, its retrieved contexts and its reference
contexts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metrics_core.base.errors import FileFormatError
from metrics_core.formats.declaring import declare, is_json_or_parquet
from metrics_core.formats.mapping.presets import Preset, Remark, make_case_finder
from metrics_core.formats.parsing.delimited import read_csv_records, split_csv
from metrics_core.formats.parsing.list_literals import parse_list
from metrics_core.formats.parsing.score_columns import value_kinds
from metrics_core.formats.registry import (
    TOOL_SPECIFIC,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
)
from metrics_core.formats.source.lines import line_error
from metrics_core.formats.source.source import Source, is_parquet, shorten_line
from metrics_core.tables.run_names import find_free_name

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

_QUESTION = "user_input"
_IDS: Mapping[Kind, str] = {"run": "retrieved_context_ids", "qrels": "reference_context_ids"}
_TEXTS: Mapping[Kind, str] = {"run": "retrieved_contexts", "qrels": "reference_contexts"}
_LISTS = (*_IDS.values(), *_TEXTS.values())
_NOT_DETAILS = (*_LISTS, "is_uneven", "stands_before")
_SAMPLED_ROWS = 200
_OWN_IDS = ("query_id", "id", "qid")
_BY_TEXT_HINT = (
    "Add the ids of the contexts to each sample (retrieved_context_ids, reference_context_ids). Or"
    " identify documents by their exact texts, with columns doc=retrieved_contexts: `--columns"
    ' doc=retrieved_contexts` on the command line, columns={"doc": "retrieved_contexts"} in Python.'
)


SAMPLES = Preset(
    "ragas",
    "Ragas samples",
    endings=(".jsonl", ".json", ".csv", ".parquet"),
    explanation="Single-turn Ragas samples, as JSON Lines, JSON, CSV or Parquet."
    " retrieved_context_ids are a run in list order, reference_context_ids are relevant (grade 1),"
    " the contexts are documents, and user_input is the query. Numbers beside a run are its scores,"
    " and other fields become query columns. Without ids, columns doc=retrieved_contexts identifies"
    " documents by their texts.",
    example='{"user_input": "refund", "retrieved_context_ids": ["doc-7", "doc-3"],'
    ' "reference_context_ids": ["doc-3"]}',
    recognised_by=("query_id",),
    tables={
        "run": "query=query_id doc=retrieved_context_ids[]",
        "qrels": "query=query_id doc=reference_context_ids[] grade='1'",
        "queries": "query=query_id text=user_input",
        "documents": tuple(
            f"doc={_IDS[kind]}[] body={_TEXTS[kind]}[]?" for kind in ("run", "qrels")
        ),
        "scores": "query=query_id",
    },
    # A context may be retrieved twice; without scores the first one counts.
    duplicates="first",
    not_details=_NOT_DETAILS,
    remarks=(
        Remark(
            ("run", "qrels", "queries"),
            "same_text",
            "{n:,} {things} with a repeated text, numbered to keep them distinct",
            make_case_finder("stands_before", bool),
        ),
        Remark(
            ("qrels",),
            "nothing_expected",
            "{n:,} {things} without expected documents; excluded",
            loud=True,
        ),
        Remark(
            ("documents",),
            "uneven",
            "{n:,} {things} with different numbers of contexts and ids; the texts of these contexts"
            " are excluded",
            make_case_finder("is_uneven", bool, "query_id"),
        ),
    ),
    tools=(
        Tool(
            "Ragas",
            "`dataset.to_jsonl(FILE)`, or the table of results as CSV or Parquet",
            "a run, judgments, queries with your columns, the contexts, and the run's scores",
            "ids, if contexts have none (you can identify contexts by their texts)",
            ("rag",),
        ),
    ),
)


def recognise_samples(sample: Sample) -> Sureness:
    """Recognise samples by the field names in the first sample: a question, and contexts or the ids
    of contexts."""
    names, may_have_more = _first_sample_names(sample)
    if _QUESTION not in names or not {*_LISTS} & {*names}:
        return {}
    kinds: list[Kind] = [k for k in _IDS if may_have_more or _IDS[k] in names or _TEXTS[k] in names]
    kinds.append("queries")
    kinds += ["documents"] if may_have_more or {*_TEXTS.values()} & {*names} else []
    if not _find_measures(_read_sample_values(sample)):
        return dict.fromkeys(kinds, TOOL_SPECIFIC)
    has_lists = bool({*_IDS.values()} & {*names}) or "doc_id" in sample.columns
    kinds = [*kinds, "scores"] if has_lists else ["scores", *kinds]
    return dict.fromkeys(kinds, TOOL_SPECIFIC)


def _find_measures(samples: Sequence[Any]) -> list[str]:
    """Return the names of the columns that contain scores of the run: all numeric columns except
    ids. The result is empty if the samples have no results."""
    records = [sample for sample in samples if isinstance(sample, dict)]
    names = list(dict.fromkeys(name for record in records for name in record))
    if not {_IDS["run"], _TEXTS["run"]} & {*names}:
        return []
    rows = [[str(record.get(name, "")) for name in names] for record in records]
    kinds = zip(names, value_kinds(FirstRows(names, rows)), strict=True)
    return [name for name, kind in kinds if kind == "numbers" and name not in _OWN_IDS]


def _read_sample_values(sample: Sample) -> list[Any]:
    """Return the values of the first samples. In CSV all values are strings."""
    if is_json_or_parquet(sample):
        return _read_first_samples(sample)[0]
    names, *rows = csv.reader(sample.text.splitlines(keepends=True))
    return [dict(zip(names, row, strict=False)) for row in rows[:_SAMPLED_ROWS]]


def _first_sample_names(sample: Sample) -> tuple[list[str], bool]:
    """Return the field names of the first sample, and whether the sample may have additional
    fields."""
    records, is_cut = _read_first_samples(sample)
    if records:
        return list(records[0]) if isinstance(records[0], dict) else [], is_cut
    head = sample.first_line
    return split_csv(head, ",") if _QUESTION in head else [], False


def _first_columns(sample: Sample) -> FirstRows | None:
    """Return the column names of the first sample and its values as one row. Returns None if the
    file does not contain samples."""
    if not recognise_samples(sample):
        return None
    names, _ = _first_sample_names(sample)
    records = _read_first_samples(sample)[0]
    return FirstRows(names, [[*map(str, records[0].values())]] if records else [])


def _read_first_samples(sample: Sample) -> tuple[list[Any], bool]:
    """Return the first samples of JSON or Parquet, and whether they are truncated."""
    if not is_json_or_parquet(sample):
        return [], False
    from metrics_core.formats.mapping.records import read_first_records

    return read_first_records(sample)


def read_samples(source: Source, request: Request) -> Loaded:
    """Read a run, judgments, queries or documents from samples. Raises FileFormatError."""
    from metrics_core.formats.mapping import preset_files

    (records,) = _read_records(source, request)
    measures = _find_measures(records.values.to_list()) if request.kind == "queries" else []
    # Scores belong to the run: in the file of another run, the query has others.
    preset = replace(SAMPLES, not_details=(*_NOT_DETAILS, *measures))
    return preset_files.read_preset(preset, source, request, iter([records]))


declare(SAMPLES, recognise=recognise_samples, first_rows=_first_columns, read=read_samples)


def _read_records(source: Source, request: Request) -> Iterator[Records]:
    """Yield the samples. Each has a query id and lists of document ids. For each list of ids there
    is a list of texts of the same length."""
    import numpy as np

    from metrics_core.formats.mapping.axes import PythonValues, Records
    from metrics_core.formats.mapping.records import read_blocks

    if is_parquet(source) or source.head.lstrip().startswith((b"{", b"[")):
        (source_records,) = read_blocks(source, lambda name: True, in_one_block=True)
    else:
        rows = dict(_read_csv(source))
        source_records = Records(PythonValues([*rows.values()]), np.array([*rows]))
    samples = source_records.values.to_list()
    names = dict.fromkeys(name for value in samples if isinstance(value, dict) for name in value)
    by_text = _identifies_by_text(source, request, list(names))
    id_name, seen_ids = _find_id_name(request, samples), set[str]()
    for number, sample in zip(source_records.line_numbers(), samples, strict=True):
        value = _find_query_id(source, number, sample, id_name)
        if id_name and value in seen_ids:
            raise _sample_error(source, number, f"query {value} a second time", "each query once")
        query_id = find_free_name(value, seen_ids)
        seen_ids.add(query_id)
        sample["query_id"], sample["stands_before"] = query_id, query_id != value
        for kind in ("run", "qrels"):
            _add_documents(
                source, number, sample, kind, identify_by_text=by_text, requested_kind=request.kind
            )
        if id_name not in ("", "query_id"):
            del sample[id_name]
    yield Records(PythonValues(samples), source_records.lines)


def _add_documents(
    source: Source,
    number: int | None,
    sample: dict[str, Any],
    kind: Kind,
    *,
    identify_by_text: bool,
    requested_kind: Kind,
) -> None:
    """Set the lists of ids and texts of this kind in a sample.

    If there are not as many texts as ids, all texts are None."""
    ids, texts = sample.get(_IDS[kind]), sample.get(_TEXTS[kind])
    if identify_by_text:
        ids = texts
    elif ids is None and texts and kind == requested_kind:
        actual = f"{_TEXTS[kind]} without {_IDS[kind]}"
        raise _sample_error(source, number, actual, "ids of the documents", _BY_TEXT_HINT)
    sample[_IDS[kind]] = [] if ids is None else ids
    if isinstance(ids, list) and isinstance(texts, list) and len(ids) == len(texts):
        return
    sample["is_uneven"] = sample.get("is_uneven") or bool(ids and texts)
    sample[_TEXTS[kind]] = [None] * len(ids) if isinstance(ids, list) else []


def _read_csv(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and values of each sample in a CSV file. Lists in cells are parsed."""
    names: list[str] | None = None
    for line_number, _, fields in read_csv_records(source, ","):
        if names is None:
            names = fields
        elif fields:
            if len(fields) != len(names):
                raise _sample_error(
                    source, line_number, f"{len(fields):,}", f"{len(names):,} columns"
                )
            cells = zip(names, fields, strict=True)
            yield (
                line_number,
                {name: _parse_cell(source, line_number, name, text) for name, text in cells},
            )


def _parse_cell(source: Source, line: int, name: str, text: str) -> object:
    """Return the value of a CSV cell: None for an empty cell, a list in columns of lists, otherwise
    the text of the cell."""
    if not text or name not in _LISTS:
        return text or None
    items = parse_list(text)
    if items is None:
        hint = "Use JSON Lines to keep lists intact: EvaluationDataset.to_jsonl."
        actual = f"`{shorten_line(text)[:60]}` at {name}"
        raise _sample_error(source, line, actual, "a list such as ['doc-7', 'doc-3']", hint)
    return items


def _sample_error(
    source: Source, line: int | None, actual: str, expected: str, hint: str = ""
) -> FileFormatError:
    hint = hint or f"A sample looks like {SAMPLES.example}."
    return line_error(source, line, actual, expected, hint)


def _identifies_by_text(source: Source, request: Request, names: Sequence[str]) -> bool:
    """Return whether the user chose to identify documents by their texts.

    Raises FileFormatError for assigned columns that samples do not have."""
    for role, name in request.columns.items():
        choice = f"{role}={name}"
        if role not in ("query_id", "doc_id"):
            hint = "Ragas samples have no scores: the order of a list is the ranking."
            raise _sample_error(
                source, None, choice, "columns that assign the query or the document", hint
            )
        if name not in names or (role == "doc_id" and name not in _LISTS):
            expected = (
                f"one of {', '.join(_LISTS)}" if role == "doc_id" else "a column of the samples"
            )
            raise _sample_error(source, None, choice, expected, _BY_TEXT_HINT)
    return request.columns.get("doc_id") in _TEXTS.values()


def _find_id_name(request: Request, samples: Sequence[Any]) -> str:
    """Return the name of the column with query ids. Returns "" if the question itself is the id.

    The column is the one that the user assigned, or an id column that all samples have."""
    chosen_name = request.columns.get("query_id", "")
    if chosen_name:
        return "" if chosen_name == _QUESTION else chosen_name
    objects = [sample for sample in samples if isinstance(sample, dict)]
    return next((name for name in _OWN_IDS if all(record.get(name) for record in objects)), "")


def _find_query_id(source: Source, line: int | None, sample: Any, id_name: str) -> str:
    """Return the query id of a sample: its value in the column `id_name`, or its question if
    `id_name` is "". Raises FileFormatError if the sample has no such value."""
    name = id_name or _QUESTION
    if not isinstance(sample, dict) or sample.get(name) is None:
        actual = f"an object with {shorten_line(', '.join(sample))}" if sample else "nothing"
        raise _sample_error(source, line, actual, f"`{name}`")
    value = sample[name]
    if isinstance(value, (list, dict, float)) or value == "":
        hint = "Multi-turn samples have no lists of contexts, so only single-turn samples are read."
        value_text = "a list" if isinstance(value, list) else f"`{shorten_line(str(value))[:60]}`"
        raise _sample_error(source, line, f"{value_text} at {name}", "a question as text", hint)
    return str(value)
