"""Snapshots: the scores of one run by query, beside marks of the judgments that gave them, as a
file that is committed and read in a diff. No document and no text is in it.

A line for each query, in their order: a mark of its judgments (how many, and a hash of which
document has which grade), then its scores, each the shortest number that reads back to the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import (
    FileFormatError,
    LineProblem,
    RanklensError,
    UnknownMeasureError,
)
from metrics_core.base.version import __version__
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import coded
from metrics_core.tables.run_names import baseline_name, free_name

Hashes = npt.NDArray[np.uint64]

KEY = "ranklens snapshot"
"""The first key of a snapshot; its value is the version of the format."""
FORMAT = 1

ANEW = "Make it anew: python -m metrics_core snapshot QRELS RUN -o FILE."
_FACTOR, _SECOND, _THIRD = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_HEX = 12


@dataclass(frozen=True)
class Origin:
    """What a snapshot was made from: the path of the run's file and the beginning of its hash, that
    of the queries file, the choices of reading that change scores by option, by measure the package
    that adds it with its version, the version of Ranklens; and what its maker says of it, such as
    the machine or the version of an embedding. "" is what there is none of."""

    file: str = ""
    fingerprint: str = ""
    queries: str = ""
    label: str = ""
    reading: Mapping[str, str] = field(default_factory=dict)
    added_by: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The scores of one run, its queries in the order of their ids; by query the mark of its
    judgments, such as "14 9f3a2c1b"; and what they were made from."""

    scores: Scores
    marks: Mapping[str, str]
    origin: Origin = Origin()

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.scores.runs[0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What it has scores of."""
        return self.scores.measures


@dataclass(frozen=True)
class Changes:
    """What changed since a snapshot: queries that are no longer judged, and that are now; of those
    whose judgments are others, how many grades there were and are; measures it lacks, and those
    that another version of a package measures."""

    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    judged: Mapping[str, tuple[int, int]] | None = None
    lacking: tuple[Measure, ...] = ()
    remade: tuple[Measure, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.judged or self.uncompared)

    @property
    def uncompared(self) -> tuple[Measure, ...]:
        """The measures that cannot be compared."""
        return (*self.lacking, *self.remade)


NOTHING_CHANGED = Changes()


def marks_of(qrels: Qrels) -> dict[str, str]:
    """By query how many grades it has, and a hash of which document has which; in whatever order
    the judgments stand."""
    table = qrels.given
    query = coded(table["query_id"])
    codes = values_of(query.indices)
    rows = _mixed(_hashed(table["doc_id"]))
    if "subtopic" in table.column_names:
        rows = _mixed(rows + _mixed(_hashed(coded(table["subtopic"]).cast(pa.string()))) * _SECOND)
    grades = values_of(table["relevance"]).astype(np.float64) + 0.0
    rows = _mixed(rows + _mixed(grades.view(np.uint64)) * _THIRD)
    sums = np.zeros(len(query.dictionary), dtype=np.uint64)
    np.add.at(sums, codes, rows)
    counts = np.bincount(codes, minlength=len(sums)).tolist()
    short = (sums >> np.uint64(32)).tolist()
    named = zip(query.dictionary.to_pylist(), counts, short, strict=True)
    return {query_id: f"{count} {mark:08x}" for query_id, count, mark in named if count}


def _hashed(texts: pa.ChunkedArray | pa.Array) -> Hashes:
    """A hash of each text: its bytes as the digits of a number to a fixed base."""
    column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    column = pc.cast(column, pa.large_binary())
    _, edges, body = column.buffers()
    edge = np.frombuffer(edges, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    own = np.frombuffer(body or b"", dtype=np.uint8)[edge[0] : edge[-1]].astype(np.uint64)
    lengths = np.diff(edge)
    place = np.arange(len(own)) - np.repeat(edge[:-1] - edge[0], lengths)
    powers = np.full(int(lengths.max(initial=0)) + 1, _FACTOR)
    digits = (own + np.uint64(1)) * np.multiply.accumulate(powers)[place]
    whole = np.concatenate([np.zeros(1, np.uint64), np.add.accumulate(digits)])
    return whole[edge[1:] - edge[0]] - whole[edge[:-1] - edge[0]]


def _mixed(numbers: Hashes) -> Hashes:
    """Numbers whose every bit depends on all of theirs (the finaliser of SplitMix64)."""
    mixed = numbers + _FACTOR
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _SECOND
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _THIRD
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def snapshot_of(scores: Scores, qrels: Qrels, origin: Origin) -> Snapshot:
    """The snapshot of the only run of these scores, which were made with these judgments; who adds
    its measures is found here."""
    marks, order = marks_of(qrels), np.argsort(np.array(scores.query_ids, dtype=object))
    ids = tuple(scores.query_ids[i] for i in order)
    ordered = Scores(
        scores.runs, ids, scores.measures, scores.values[:, order], scores.missing[:, order]
    )
    return Snapshot(
        ordered,
        {q: marks[q] for q in ids},
        replace(origin, added_by=_added_by(scores.measures)),
    )


def _added_by(measures: Iterable[Measure]) -> dict[str, str]:
    """By measure the package that adds it, and its version; without ours."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for measure in measures:
        package = measure.declaration.added_by
        if package:
            with suppress(PackageNotFoundError):
                package = f"{package} {version(package)}"
            found[str(measure)] = package
    return found


def text_of(snapshot: Snapshot) -> str:
    """A snapshot as the text of its file."""
    lines, origin = _lines(snapshot), snapshot.origin
    head = {
        KEY: FORMAT,
        "made by": origin.version,
        "run": snapshot.run,
        "file": [origin.file, origin.fingerprint],
        "label": origin.label,
        "reading": dict(origin.reading),
        "queries file": origin.queries,
        "measures": [str(measure) for measure in snapshot.measures],
        "added by": dict(origin.added_by),
        "check": _check(lines),
    }
    told = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    return "{{{},\n{}: {{\n{}\n}}}}\n".format(",\n".join(told), '"scores"', ",\n".join(lines))


def _lines(snapshot: Snapshot) -> list[str]:
    values = snapshot.scores.values[0].tolist()
    return [
        f"{_json(query_id)}: {_json([snapshot.marks[query_id], *map(_number, own)])}"
        for query_id, own in zip(snapshot.scores.query_ids, values, strict=True)
    ]


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _check(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_HEX]


def fingerprint(path: str) -> str:
    """The beginning of the hash of a file's bytes; "" of what is no file."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_HEX]


def is_snapshot(path: str) -> bool:
    """Whether a file begins as a snapshot does."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(KEY) + 16).lstrip().startswith(f'{{"{KEY}"'.encode())


def read_snapshot(path: str) -> Snapshot:
    """The snapshot in a file. Raises FileFormatError where it is damaged, and RanklensError where a
    later Ranklens made it."""
    name = Path(path).name
    try:
        given = json.loads(Path(path).read_text("utf-8"))
        format = given[KEY]
    except json.JSONDecodeError as error:
        raise _damaged(name, f"{error.msg} at column {error.colno}", error.lineno) from error
    except (UnicodeDecodeError, KeyError, TypeError) as error:
        raise _damaged(name, "something else") from error
    if isinstance(format, int) and format > FORMAT:
        raise RanklensError(
            f"{name} is a snapshot of a later Ranklens ({given.get('made by', '?')}): format"
            f" {format}, where this one reads {FORMAT}.",
            f"Update Ranklens here. {ANEW}",
        )
    try:
        found = _parsed(given)
    except UnknownMeasureError as error:
        raise RanklensError(
            f"{name}, a snapshot: {error.message}", f"{error.hint} {ANEW}"
        ) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(name, "a part that is missing or no such thing") from error
    if given["check"] != _check(_lines(found)):
        raise _damaged(name, "scores that do not fit its check")
    return found


def refuse_other_reading(path: str, snapshot: Snapshot, reading: Mapping[str, str]) -> None:
    """Refuse runs that are read with other choices than those of the snapshot in a file."""
    then = dict(snapshot.origin.reading)
    if then != reading:
        said = [" ".join(f"{k} {v}" for k, v in each.items()) or "none" for each in (then, reading)]
        raise RanklensError(
            f"{path} was made with other choices of reading ({said[0]}) than these ({said[1]}).",
            f"Give the same ones. {ANEW}",
        )


def _parsed(given: Mapping[str, Any]) -> Snapshot:
    measures = tuple(parse_measure(name) for name in given["measures"])
    rows = given["scores"]
    values = np.array(
        [[np.nan if v is None else float(v) for v in row[1:]] for row in rows.values()],
        dtype=np.float64,
    ).reshape(len(rows), len(measures))
    shape = (1, len(rows))
    scores = Scores(
        runs=(str(given["run"]),),
        query_ids=tuple(rows),
        measures=measures,
        values=values[None],
        missing=np.zeros(shape, dtype=np.bool_),
    )
    marks = {query_id: str(row[0]) for query_id, row in rows.items()}
    reading, added_by = (
        {str(k): str(v) for k, v in given[name].items()} for name in ("reading", "added by")
    )
    file, mark = map(str, given["file"])
    queries, label, version = (str(given[name]) for name in ("queries file", "label", "made by"))
    origin = Origin(file, mark, queries, label, reading, added_by, version)
    return Snapshot(scores, marks, origin)


def _damaged(name: str, found: str, line: int | None = None) -> FileFormatError:
    problem = LineProblem(line, found, "a snapshot as it was written")
    hint = f"The file was cut short, merged or edited by hand. {ANEW}"
    return FileFormatError(name, [problem], hint=hint)


def changes_since(
    snapshot: Snapshot, marks: Mapping[str, str], measures: Sequence[Measure]
) -> Changes:
    """What is otherwise now, with judgments of these marks and for these measures."""
    both = [query_id for query_id in snapshot.marks if query_id in marks]
    now = _added_by(measures)
    return Changes(
        gone=tuple(query_id for query_id in snapshot.marks if query_id not in marks),
        new=tuple(query_id for query_id in marks if query_id not in snapshot.marks),
        judged={
            query_id: (_grades(snapshot.marks[query_id]), _grades(marks[query_id]))
            for query_id in both
            if snapshot.marks[query_id] != marks[query_id]
        },
        lacking=tuple(m for m in measures if m not in snapshot.measures),
        remade=tuple(
            m
            for m in measures
            if m in snapshot.measures
            and snapshot.origin.added_by.get(str(m), "") != now.get(str(m), "")
        ),
    )


def _grades(mark: str) -> int:
    return int(mark.partition(" ")[0])


def beside(snapshot: Snapshot, scores: Scores, changes: Changes) -> Scores:
    """The snapshot's run before those of `scores`, on the queries whose judgments are as they were
    and by the measures that both have. Its name is another where one of them has it."""
    place = {query_id: i for i, query_id in enumerate(snapshot.scores.query_ids)}
    changed = {*changes.new, *(changes.judged or {})}
    kept = np.array([q not in changed for q in scores.query_ids], dtype=np.bool_)
    own = scores.among(kept)
    rows = np.array([place[query_id] for query_id in own.query_ids], dtype=np.int64)
    measures = tuple(m for m in scores.measures if m not in changes.uncompared)
    then = snapshot.scores.values[:, rows][:, :, [snapshot.measures.index(m) for m in measures]]
    now = own.values[:, :, [scores.measures.index(m) for m in measures]]
    runs = [baseline_name(snapshot.run, scores.runs)]
    for run in scores.runs:
        runs.append(free_name(run, runs))
    missing = np.concatenate([np.zeros((1, len(rows)), dtype=np.bool_), own.missing])
    return Scores(tuple(runs), own.query_ids, measures, np.concatenate([then, now]), missing)
