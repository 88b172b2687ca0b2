"""Snapshots: the scores of one run by query, with marks of the judgments, in a file that can be
committed and compared in a diff. A snapshot contains no documents and no texts.

The file has one line per query. The line begins with a mark of the query's judgments (their number,
and a hash of documents and grades). The scores follow, each as the shortest number that is read
back exactly. The checksum is a hash of all other values, so it stays valid if a file is only
reformatted with different white space or order of keys."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metrics_core.base.errors import (
    FileFormatError,
    RanklensError,
    UnknownMeasureError,
    content_error,
)
from metrics_core.base.version import __version__
from metrics_core.checks.judgment_marks import (
    WITHOUT_JUDGMENTS,
    combine_query_hashes,
    judgment_marks,
)
from metrics_core.checks.strict_json import HEX, hash_values, parse_json, shorten_number
from metrics_core.measures import Measure, make_given_measure, parse_measure
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels

KEY = "ranklens snapshot"
"""The first key of a snapshot; its value is the version of the format."""
FORMAT = 2
"""The format version of new snapshots. Version 1 can still be read: its checksum covers only the
scores, and it has no best means and no list of unanswered queries."""

REMAKE_HINT = "Make a new one: metrics-core snapshot QRELS RUN -o FILE."
_MARK = re.compile(r"\d{1,15} [0-9a-f]{8}")
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_HAS_KEY = re.compile(rf'"{KEY}"\s*:'.encode())
_BYTES_CHECKED = 1 << 16


@dataclass(frozen=True)
class Origin:
    """The sources of a snapshot. A missing source is "".

    file         path of the run's file
    fingerprint  beginning of the hash of this file
    queries      beginning of the hash of the queries file
    label        label chosen by the user, such as the machine or the version of an embedding
    reading      reading options that change scores
    added_by     package and version of each plug-in measure
    version      version of Ranklens"""

    file: str = ""
    fingerprint: str = ""
    queries: str = ""
    label: str = ""
    reading: Mapping[str, str] = field(default_factory=dict)
    added_by: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__


class BestMean(NamedTuple):
    """The best mean that a baseline ever had on a measure. `judgments` is the combined mark (a
    hash) of all judgments at that time."""

    mean: float
    judgments: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The scores of one run, with queries sorted by id.

    `marks` has the mark of each query's judgments, such as "14 9f3a2c1b". `best` has, for each
    measure, the best mean among this run and the runs of the earlier snapshots that this snapshot
    replaced."""

    scores: Scores
    marks: Mapping[str, str]
    origin: Origin = Origin()
    best: Mapping[str, BestMean] = field(default_factory=dict)

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.scores.runs[0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures with scores."""
        return self.scores.measures


def make_snapshot(
    scores: Scores, qrels: Qrels | None, origin: Origin, previous: Snapshot | None = None
) -> Snapshot:
    """Create the snapshot of the scores of a single run.

    `qrels` are the judgments from which the scores were computed; None if another tool computed the
    scores. The packages of plug-in measures are added to `origin`. `previous` is the snapshot to be
    replaced. For each measure, the new snapshot keeps the best mean in `previous` if it is better
    than the new mean, unless reading options or the measure's package changed."""
    marks = judgment_marks(scores.query_ids, qrels)
    order = np.argsort(np.array(scores.query_ids, dtype=object))
    ids = tuple(scores.query_ids[i] for i in order)
    ordered = Scores(
        scores.runs, ids, scores.measures, scores.values[:, order], scores.missing[:, order]
    )
    own_marks = {q: marks[q] for q in ids}
    added_by = find_measure_packages(scores.measures)
    best = _find_means(ordered, own_marks)
    if previous and previous.origin.reading == origin.reading:
        for measure in scores.measures:
            name = str(measure)
            before = previous.best.get(name)
            if before and previous.origin.added_by.get(name) == added_by.get(name):
                now = best.setdefault(name, before)
                if (before.mean - now.mean) * measure.declaration.direction > 0:
                    best[name] = before
    return Snapshot(ordered, own_marks, replace(origin, added_by=added_by), best)


def _find_means(scores: Scores, marks: Mapping[str, str]) -> dict[str, BestMean]:
    """Return the mean of each measure for the single run in `scores`, by measure name. Undefined
    means are omitted."""
    judgments = combine_query_hashes(marks)
    means = zip(scores.measures, scores.combined()[0].tolist(), strict=True)
    return {str(m): BestMean(mean, judgments) for m, mean in means if math.isfinite(mean)}


def find_measure_packages(measures: Iterable[Measure]) -> dict[str, str]:
    """Return the package and version of each plug-in measure, by measure name."""
    from importlib.metadata import PackageNotFoundError, version

    packages = {}
    for measure in measures:
        package = measure.declaration.added_by
        if package:
            with suppress(PackageNotFoundError):
                package = f"{package} {version(package)}"
            packages[str(measure)] = package
    return packages


def format_snapshot(snapshot: Snapshot) -> str:
    """Return a snapshot as the text of its file."""
    rows, origin = _make_rows(snapshot), snapshot.origin
    unanswered = snapshot.scores.missing[0].tolist()
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
        "best": {name: list(best_mean) for name, best_mean in snapshot.best.items()},
        "unanswered": [q for q, is_missing in zip(rows, unanswered, strict=True) if is_missing],
    }
    # Text that cannot be encoded is rejected by the caller, which knows the name of the file.
    head["check"] = hash_values({**head, "scores": rows}, errors="surrogatepass")
    head_lines = [f"{_to_json(key)}: {_to_json(value)}" for key, value in head.items()]
    lines = ",\n".join(_format_lines(rows))
    return "{{{},\n{}: {{\n{}\n}}}}\n".format(",\n".join(head_lines), '"scores"', lines)


