"""Recognise and read the files of tools by means of presets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records, RowAxis
from metrics_core.formats.mapping.paths import (
    RecordPath,
    RolePaths,
    Step,
    Steps,
    first_names,
    parse_mapping,
    parse_path,
)
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.mapping.records import read_blocks, read_first_records
from metrics_core.formats.mapping.rows import align_column
from metrics_core.formats.mapping.tables import Mappings, ToolRules, load_mapped_table
from metrics_core.formats.mapping.texts import load_queries_or_documents
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.parsing.score_columns import ScoreColumns, value_kinds
from metrics_core.formats.parsing.score_rows import build_scores, sample_first_rows
from metrics_core.formats.parsing.systems import FormatDetails
from metrics_core.formats.registry import (
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    add_notes,
    missing_kind_error,
)
from metrics_core.formats.source.source import Source
from metrics_core.tables import Queries


def recognise_preset(preset: Preset, sample: Sample) -> Sureness:
    """Return the kinds of table that a file contains according to its first record, and the
    confidence in each kind."""
    return dict.fromkeys(find_kinds(preset, read_first_records(sample)[0]), preset.sureness)


def find_kinds(preset: Preset, records: Sequence[Any]) -> list[Kind]:
    """Return the kinds of table that records contain. The result is empty if the preset does not
    fit the records."""
    if not records or not isinstance(records[0], dict) or not preset.also(records[0]):
        return []
    mended_records = records[:1] if preset.mend is None else next(preset.mend([[*records[:1]]], ""))
    first_record = Records(PythonValues([*mended_records]))
    prefix = _find_prefix(preset, first_record)
    if prefix is None:
        return []
    needs = preset.needs
    return [
        k for k in preset.tables if k not in needs or _has_value(first_record, prefix, needs[k])
    ]


def read_preset(
    preset: Preset, source: Source, request: Request, mended_blocks: Iterator[Records] | None = None
) -> Loaded:
    """Return the table of the requested kind.

    `mended_blocks` are the records of the file after `mend` was applied. If `mended_blocks` is
    None, the records are read from the file. Raises FileFormatError if a record does not fit the
    preset."""
    remarks = [item for item in preset.remarks if request.kind in item.kinds]
    cases_by_remark = {item: list[str]() for item in remarks if item.found is not None}
    stored: dict[str, Mapping[str, float]] = {}
    prefix: Steps | None = None
    has_scores = False

    def find_mappings(records: Records) -> Iterator[RolePaths]:
        nonlocal prefix, has_scores
        if prefix is None:
            first_record = Records(records.values.take(np.arange(min(len(records.values), 1))))
            matched_prefix = _find_prefix(preset, first_record)
            prefix = _parse_steps(preset.inside[0]) if matched_prefix is None else matched_prefix
            scores_path = "" if preset.stored else preset.needs.get("scores", "")
            has_scores = bool(scores_path) and _has_value(first_record, prefix, scores_path)
        _check_records(preset, records, prefix)
        mappings = _prefixed_mappings(preset, request.kind, prefix)
        yield from mappings
        # The rows were read before, so the values are known to fit the mappings.
        for remark, cases in cases_by_remark.items():
            cases += remark.found(records) if remark.found is not None else ()
            _refuse_several_cases(remark, cases, records)
        if preset.stored and request.kind == "run":
            stored.update(
                _stored_scores(
                    records, mappings[0]["query"][0], (*prefix, *_parse_steps(preset.stored))
                )
            )

    blocks = mended_blocks or mend_blocks(
        preset, _read_blocks(preset, source, request), request.run_name
    )
    if request.kind == "scores":
        return _read_scores(preset, source, request, blocks)
    if request.duplicates == "error":
        request = replace(request, duplicates=preset.duplicates)
    hint = f"A record looks like {preset.example}."
    if request.kind in ("queries", "documents"):
        details = preset.not_details if request.kind == "queries" else None
        table = load_queries_or_documents(
            *(source, request, blocks, find_mappings),
            title=preset.title,
            not_details=details,
            hint=hint,
        )
        if has_scores and isinstance(table, Queries):
            # Numbers beside a run are its scores: in another file, the query has others.
            table = replace(table, frame=table.frame.drop(columns=[*table.numbers]))
        loaded = Loaded(table, preset.name, preset.title, source.name)
    else:
        empty_remark = next(
            (item for item in remarks if item.found is None), ToolRules.empty_remark
        )
        rules = ToolRules(preset.title, request.kind in preset.once, empty_remark)
        loaded = load_mapped_table(
            *(source, request, blocks, find_mappings),
            lambda: FormatDetails(preset.name, preset.title, has_scores=True),
            hint=hint,
            rules=rules,
        )
    cases_to_note = {
        item: cases for item, cases in cases_by_remark.items() if cases and not item.only_one
    }
    notes = [remark.note(cases) for remark, cases in cases_to_note.items()]
    return replace(add_notes(loaded, *notes), stored=stored)


def _read_scores(
    preset: Preset, source: Source, request: Request, blocks: Iterator[Records]
) -> Loaded:
    """Read the scores in a file with one run.

    If the preset has a path `stored`, the scores are the values at this path. Otherwise they are
    all numbers of a record that are not mapped. Raises MissingKindError if there are none."""
    query = parse_mapping(str(preset.tables["scores"]))["query"][0].plain_text
    rows = list[tuple[int | None, Any]]()
    for records in blocks:
        values = records.values.to_list()
        scores = (_select_scores(preset, query, value) for value in values)
        rows += zip(records.line_numbers(), scores, strict=True)
    has_lines = bool(rows) and rows[0][0] is not None
    named = to_named_columns(source, rows, request.kind, known_lines=has_lines)
    kinds = dict(zip(named.names, value_kinds(sample_first_rows(named)), strict=True))
    measures = {
        name: name
        for name, kind in kinds.items()
        if kind == "numbers" and name not in ("query_id", *(preset.not_details or ()))
    }
    if not measures:
        raise missing_kind_error(source, "scores", f"none in this file ({preset.title})")
    table = build_scores(source, request, named, ScoreColumns("query_id", measures=measures))
    return Loaded(replace(table, details=None), preset.name, preset.title, source.name)


def _select_scores(preset: Preset, query: str, record: Any) -> Any:
    """Return the values of a record that may be scores, and its query id.

    A record that is not an object is returned unchanged, and is refused later."""
    if not isinstance(record, dict):
        return record
    scores = record.get(preset.stored) if preset.stored else record
    return (scores if isinstance(scores, dict) else {}) | {"query_id": record.get(query)}


def _refuse_several_cases(remark: Remark, cases: list[str], records: Records) -> None:
    distinct_cases = list(dict.fromkeys(cases))
    if remark.only_one and len(distinct_cases) > 1:
        axis, _ = records.values_at(())
        actual = f"two: {distinct_cases[0]} and {distinct_cases[1]}"
        raise MappingError(axis, axis.count - 1, actual, remark.message, remark.only_one)


def _read_blocks(preset: Preset, source: Source, request: Request) -> Iterator[Records]:
    """Yield the records of a file in blocks.

    If a mapping joins names from several paths, all records are in one block, because joining needs
    all of them."""
    mappings = _prefixed_mappings(preset, request.kind, ())
    is_joined = any(
        path.joined for mapping in mappings for paths in mapping.values() for path in paths
    )
    return read_blocks(source, _column_filter(preset, request.kind), in_one_block=is_joined)


def mend_blocks(preset: Preset, blocks: Iterator[Records], name: str) -> Iterator[Records]:
    """Apply the `mend` function of a preset to blocks of records, and yield the changed blocks."""
    if preset.mend is None:
        yield from blocks
        return
    lines: list[Any] = []

    def iterate_values() -> Iterator[list[Any]]:
        for records in blocks:
            lines[:] = [records.lines]
            yield records.values.to_list()

    for new_records in preset.mend(iterate_values(), name):
        line_numbers = lines[0]
        yield Records(
            PythonValues(new_records),
            line_numbers
            if line_numbers is not None and len(line_numbers) == len(new_records)
            else None,
        )


def _parse_steps(text: str) -> Steps:
    return parse_path(text or ".")[0].steps


def _find_prefix(preset: Preset, first_records: Records) -> Steps | None:
    """Return the first prefix of the preset below which the first record has all paths that
    identify the preset. Returns None if there is no such prefix."""
    for text in preset.inside:
        prefix = _parse_steps(text)
        if all(_has_value(first_records, prefix, path) for path in preset.recognised_by):
            return prefix
    return None


def _has_value(records: Records, prefix: Steps, path: str) -> bool:
    """Return whether `records`, a single record, has a value at this path below the prefix."""
    for alternative in parse_path(path):
        try:
            if not records.values_at((*prefix, *alternative.steps))[1].is_missing().all():
                return True
        except MappingError:
            continue
    return False


def _check_records(preset: Preset, records: Records, prefix: Steps) -> None:
    """Raise MappingError for a record that lacks one of the paths by which the preset is
    recognised.

    Empty lists are allowed."""
    axis, _ = records.values_at(prefix)
    for text in preset.recognised_by:
        paths = [RecordPath(tuple(takewhile(_is_key, path.steps))) for path in parse_path(text)]
        missing = np.ones(axis.count, np.bool_)
        for path in paths:
            missing &= records.values_at((*prefix, *path.steps))[1].is_missing()
        if missing.any():
            raise _missing_path_error(records, prefix, axis, int(np.argmax(missing)), paths)


def _is_key(step: Step) -> bool:
    return step.kind == "key"


def _missing_path_error(
    records: Records, prefix: Steps, axis: RowAxis, row: int, paths: Sequence[RecordPath]
) -> MappingError:
    """Return the error for a record that has none of these paths.

    The error describes the content of the record at the deepest path that exists."""
    for path in sorted(paths, key=lambda path: -len(path.steps)):
        _, parents = records.values_at((*prefix, *path.steps[:-1]))
        if not parents.is_missing()[row]:
            names = [entry for entry in paths if entry.steps[:-1] == path.steps[:-1]]
            expected = " or ".join(f"`{entry.steps[-1].name}`" for entry in names)
            key = "".join(map(str, path.steps[:-1]))
            return MappingError(axis, row, parents.describe(row), expected, key=key)
    _, entry = records.values_at(prefix)
    return MappingError(axis, row, entry.describe(row), f"`{paths[0]}`")


def _prefixed_mappings(preset: Preset, kind: Kind, prefix: Steps) -> Mappings:
    """Return the mappings of a kind of table, with `prefix` before each path."""
    texts = preset.tables[kind]
    return [
        {
            role: tuple(_add_prefix(prefix, path) for path in paths)
            for role, paths in mapping.items()
        }
        for mapping in map(parse_mapping, (texts,) if isinstance(texts, str) else texts)
    ]


def _add_prefix(prefix: Steps, path: RecordPath) -> RecordPath:
    if path.constant is not None:
        return path
    joined = tuple(_add_prefix(prefix, part) for part in path.joined)
    return replace(path, steps=(*prefix, *path.steps) if not joined else (), joined=joined)


def _column_filter(preset: Preset, kind: Kind) -> Callable[[str], bool]:
    """Return a function that decides by name which Parquet columns a kind of table needs."""
    if preset.mend is not None:
        return lambda name: True
    paths = [
        path
        for mapping in _prefixed_mappings(preset, kind, ())
        for alternatives in mapping.values()
        for path in alternatives
    ]
    paths += [path for text in preset.recognised_by for path in parse_path(text)]
    names = first_names(paths)
    excluded = preset.not_details if kind in ("queries", "scores") else None
    return (
        names.__contains__
        if excluded is None
        else lambda name: name in names or name not in excluded
    )


def _stored_scores(
    records: Records, query: RecordPath, steps: Steps
) -> Mapping[str, Mapping[str, float]]:
    """Return the finite scores that are stored in the records, as query_id -> name of the score ->
    value."""
    axis, values = records.values_at(steps)
    ids = align_column(records, query, axis).to_list()
    return {
        str(query_id): _finite_numbers(query_scores)
        for query_id, query_scores in zip(ids, values.to_list(), strict=True)
    }


def _finite_numbers(scores: Any) -> Mapping[str, float]:
    items = scores.items() if isinstance(scores, dict) else ()
    numbers = {name: float(value) for name, value in items if isinstance(value, NumberText)}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}
