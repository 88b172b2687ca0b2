"""Files of tools, by their presets: which kinds of table one holds, and each of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records, RowAxis
from metrics_core.formats.mapping.paths import Alternatives, Path, Step, parse_mapping, parse_path
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.mapping.records import blocks_of, first_records
from metrics_core.formats.mapping.rows import column_on
from metrics_core.formats.mapping.tables import Mappings, Rules, load_mapped
from metrics_core.formats.mapping.texts import load_texts
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.systems import FormatDetails
from metrics_core.formats.registry import Kind, Loaded, Request, Sample
from metrics_core.formats.source.source import Source


def recognise(preset: Preset, sample: Sample) -> Mapping[Kind, int]:
    """By the first record."""
    return dict.fromkeys(kinds_in(preset, first_records(sample)[0]), preset.sureness)


def kinds_in(preset: Preset, records: Sequence[Any]) -> list[Kind]:
    """What records hold of it, by the first; nothing if they are others."""
    if not records or not isinstance(records[0], dict) or not preset.also(records[0]):
        return []
    own = records[:1] if preset.mend is None else next(preset.mend([[*records[:1]]], ""))
    first = Records(PythonValues([*own]))
    before = _inside(preset, first)
    if before is None:
        return []
    needs = preset.needs
    return [k for k in preset.tables if k not in needs or _has(first, before, needs[k])]


def read(
    preset: Preset, source: Source, request: Request, given: Iterator[Records] | None = None
) -> Loaded:
    """The table of a kind, from the records of a file, or those that are `given` and mended. Raises
    FileFormatError."""
    remarks = [own for own in preset.remarks if request.kind in own.kinds]
    found = {own: list[str]() for own in remarks if own.found is not None}
    stored: dict[str, Mapping[str, float]] = {}
    before: tuple[Step, ...] | None = None

    def mappings_of(records: Records) -> Iterator[Mapping[str, Alternatives]]:
        nonlocal before
        if before is None:
            one = Records(records.values.take(np.arange(min(len(records.values), 1))))
            fitting = _inside(preset, one)
            before = _steps(preset.inside[0]) if fitting is None else fitting
        _check(preset, records, before)
        mappings = _mappings(preset, request.kind, before)
        yield from mappings
        # The rows are read by now, so that what is looked at is as the mappings say.
        for remark, cases in found.items():
            cases += remark.found(records) if remark.found is not None else ()
            _check_only_one(remark, cases, records)
        if preset.stored and request.kind == "run":
            stored.update(
                _stored(records, mappings[0]["query"][0], (*before, *_steps(preset.stored)))
            )

    if request.duplicates == "error":
        request = replace(request, duplicates=preset.duplicates)
    blocks = given or mended(preset, _blocks(preset, source, request), request.run_name)
    hint = f"A record looks like {preset.example}."
    if request.kind in ("queries", "documents"):
        details = preset.not_details if request.kind == "queries" else None
        table = load_texts(
            *(source, request, blocks, mappings_of),
            title=preset.title,
            not_details=details,
            hint=hint,
        )
        loaded = Loaded(table, preset.name, preset.title, source.name)
    else:
        empty = next((own for own in remarks if own.found is None), Rules.empty)
        rules = Rules(preset.title, request.kind in preset.once, empty)
        loaded = load_mapped(
            *(source, request, blocks, mappings_of),
            lambda: FormatDetails(preset.name, preset.title, scored=True),
            hint=hint,
            rules=rules,
        )
    said = {own: cases for own, cases in found.items() if cases and not own.only_one}
    notes = [remark.note(cases) for remark, cases in said.items()]
    return replace(loaded, table=loaded.table.noting(*notes), stored=stored)


def _check_only_one(remark: Remark, cases: list[str], records: Records) -> None:
    several = list(dict.fromkeys(cases))
    if remark.only_one and len(several) > 1:
        axis, _ = records.values_at(())
        found = f"two, {several[0]} and {several[1]}"
        raise MappingError(axis, axis.count - 1, found, remark.message, remark.only_one)


def _blocks(preset: Preset, source: Source, request: Request) -> Iterator[Records]:
    """The records; all at once if names are joined, which takes all of them."""
    mappings = _mappings(preset, request.kind, ())
    is_joined = any(path.joined for own in mappings for paths in own.values() for path in paths)
    return blocks_of(source, _wanted(preset, request.kind), at_once=is_joined)


def mended(preset: Preset, blocks: Iterator[Records], name: str) -> Iterator[Records]:
    """The records as the preset changes them before they are read."""
    if preset.mend is None:
        yield from blocks
        return
    lines: list[Any] = []

    def values() -> Iterator[list[Any]]:
        for records in blocks:
            lines[:] = [records.lines]
            yield records.values.listed()

    for made in preset.mend(values(), name):
        own = lines[0]
        yield Records(
            PythonValues(made), own if own is not None and len(own) == len(made) else None
        )


def _steps(text: str) -> tuple[Step, ...]:
    return parse_path(text or ".")[0].steps


def _inside(preset: Preset, first: Records) -> tuple[Step, ...] | None:
    """The first path in front of which a record has all that it is known by."""
    for text in preset.inside:
        before = _steps(text)
        if all(_has(first, before, path) for path in preset.recognised_by):
            return before
    return None


def _has(records: Records, before: tuple[Step, ...], path: str) -> bool:
    """Whether the only record has a value at a path."""
    for own in parse_path(path):
        try:
            if not records.values_at((*before, *own.steps))[1].missing().all():
                return True
        except MappingError:
            continue
    return False


def _check(preset: Preset, records: Records, before: tuple[Step, ...]) -> None:
    """Raise MappingError for a record without what all are known by; a list may be empty."""
    axis, _ = records.values_at(before)
    for text in preset.recognised_by:
        paths = [Path(tuple(takewhile(_is_key, path.steps))) for path in parse_path(text)]
        missing = np.ones(axis.count, np.bool_)
        for path in paths:
            missing &= records.values_at((*before, *path.steps))[1].missing()
        if missing.any():
            raise _lacking(records, before, axis, int(np.argmax(missing)), paths)


def _is_key(step: Step) -> bool:
    return step.kind == "key"


def _lacking(
    records: Records, before: tuple[Step, ...], axis: RowAxis, row: int, paths: Sequence[Path]
) -> MappingError:
    """The error for a record with none of these paths: what is there in place of the deepest."""
    for path in sorted(paths, key=lambda path: -len(path.steps)):
        _, parents = records.values_at((*before, *path.steps[:-1]))
        if not parents.missing()[row]:
            names = [own for own in paths if own.steps[:-1] == path.steps[:-1]]
            expected = " or ".join(f"`{own.steps[-1].name}`" for own in names)
            key = "".join(map(str, path.steps[:-1]))
            return MappingError(axis, row, parents.shown(row), expected, key=key)
    _, own = records.values_at(before)
    return MappingError(axis, row, own.shown(row), f"`{paths[0]}`")


def _mappings(preset: Preset, kind: Kind, before: tuple[Step, ...]) -> Mappings:
    """The mappings of a kind with the path in front."""
    texts = preset.tables[kind]
    return [
        {role: tuple(_behind(before, path) for path in paths) for role, paths in own.items()}
        for own in map(parse_mapping, (texts,) if isinstance(texts, str) else texts)
    ]


def _behind(before: tuple[Step, ...], path: Path) -> Path:
    if path.constant is not None:
        return path
    joined = tuple(_behind(before, part) for part in path.joined)
    return replace(path, steps=(*before, *path.steps) if not joined else (), joined=joined)


def _wanted(preset: Preset, kind: Kind) -> Callable[[str], bool]:
    """Which columns of Parquet a kind is read from."""
    if preset.mend is not None:
        return lambda name: True
    paths = [path for own in _mappings(preset, kind, ()) for each in own.values() for path in each]
    paths += [path for text in preset.recognised_by for path in parse_path(text)]
    names = {path.steps[0].name for path in paths if path.steps}
    left = preset.not_details if kind == "queries" else None
    return names.__contains__ if left is None else lambda name: name in names or name not in left


def _stored(
    records: Records, query: Path, steps: tuple[Step, ...]
) -> Mapping[str, Mapping[str, float]]:
    """The scores that records state, those that are numbers, by query."""
    axis, values = records.values_at(steps)
    ids = column_on(records, query, axis).listed()
    return {str(own_id): _numbers(own) for own_id, own in zip(ids, values.listed(), strict=True)}


def _numbers(stated: Any) -> Mapping[str, float]:
    there = stated.items() if isinstance(stated, dict) else ()
    numbers = {name: float(value) for name, value in there if isinstance(value, NumberText)}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}
