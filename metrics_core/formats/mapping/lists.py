"""Read files of lists of documents by query with an inferred or assigned mapping."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice, zip_longest
from typing import Any

from metrics_core.base.errors import content_error
from metrics_core.base.notes import Note
from metrics_core.base.wording import list_first
from metrics_core.formats.mapping.axes import Records
from metrics_core.formats.mapping.documents import (
    NUMBERS,
    collect_values,
    record_shape,
    sample_items,
)
from metrics_core.formats.mapping.infer import Inference, infer_mappings
from metrics_core.formats.mapping.list_cells import read_list_cells
from metrics_core.formats.mapping.paths import first_names, is_path, parse_path
from metrics_core.formats.mapping.records import read_blocks, read_first_records, read_first_rows
from metrics_core.formats.mapping.tables import Mappings, load_mapped_table
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, WORD_OF, drop_unassigned_roles
from metrics_core.formats.parsing.systems import FormatDetails
from metrics_core.formats.registry import (
    AMBIGUOUS,
    KIND_TITLES,
    SPECIFIC,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    add_notes,
)
from metrics_core.formats.source.lines import fields_hint, line_error
from metrics_core.formats.source.source import Source, is_parquet

_MAX_EXAMPLES = 5
_HINT = (
    'Write a record for each query, like {"query_id": "q1", "hits": [{"doc_id": "d2", "score":'
    ' 9.0}]}, or one object with the list of each query, like {"q1": ["d1", "d3"]}.'
)


def recognise_lists(sample: Sample) -> Sureness:
    """Recognise lists of documents in the first records, by names, by contents or by paths that the
    user assigned."""
    if not sample.columns:
        return _infer_from_sample(sample).sureness
    if not any(map(is_path, sample.columns.values())) or not read_first_records(sample)[0]:
        return {}
    grades, numbers = "relevance" in sample.columns, {"score", "rank"} & sample.columns.keys()
    if grades or numbers:
        return {"qrels" if grades else "run": SPECIFIC}
    return _infer_from_sample(sample).sureness or dict.fromkeys(("run", "qrels"), AMBIGUOUS)


def read_list_paths(sample: Sample) -> FirstRows | None:
    """Return the paths of nested records with their first values; None if the records are not
    nested."""
    records, _ = read_first_records(sample)
    values = collect_values(records)
    if all(len(path.steps) < 2 for path in values):
        return None
    rows = zip_longest(*([*map(str, column)] for column in values.values()), fillvalue="")
    return FirstRows([*map(str, values)], [list(row) for row in islice(rows, _MAX_EXAMPLES)])


def find_other_kinds(sample: Sample) -> list[Kind]:
    """Return the kinds of table that the records contain: judgments, a run if there is one, and
    queries if the records have the texts of queries.

    The result is empty unless the name of a list indicates judgments."""
    inference = _infer_from_sample(sample)
    if inference.sureness.get("qrels") != SPECIFIC:
        return []
    kinds: list[Kind] = [k for k, sureness in inference.sureness.items() if sureness == SPECIFIC]
    return [*kinds, *(("queries",) if inference.has_texts else ())]


def _infer_from_sample(sample: Sample) -> Inference:
    records, is_truncated = read_first_records(sample)
    return infer_mappings(records, is_truncated=is_truncated)


def read_lists(
    source: Source, request: Request, record_blocks: Iterable[Records] | None = None
) -> Loaded:
    """Read ranked lists as a run, or lists of relevant documents as judgments, from a file or from
    `record_blocks`.

    In judgments, the grade of a document is the number that belongs to it. If there is no number,
    the grade is 1, or 0 in a list of negative documents. Raises FileFormatError if there are no
    lists of documents or their meaning is unclear."""
    parquet_inference = infer_mappings(read_first_rows(source)) if is_parquet(source) else None
    columns = (
        set[str]()
        if parquet_inference is None
        else _column_names(_build_mappings(parquet_inference, request))
    )
    names, unused = dict[str, None](), dict[str, None]()
    current_mappings: Mappings = ()

    def find_mappings(records: Records) -> Mappings:
        nonlocal current_mappings
        sample = [] if parquet_inference else _sample_records(source, records)
        inference = parquet_inference or infer_mappings(sample)
        if not request.columns:
            _refuse_ambiguous_lists(source, request, inference)
        current_mappings = _build_mappings(inference, request) or current_mappings
        if not current_mappings:
            raise content_error(
                source.name, "no lists of documents by query", KIND_TITLES[request.kind], _HINT
            )
        used_paths = _find_used_paths(current_mappings) if request.columns else []
        names.update(dict.fromkeys(used_paths or inference.names))
        unused_paths = (
            [path for path in collect_values(sample) if path.steps]
            if used_paths
            else inference.unused_lists
        )
        unused.update(
            dict.fromkeys(path for path in map(str, unused_paths) if path not in used_paths)
        )
        return current_mappings

    def describe_format() -> FormatDetails:
        return FormatDetails("lists", f"Lists of documents: {', '.join(names) or 'by query'}")

    if (
        record_blocks is None
        and parquet_inference is None
        and source.head.lstrip()[:1] not in (b"{", b"[")
    ):
        record_blocks = read_list_cells(source, request)
    blocks = record_blocks or read_blocks(source, columns.__contains__)
    loaded = load_mapped_table(source, request, blocks, find_mappings, describe_format, hint=_HINT)
    if not unused:
        return loaded
    message = f"not used: {list_first(list(unused), _MAX_EXAMPLES)}"
    return add_notes(loaded, Note("columns", message, len(unused)))


def _build_mappings(inference: Inference, request: Request) -> Mappings:
    """Return the mappings of the requested kind. Paths that the user assigned replace inferred
    ones."""
    columns = {
        role: parse_path(path) for role, path in drop_unassigned_roles(request.columns).items()
    }
    inferred = inference.mappings.get(request.kind, [])
    if not columns:
        return inferred
    chosen_paths = {WORD_OF.get(role, role): path for role, path in columns.items()}
    mapping = dict(next(iter(inferred), {}))
    if "doc" in chosen_paths:
        mapping = {role: path for role, path in mapping.items() if role in ("query", "system")}
    if not chosen_paths.keys().isdisjoint(NUMBERS):
        mapping = {role: path for role, path in mapping.items() if role not in NUMBERS}
    if request.columns.get("run") == NO_COLUMN:
        mapping.pop("system", None)
    if inference.query is not None:
        mapping.setdefault("query", (inference.query,))
    if request.kind == "qrels":
        mapping.setdefault("grade", parse_path("'1'"))
    return [mapping | chosen_paths]


def _find_used_paths(mappings: Mappings) -> list[str]:
    """Return the distinct paths that the mappings use, in the order of their roles."""
    path_groups = (mapping[role] for mapping in mappings for role in mapping)
    paths = (path for paths in path_groups for path in paths if path.constant is None)
    return list(dict.fromkeys(str(path).removeprefix("-") for path in paths))


def _column_names(mappings: Mappings) -> set[str]:
    """Return the names of the columns that the mappings use."""
    paths = chain.from_iterable(path for mapping in mappings for path in mapping.values())
    return first_names(paths)


def _sample_records(source: Source, records: Records) -> list[Any]:
    """Return a sample of JSON records that includes each shape of record.

    Raises FileFormatError for a record that is not an object.
    """
    values = records.values.to_list()
    wrong_row = next((row for row, value in enumerate(values) if type(value) is not dict), None)
    if wrong_row is not None:
        line = None if records.lines is None else int(records.lines[wrong_row])
        raise line_error(source, line, records.values.describe(wrong_row), "a record", _HINT)
    return sample_items(values, record_shape)


def _refuse_ambiguous_lists(source: Source, request: Request, inference: Inference) -> None:
    """Raise FileFormatError if it is ambiguous which list has the documents, or which values are
    their ids or numbers."""
    if inference.candidate_lists:
        ambiguous = inference.candidate_lists
        actual, expected, role = f"{len(ambiguous)} lists of documents", "one", "doc"
        paths = [mapping["doc"][0] for mapping in inference.mappings[request.kind]]
    elif inference.possible_ids:
        actual, expected, role = "objects without a recognised document id", "document ids", "doc"
        paths = ambiguous = inference.possible_ids
    elif inference.unclear_numbers:
        actual, role = "numbers of unknown meaning for each document", "score"
        expected = "a recognised score or grade"
        paths = ambiguous = inference.unclear_numbers
    else:
        return
    actual = f"{actual}: {list_first(ambiguous, _MAX_EXAMPLES)}"
    hint = f"Choose one, for example columns {role}={paths[0]}. {fields_hint(source)}"
    raise content_error(source.name, actual, expected, hint)
