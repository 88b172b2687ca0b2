"""Build the rows of a table from records and a mapping: one column for each role, all on the same
axis.

The axis of the rows is that of the documents, or the deepest axis if there are no documents. Values
on a higher axis are repeated for each row. Two axes with the same parent are parallel. If the axis
of some values is parallel to the axis of the rows, or to an axis above it, the two axes are paired
by position. If they have different numbers of values, an error states the position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records, RowAxis, Values
from metrics_core.formats.mapping.paths import Alternatives, RecordPath, RolePaths
from metrics_core.formats.values import is_number
from metrics_core.tables.arrays import as_array, as_column


def align_ids(rows: MappedRows, role: str, axis: RowAxis) -> pa.Array:
    """Return the ids of a role for each row of `axis` (one nesting level of the records),
    string[axis.count].

    `axis` is the axis of the table's rows, the axis of the ids, or an axis below the axis of the
    ids. Raises MappingError for an invalid id."""
    ids, column = valid_ids(rows, role), rows.columns[role]
    indexes = column.indexes if axis is rows.axis else column.axis.align_rows(axis)
    return ids if indexes is None else ids.take(as_column(indexes))


def valid_ids(rows: MappedRows, role: str) -> pa.Array:
    """Return the ids of a role as they occur in the records, string[n], before they are aligned
    with the rows of the table.

    Raises MappingError for an invalid id."""
    column = rows.columns[role]
    texts, is_valid = column.values.ids()
    if role == "system":
        texts = pc.fill_null(texts, "")
    else:
        is_valid = is_valid & as_array(pc.fill_null(pc.not_equal(texts, ""), False))
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise wrong_value_error(rows, role, row, EXPECTED_IDS[role])
    return texts


def wrong_value_error(
    rows: MappedRows, role: str, row: int, expected: str, hint: str = ""
) -> MappingError:
    """Return the error for an invalid value of a role. `row` is the index of the value among the
    values of the role."""
    column, path = rows.columns[role], rows.paths[role]
    if path.steps and path.steps[-1].kind == "key" and column.values.is_missing()[row]:
        _, objects = rows.records.values_at(path.steps[:-1])
        if objects.take(np.array([row])).key(path.steps[-1].name).to_list() == [None]:
            expected = f"an object with `{path.steps[-1].name}`"
            key = RecordPath(path.steps[:-1]).plain_text.removeprefix(column.axis.path)
            return MappingError(column.axis, row, objects.describe(row), expected, hint, key)
    key = path.plain_text.removeprefix("-").removeprefix(column.axis.path)
    return MappingError(column.axis, row, column.values.describe(row), expected, hint, key)


DOC = "doc"
EXPECTED_IDS = {
    "query": "the id of a query",
    "doc": "the id of a document",
    "system": "a run's name",
}


@dataclass(frozen=True, eq=False)
class RoleValues:
    """The values of a role as they occur in the records, and for each row of the table, the index
    of its value.

    `indexes` is int64[row]; None if there is exactly one value per row."""

    axis: RowAxis
    values: Values
    indexes: Ints | None = None

    def to_list(self) -> Sequence[object]:
        """Return the value of each row."""
        return (self.values if self.indexes is None else self.values.take(self.indexes)).to_list()


@dataclass(frozen=True, eq=False)
class MappedRows:
    """The columns of a table by role, and the paths that were used. The rows of the table are the
    rows of one axis (nesting level of the records).

    The numbers of a path that is `reversed` are not negated yet."""

    records: Records
    axis: RowAxis
    columns: Mapping[str, RoleValues]
    paths: Mapping[str, RecordPath]


def build_rows(records: Records, mapping: RolePaths, *, may_lack_lists: bool = False) -> MappedRows:
    """Build the rows of a mapping. A role without values is omitted.

    Raises MappingError if values have a type that does not fit the path, if lists that must be
    paired have different lengths, or if values cannot be aligned with the rows. Unless
    `may_lack_lists` is true, it is also raised if a record has no list of documents."""
    chosen_paths = {role: _first_with_values(records, paths) for role, paths in mapping.items()}
    paths = {role: path for role, path in chosen_paths.items() if path is not None}
    axis = _row_axis(records, paths)
    if DOC in mapping and not may_lack_lists:
        list_path = paths.get(DOC) or _find_list_path(records, mapping[DOC])
        if list_path is not None:
            _check_lists(records, list_path)
            paths[DOC] = list_path
            axis = records.values_at(list_path.steps)[0]
    columns = {role: align_column(records, path, axis) for role, path in paths.items()}
    return MappedRows(records, axis, columns, paths)


def _first_with_values(records: Records, paths: Alternatives) -> RecordPath | None:
    """Return the first path with values; None if no path has values. Raises MappingError if no path
    has values and the last path cannot be read."""
    for path in paths:
        try:
            if path.constant is not None or any(
                not records.values_at(part.steps)[1].is_missing().all()
                for part in path.joined or (path,)
            ):
                return path
        except MappingError:
            if path is paths[-1]:
                raise
    return None


def _find_list_path(records: Records, paths: Alternatives) -> RecordPath | None:
    """Return the first path whose list exists, even if the list contains no document."""
    for path in paths:
        list_steps = [
            index for index, step in enumerate(path.steps) if step.kind not in ("key", "item")
        ]
        if list_steps and not records.values_at(path.steps[: list_steps[0]])[1].is_missing().all():
            return path
    return None


def _check_lists(records: Records, path: RecordPath) -> None:
    """Raise MappingError for a record that lacks a list in the path, unless the step of the list is
    optional."""
    for index, step in enumerate(path.steps[1:], 1):
        parent_step = path.steps[index - 1]
        if step.kind in ("items", "values") and parent_step.kind == "key" and not step.optional:
            axis, objects = records.values_at(path.steps[: index - 1])
            is_absent = objects.lacks_key(parent_step.name)
            if is_absent.any():
                row = int(np.argmax(is_absent))
                raise MappingError(axis, row, objects.describe(row), f"`{parent_step.name}`")


def _row_axis(records: Records, paths: Mapping[str, RecordPath]) -> RowAxis:
    axes = {
        role: records.values_at(path.steps)[0]
        for role, path in paths.items()
        if path.constant is None and not path.joined and not path.most
    }
    return axes.get(DOC) or max(axes.values(), key=axis_depth, default=records.values_at(())[0])


def axis_depth(axis: RowAxis) -> int:
    """Return the depth of an axis (nesting level): the number of axes above it."""
    return 0 if axis.parent_axis is None else 1 + axis_depth(axis.parent_axis)


def align_column(records: Records, path: RecordPath, rows: RowAxis) -> RoleValues:
    """Return the values at a path, one for each of `rows`. Raises MappingError in the same cases as
    `build_rows`."""
    if path.constant is not None:
        return RoleValues(rows, PythonValues([path.constant]), np.zeros(rows.count, dtype=np.int64))
    if path.joined:
        # Join on the axis of the parts: on that of the rows a long name would be stored per row.
        axes = [records.values_at(part.steps)[0] for part in path.joined]
        axis = max(axes, key=axis_depth)
        if axis.align_rows(rows) is None:
            axis = rows
        return _align_values(
            axis, _join_names([align_column(records, part, axis) for part in path.joined]), rows
        )
    axis, values = records.values_at(path.steps)
    return (
        _most_frequent_values(axis, values, rows)
        if path.most
        else _align_values(axis, values, rows)
    )


def _align_values(axis: RowAxis, values: Values, rows: RowAxis) -> RoleValues:
    """Align values with the rows of a different axis (nesting level). Values from a level above the
    rows are repeated; all other values are paired with the rows by position."""
    if axis is rows:
        return RoleValues(axis, values)
    parent_rows = axis.align_rows(rows)
    if parent_rows is not None:
        return RoleValues(axis, values, parent_rows)
    sibling: RowAxis | None = rows
    while sibling is not None and sibling.parent_axis is not axis.parent_axis:
        sibling = sibling.parent_axis
    if sibling is None or axis.parent_axis is None:
        raise MappingError(
            rows, 0, f"values at {axis.path}", f"values at the same level as {rows.path} or above"
        )
    lengths, axis_value = _count_values(sibling), _count_values(axis)
    differences = np.flatnonzero(lengths != axis_value)
    if len(differences):
        row = int(differences[0])
        actual = f"{axis_value[row]:,} at {axis.path}"
        raise MappingError(
            axis.parent_axis, row, actual, f"{lengths[row]:,}, the same number as at {sibling.path}"
        )
    if axis.keys is not None and sibling.keys is not None and axis.keys != sibling.keys:
        pairs = zip(axis.keys, sibling.keys, strict=True)
        row = next(row for row, (axis_value, other) in enumerate(pairs) if axis_value != other)
        raise MappingError(rows, row, f"the key {axis.keys[row]} at {axis.path}", "the same keys")
    return RoleValues(axis, values, None if sibling is rows else sibling.align_rows(rows))


def _count_values(axis: RowAxis) -> Ints:
    count = 0 if axis.parent_axis is None else axis.parent_axis.count
    return np.bincount(axis.parents, minlength=count)


def _join_names(parts: Sequence[RoleValues]) -> PythonValues:
    """Return names that are joined from several parts. A later part is only added to names that are
    not unique without it."""
    columns = [["" if value is None else str(value) for value in part.to_list()] for part in parts]
    names = [""] * len(columns[0])
    for index, words in enumerate(columns):
        word_counts = Counter(name for name, _ in set(zip(names, words, strict=True)))
        names = [
            f"{name} {word}".strip() if index == 0 or word_counts[name] > 1 else name
            for name, word in zip(names, words, strict=True)
        ]
    return PythonValues(names)


def _most_frequent_values(axis: RowAxis, values: Values, rows: RowAxis) -> RoleValues:
    """Return the most frequent value inside each row of `rows`. If several values are equally
    frequent, the last of them is returned."""
    parent_rows = rows.align_rows(axis)
    if parent_rows is None:
        raise MappingError(axis, 0, f"values at {axis.path}", f"values inside {rows.path}")
    # Numbers are compared by value, so 3 and 3.0 are the same.
    values_by_row = [dict[Hashable, list[Any]]() for _ in range(rows.count)]
    for row, value in zip(reversed(parent_rows.tolist()), reversed(values.to_list()), strict=True):
        if value is not None:
            key = float(value) if isinstance(value, str) and is_number(value) else value
            values_by_row[row].setdefault(key, []).append(value)
    most_frequent = [max(groups.values(), key=len, default=[None])[0] for groups in values_by_row]
    return RoleValues(rows, PythonValues(most_frequent))