def _make_rows(snapshot: Snapshot) -> dict[str, list[Any]]:
    """Return the rows of the snapshot by query id. Each row is a list: the mark of the query's
    judgments, followed by the scores. Undefined scores are None."""
    values = snapshot.scores.values[0].tolist()
    return {
        query_id: [snapshot.marks[query_id], *map(shorten_number, scores)]
        for query_id, scores in zip(snapshot.scores.query_ids, values, strict=True)
    }


def _format_lines(rows: Mapping[str, list[Any]]) -> list[str]:
    return [f"{_to_json(query_id)}: {_to_json(row)}" for query_id, row in rows.items()]


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _checksum_of_version_1(rows: Mapping[str, list[Any]]) -> str:
    """Return the checksum of format version 1. It covers only the scores."""
    return hashlib.sha256("\n".join(_format_lines(rows)).encode()).hexdigest()[:HEX]


def file_fingerprint(path: str) -> str:
    """Return the start of the hash of a file's bytes; "" if the path is not a file."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:HEX]


def is_snapshot(path: str) -> bool:
    """Return whether the beginning of a file looks like a snapshot. The keys may be in any
    order."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        beginning = file.read(_BYTES_CHECKED)
        if not _BEGINNING.match(beginning):
            return False
        if _HAS_KEY.search(beginning):
            return True
        file.seek(max(0, file.seek(0, 2) - _BYTES_CHECKED))
        return bool(_HAS_KEY.search(file.read(_BYTES_CHECKED)))


