"""The rows of a table from records and a mapping: a column for each role, all on one axis.

Rows are the axis of the documents; without documents the deepest one. What is above it is repeated,
what is beside it, or beside what is above it (in the same place, of the same lengths), is paired,
and lengths that differ are refused with their place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base.arrays import Ints
from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records, RowAxis, Values
from metrics_core.formats.mapping.paths import Alternatives, Path
from metrics_core.formats.values import is_number

DOC = "doc"


@dataclass(frozen=True, eq=False)
class RoleValues:
    """Values on an axis of their own and which of them each row of the table has, int64[row]; None
    if there is one for each row."""

    axis: RowAxis
    values: Values
    places: Ints | None = None

    def listed(self) -> Sequence[object]:
        """The value of each row."""
        return (self.values if self.places is None else self.values.take(self.places)).listed()


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by role, all for the rows of one axis, by the paths that were taken. Numbers of a
    `reversed` path are not reversed yet."""

    records: Records
    axis: RowAxis
    columns: Mapping[str, RoleValues]
    paths: Mapping[str, Path]


def rows_of(
    records: Records, mapping: Mapping[str, Alternatives], *, may_lack_lists: bool = False
) -> Rows:
    """Return the rows that a mapping means; a role without values is left out. Raises MappingError
    for values of another kind than the paths need, of other lengths than those beside them, in a
    place that does not belong to the rows, and for a record without its list of documents unless it
    `may_lack_lists`."""
    taken = {role: _first(records, paths) for role, paths in mapping.items()}
    paths = {role: path for role, path in taken.items() if path is not None}
    axis = _axis_of_rows(records, paths)
    if DOC in mapping and not may_lack_lists:
        listed = paths.get(DOC) or _of_lists(records, mapping[DOC])
        if listed is not None:
            _check_lists(records, listed)
            paths[DOC] = listed
            axis = records.values_at(listed.steps)[0]
    columns = {role: column_on(records, path, axis) for role, path in paths.items()}
    return Rows(records, axis, columns, paths)


def _first(records: Records, paths: Alternatives) -> Path | None:
    """The first alternative that has values. Raises MappingError if the last cannot be read."""
    for path in paths:
        try:
            if path.constant is not None or any(
                not records.values_at(part.steps)[1].missing().all()
                for part in path.joined or (path,)
            ):
                return path
        except MappingError:
            if path is paths[-1]:
                raise
    return None


def _of_lists(records: Records, paths: Alternatives) -> Path | None:
    """The first alternative that goes into something that is there, though no document is."""
    for path in paths:
        into = [at for at, step in enumerate(path.steps) if step.kind not in ("key", "item")]
        if into and not records.values_at(path.steps[: into[0]])[1].missing().all():
            return path
    return None


def _check_lists(records: Records, path: Path) -> None:
    """Refuse a record that has no list where a path goes into one, unless it is optional."""
    for number, step in enumerate(path.steps[1:], 1):
        before = path.steps[number - 1]
        if step.kind in ("items", "values") and before.kind == "key" and not step.optional:
            axis, objects = records.values_at(path.steps[: number - 1])
            absent = objects.lacks(before.name)
            if absent.any():
                row = int(np.argmax(absent))
                raise MappingError(axis, row, objects.shown(row), f"`{before.name}`")


def _axis_of_rows(records: Records, paths: Mapping[str, Path]) -> RowAxis:
    axes = {
        role: records.values_at(path.steps)[0]
        for role, path in paths.items()
        if path.constant is None and not path.joined and not path.most
    }
    return axes.get(DOC) or max(axes.values(), key=depth_of, default=records.values_at(())[0])


def depth_of(axis: RowAxis) -> int:
    """How many axes there are above."""
    return 0 if axis.above is None else 1 + depth_of(axis.above)


def column_on(records: Records, path: Path, rows: RowAxis) -> RoleValues:
    """The values at a path for each row of an axis. Raises MappingError as `rows_of`."""
    if path.constant is not None:
        return RoleValues(rows, PythonValues([path.constant]), np.zeros(rows.count, dtype=np.int64))
    if path.joined:
        # On the axis of the parts: on that of the rows a long name would be written once per row.
        axes = [records.values_at(part.steps)[0] for part in path.joined]
        axis = max(axes, key=depth_of)
        if axis.rows_on(rows) is None:
            axis = rows
        return _on(axis, _joined([column_on(records, part, axis) for part in path.joined]), rows)
    axis, values = records.values_at(path.steps)
    return _most_frequent(axis, values, rows) if path.most else _on(axis, values, rows)


def _on(axis: RowAxis, values: Values, rows: RowAxis) -> RoleValues:
    """The values of an axis on that of the rows: repeated from above, or paired beside it, or
    beside what is above it."""
    if axis is rows:
        return RoleValues(axis, values)
    above = axis.rows_on(rows)
    if above is not None:
        return RoleValues(axis, values, above)
    beside: RowAxis | None = rows
    while beside is not None and beside.above is not axis.above:
        beside = beside.above
    if beside is None or axis.above is None:
        raise MappingError(
            rows, 0, f"values at {axis.path}", f"values at the level of {rows.path} or above it"
        )
    lengths, own = _lengths(beside), _lengths(axis)
    differing = np.flatnonzero(lengths != own)
    if len(differing):
        row = int(differing[0])
        found = f"{own[row]:,} at {axis.path}"
        raise MappingError(axis.above, row, found, f"{lengths[row]:,}, as many as at {beside.path}")
    if axis.keys is not None and beside.keys is not None and axis.keys != beside.keys:
        pairs = zip(axis.keys, beside.keys, strict=True)
        row = next(row for row, (own, other) in enumerate(pairs) if own != other)
        raise MappingError(rows, row, f"the key {axis.keys[row]} at {axis.path}", "the same keys")
    return RoleValues(axis, values, None if beside is rows else beside.rows_on(rows))


def _lengths(axis: RowAxis) -> Ints:
    count = 0 if axis.above is None else axis.above.count
    return np.bincount(axis.parents, minlength=count)


def _joined(parts: Sequence[RoleValues]) -> PythonValues:
    """Names of several parts: each part only where it tells apart names that are alike so far."""
    names = [""] * len(parts[0].listed())
    for number, part in enumerate(parts):
        words = ["" if value is None else str(value) for value in part.listed()]
        spread = Counter(name for name, _ in set(zip(names, words, strict=True)))
        names = [
            f"{name} {word}".strip() if number == 0 or spread[name] > 1 else name
            for name, word in zip(names, words, strict=True)
        ]
    return PythonValues(names)


def _most_frequent(axis: RowAxis, values: Values, rows: RowAxis) -> RoleValues:
    """For each row the most frequent of its values; of those equally frequent the last."""
    above = rows.rows_on(axis)
    if above is None:
        raise MappingError(axis, 0, f"values at {axis.path}", f"values inside {rows.path}")
    # Numbers are the same by their worth: 3 and 3.0 were both said once, or one of them twice.
    counted = [dict[Hashable, list[Any]]() for _ in range(rows.count)]
    for row, value in zip(reversed(above.tolist()), reversed(values.listed()), strict=True):
        if value is not None:
            worth = float(value) if isinstance(value, str) and is_number(value) else value
            counted[row].setdefault(worth, []).append(value)
    most = [max(own.values(), key=len, default=[None])[0] for own in counted]
    return RoleValues(rows, PythonValues(most))