def read_snapshot(path: str) -> Snapshot:
    """Read a snapshot file.

    Raises FileFormatError if the file is damaged, and RanklensError if a newer Ranklens made it."""
    name = Path(path).name
    try:
        document = parse_json(Path(path).read_bytes())
        format = document[KEY]
    except json.JSONDecodeError as error:
        raise _damaged_snapshot_error(
            name, f"{error.msg} at column {error.colno}", error.lineno
        ) from error
    except UnicodeDecodeError as error:
        raise _damaged_snapshot_error(name, "bytes that are not UTF-8") from error
    except ValueError as error:
        raise _damaged_snapshot_error(name, str(error)) from error
    except (KeyError, TypeError) as error:
        raise _damaged_snapshot_error(name, "a different structure") from error
    if type(format) is int and format > FORMAT:
        raise RanklensError(
            f"{name} is a snapshot in format {format}, from a newer Ranklens"
            f" ({document.get('made by', '?')}). This version reads only formats up to {FORMAT}.",
            f"Update Ranklens on this computer. {REMAKE_HINT}",
        )
    try:
        check = hash_values({key: value for key, value in document.items() if key != "check"})
        snapshot = _parse_snapshot(document)
    except UnknownMeasureError as error:
        raise RanklensError(
            f"{name}, a snapshot: {error.message}", f"{error.hint} {REMAKE_HINT}"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _damaged_snapshot_error(name, "a missing or malformed part") from error
    if format == 1:
        check = _checksum_of_version_1(_make_rows(snapshot))
    if document.get("check") != check:
        raise _damaged_snapshot_error(name, "values that do not match the checksum")
    return snapshot


def read_given_snapshot(path: str, measures: Iterable[Measure]) -> Snapshot:
    """Read a snapshot of scores that another tool computed. Raises the errors of `read_snapshot`.

    The measures in the snapshot have neither a direction nor a scale. Each of them is therefore
    replaced by the measure with the same name in `measures`, if there is one."""
    snapshot, by_name = read_snapshot(path), {str(measure): measure for measure in measures}
    matched = tuple(by_name.get(str(measure), measure) for measure in snapshot.measures)
    return replace(snapshot, scores=replace(snapshot.scores, measures=matched))


def refuse_changed_reading_options(
    path: str, snapshot: Snapshot, reading_options: Mapping[str, str]
) -> None:
    """Raise RanklensError if the snapshot at `path` was made with other reading options."""
    old_choices = dict(snapshot.origin.reading)
    if old_choices != reading_options:
        texts = [
            " ".join(f"{k} {v}" for k, v in each.items()) or "none"
            for each in (old_choices, reading_options)
        ]
        raise RanklensError(
            f"The reading options of {path} ({texts[0]}) differ from the current ones"
            f" ({texts[1]}).",
            f"Use the same options. {REMAKE_HINT}",
        )


def _parse_snapshot(document: Mapping[str, Any]) -> Snapshot:
    if type(document[KEY]) is not int or document[KEY] < 1:
        raise ValueError("no format version")
    rows = {query_id: document["scores"][query_id] for query_id in sorted(document["scores"])}
    if not all(_MARK.fullmatch(row[0]) for row in rows.values()):
        raise ValueError("a malformed mark")
    values = np.array(
        [[_parse_score(v) for v in row[1:]] for row in rows.values()], dtype=np.float64
    )
    is_given = {row[0] for row in rows.values()} == {WITHOUT_JUDGMENTS}
    measures = tuple(
        make_given_measure(name.removeprefix(PREFIX), values[:, i])
        if is_given
        else parse_measure(name)
        for i, name in enumerate(document["measures"])
    )
    unanswered = set(document["unanswered"]) if document[KEY] > 1 else set()
    scores = Scores(
        runs=(str(document["run"]),),
        query_ids=tuple(rows),
        measures=measures,
        values=values.reshape(1, len(rows), len(measures)),
        missing=np.array([[query_id in unanswered for query_id in rows]], dtype=np.bool_),
    )
    marks = {query_id: row[0] for query_id, row in rows.items()}
    reading, added_by = (
        {str(k): str(v) for k, v in document[name].items()} for name in ("reading", "added by")
    )
    file, mark = map(str, document["file"])
    queries, label, version = (str(document[name]) for name in ("queries file", "label", "made by"))
    origin = Origin(file, mark, queries, label, reading, added_by, version)
    if document[KEY] == 1:
        return Snapshot(scores, marks, origin, _find_means(scores, marks))
    best = {
        name: BestMean(_parse_score(mean), str(then))
        for name, (mean, then) in document["best"].items()
    }
    return Snapshot(scores, marks, origin, best)


def _parse_score(value: Any) -> float:
    """Return a score, NaN for null. Raises ValueError for any other value that is not a finite
    number."""
    if value is None:
        return math.nan
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("a value that is not a finite number")
    return float(value)


def _damaged_snapshot_error(name: str, finding: str, line: int | None = None) -> FileFormatError:
    hint = f"The file was truncated, merged or edited by hand. {REMAKE_HINT}"
    return content_error(name, finding, "an unmodified snapshot", hint, line=line)
