"""Find the values at a path for all records at once, level by level.

Each value belongs to a row of an axis. The rows of the first axis are the records. The rows of a
deeper axis are the items of lists, or the values of objects, inside the rows of its parent axis.
JSON and Python objects are stored as Python values, Parquet and frames as Arrow arrays; both
implement `Values`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.formats.mapping.paths import RecordPath, Step, Steps
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.values import parse_scores
from metrics_core.tables.arrays import (
    as_array,
    as_text_column,
    is_coded,
    is_list_type,
    is_text_type,
)
from metrics_core.tables.columns import ID

_MAX_LENGTH = 60
_WHOLE_NUMBER = re.compile(r"-?\d+", re.ASCII)


class MappingError(ValueError):
    """Error for a value that cannot be read with a path.

    found     the actual value, with its position in the record
    expected  a description of valid values
    row_path  path of the value in its record. It is the path of the row, followed by `key`
    offer     option for reading the file that would accept the value"""

    def __init__(
        self,
        axis: RowAxis,
        row: int,
        actual: str,
        expected: str,
        hint: str = "",
        key: str = "",
        offer: str = "",
    ) -> None:
        self.axis, self.row, self.expected, self.hint = axis, row, expected, hint
        self.offer = offer
        self.row_path = f"{axis.row_path(row)}{key}".removeprefix(".")
        self.found = f"{actual} at {self.row_path}" if self.row_path else actual
        record = axis.record_rows(np.array([row]))[0] + 1
        super().__init__(f"record {record}: expected {expected}, found {self.found}")


@dataclass(frozen=True, eq=False)
class RowAxis:
    """The rows of one nesting level: the records, or the values at `path` inside each row of
    `parent_axis`, the level above.

    count    number of rows
    parents  row of the parent axis for each row, ascending; int64[count]
    keys     key of each row if the rows are the values of objects"""

    count: int
    path: str = ""
    parent_axis: RowAxis | None = None
    parents: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    keys: Sequence[str] | None = None

    def row_path(self, row: int) -> str:
        """Return the position of a row in its record, such as hits[1].tags[0]."""
        if self.parent_axis is None:
            return ""
        parent = int(self.parents[row])
        first = int(np.searchsorted(self.parents, parent))
        relative_path = (
            self.path.removeprefix(self.parent_axis.path).removesuffix("[]").removesuffix("*")
        )
        number = f"[{row - first}]" if self.keys is None else self.keys[row][:_MAX_LENGTH]
        return f"{self.parent_axis.row_path(parent)}{relative_path}{number}".removeprefix(".")

    def record_rows(self, rows: Ints) -> Ints:
        """Return the index of the record that contains each of these rows, int64[row]. `rows` is
        int64[row]."""
        return (
            rows if self.parent_axis is None else self.parent_axis.record_rows(self.parents[rows])
        )

    def align_rows(self, descendant_axis: RowAxis) -> Ints | None:
        """Return, for each row of a deeper axis (nesting level), the row of this axis that contains
        it, int64[row of `descendant_axis`].

        Returns None if `descendant_axis` is not below this axis."""
        rows = np.arange(descendant_axis.count)
        while descendant_axis is not self:
            if descendant_axis.parent_axis is None:
                return None
            rows, descendant_axis = descendant_axis.parents[rows], descendant_axis.parent_axis
        return rows


class Values(Protocol):
    """One value for each row of an axis (one nesting level of the records). Values may be
    missing."""

    def __len__(self) -> int: ...

    def key(self, name: str) -> Values:
        """Return the value of this key in each object. The value is missing if the row has no
        object or the object lacks the key."""

    def get_item(self, index: int) -> Values:
        """Return the item at this index of each list, counted from 0. The item is missing if the
        row has no list or the list is too short."""

    def items(self) -> tuple[Ints, Values]:
        """Return the number of items of each list, int64[n], and the items of all lists in order.

        The number is -1 for values that are not lists."""

    def entries(self) -> tuple[Ints, Sequence[str], Values]:
        """Return the number of entries of each object, int64[n], and the keys and values of all
        objects in order.

        The number is -1 for values that are not objects."""

    def is_missing(self) -> Mask:
        """Return which rows have no value, bool[n]."""

    def take(self, rows: Ints) -> Values:
        """Return the values of the rows with these indexes, int64[row]."""

    def to_list(self) -> list[Any]:
        """Return the values as Python objects."""

    def lacks_key(self, name: str) -> Mask:
        """Return which rows have an object without this key, bool[n]."""

    def ids(self) -> tuple[pa.Array, Mask]:
        """Return the values as strings, string[n], and a mask of the rows whose value is missing or
        a valid id, bool[n].

        Valid ids are strings and whole numbers. A missing value is null."""

    def numbers(self) -> Floats:
        """Return the values as numbers, float64[n]. A value that is missing or not a finite number
        becomes NaN."""

    def describe(self, row: int) -> str:
        """Return a short description of a value for a message."""


@dataclass(frozen=True)
class PythonValues:
    """Values of JSON or of a Python program: dicts, lists, strings, numbers, None."""

    values: list[Any]

    def __len__(self) -> int:
        return len(self.values)

    def key(self, name: str) -> PythonValues:
        return PythonValues([v.get(name) if type(v) is dict else None for v in self.values])

    def get_item(self, index: int) -> PythonValues:
        return PythonValues(
            [v[index] if type(v) is list and len(v) > index else None for v in self.values]
        )

    def items(self) -> tuple[Ints, PythonValues]:
        lists = [v for v in self.values if type(v) is list]
        return self._count_items(list), PythonValues(list(chain.from_iterable(lists)))

    def entries(self) -> tuple[Ints, Sequence[str], PythonValues]:
        objects = [v for v in self.values if type(v) is dict]
        keys = list(map(str, chain.from_iterable(objects)))
        values = list(chain.from_iterable(v.values() for v in objects))
        return self._count_items(dict), keys, PythonValues(values)

    def is_missing(self) -> Mask:
        return np.fromiter((v is None for v in self.values), np.bool_, len(self.values))

    def take(self, rows: Ints) -> PythonValues:
        return PythonValues([self.values[row] for row in rows.tolist()])

    def to_list(self) -> list[Any]:
        return self.values

    def lacks_key(self, name: str) -> Mask:
        is_lacking = (type(v) is dict and name not in v for v in self.values)
        return np.fromiter(is_lacking, np.bool_, len(self.values))

    def ids(self) -> tuple[pa.Array, Mask]:
        is_valid = np.ones(len(self.values), np.bool_)
        if set(map(type, self.values)) == {str}:
            return as_text_column(self.values), is_valid
        texts = [_to_id(value) for value in self.values]
        is_valid[:] = [t is not None or v is None for t, v in zip(texts, self.values, strict=True)]
        return pa.array(texts, ID), is_valid

    def numbers(self) -> Floats:
        if set(map(type, self.values)) <= {int, float}:
            numbers = np.array(self.values, dtype=np.float64)
            return np.where(np.isfinite(numbers), numbers, np.nan)
        plain_types = (str, int, float)
        texts = [
            str(v) if isinstance(v, plain_types) and v is not True else None for v in self.values
        ]
        return parse_scores(pa.array(texts, ID))

    def describe(self, row: int) -> str:
        value = self.values[row]
        if isinstance(value, dict):
            return f"an object with {', '.join(map(str, value)) or 'nothing'}"[:_MAX_LENGTH]
        kinds = {list: "a list", type(None): "nothing"}
        return kinds.get(type(value)) or f"`{value}`"[:_MAX_LENGTH]

    def _count_items(self, kind: type[list[Any]] | type[dict[str, Any]]) -> Ints:
        counts = (len(v) if isinstance(v, kind) else -1 for v in self.values)
        return np.fromiter(counts, np.int64, len(self.values))


@dataclass(frozen=True)
class ArrowValues:
    """An unchunked Arrow column of Parquet or of a frame."""

    values: pa.Array

    def __len__(self) -> int:
        return len(self.values)

    def key(self, name: str) -> ArrowValues:
        type_ = self.values.type
        if not pa.types.is_struct(type_) or type_.get_field_index(name) < 0:
            return ArrowValues(pa.nulls(len(self.values)))
        return ArrowValues(pc.struct_field(self.values, name))

    def get_item(self, index: int) -> ArrowValues:
        counts, items = self.items()
        starts = np.cumsum(np.maximum(counts, 0)) - np.maximum(counts, 0)
        rows = pa.array(starts + index, mask=counts <= index)
        return ArrowValues(items.values.take(rows))

    def items(self) -> tuple[Ints, ArrowValues]:
        if not is_list_type(self.values.type):
            return np.full(len(self.values), -1), ArrowValues(self.values.slice(0, 0))
        counts = pc.fill_null(pc.list_value_length(self.values), -1).cast(pa.int64())
        return as_array(counts), ArrowValues(pc.list_flatten(self.values))

    def entries(self) -> tuple[Ints, Sequence[str], ArrowValues]:
        type_ = self.values.type
        if not pa.types.is_map(type_):
            return np.full(len(self.values), -1), [], ArrowValues(self.values.slice(0, 0))
        counts, pairs = ArrowValues(self.values.cast(pa.list_(_pair_type(type_)))).items()
        keys = pc.struct_field(pairs.values, "key").cast(pa.string()).to_pylist()
        return counts, keys, ArrowValues(pc.struct_field(pairs.values, "value"))

    def is_missing(self) -> Mask:
        return as_array(self.values.is_null())

    def take(self, rows: Ints) -> ArrowValues:
        return ArrowValues(self.values.take(pa.array(rows)))

    def to_list(self) -> list[Any]:
        values: list[Any] = self.values.to_pylist()
        return values

    def lacks_key(self, name: str) -> Mask:
        return np.zeros(len(self.values), np.bool_)

    def ids(self) -> tuple[pa.Array, Mask]:
        values, is_valid = self.values, np.ones(len(self.values), np.bool_)
        if is_coded(values):
            values = values.cast(values.type.value_type)
        if pa.types.is_floating(values.type):
            is_whole = pc.fill_null(pc.equal(values, pc.floor(values)), True)
            is_valid = as_array(is_whole)
            values = pc.if_else(is_whole, values, None).cast(pa.int64(), safe=False)
        if _is_plain(values.type):
            return values.cast(ID), is_valid
        return pa.nulls(len(values), ID), as_array(values.is_null())

    def numbers(self) -> Floats:
        kind = self.values.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            numbers = as_array(self.values.cast(pa.float64(), safe=False))
            return np.where(np.isfinite(numbers), numbers, np.nan)
        if is_text_type(kind):
            return parse_scores(self.values.cast(ID))
        return np.full(len(self.values), np.nan)

    def describe(self, row: int) -> str:
        return PythonValues([self.values[row].as_py()]).describe(0)


def _to_id(value: Any) -> str | None:
    """Convert a string or a whole number to an id. Returns None for any other value."""
    if type(value) is str or (type(value) is NumberText and _WHOLE_NUMBER.fullmatch(value)):
        return value
    return str(value) if type(value) is int else None


def _is_plain(type_: pa.DataType) -> bool:
    others = (pa.types.is_integer, pa.types.is_binary, pa.types.is_large_binary, pa.types.is_null)
    checks = (is_text_type, pa.types.is_string_view, *others)
    return any(is_kind(type_) for is_kind in checks)


def _pair_type(type_: pa.MapType) -> pa.DataType:
    return pa.struct([pa.field("key", type_.key_type, False), pa.field("value", type_.item_type)])


@dataclass(eq=False)
class Records:
    """The records of a file or a Python program.

    `lines` has the physical line of each record, int64[record]; None if the lines are unknown.
    Values that were extracted at a path are cached."""

    values: Values
    lines: Ints | None = None
    _cache: dict[Steps, tuple[RowAxis, Values]] = field(default_factory=dict)

    @classmethod
    def from_table(cls, table: pa.Table) -> Records:
        """Return the rows of a table as records."""
        columns = [column.combine_chunks() for column in table.columns]
        if not columns:
            return cls(PythonValues([]))
        return cls(ArrowValues(pa.StructArray.from_arrays(columns, table.column_names)))

    def values_at(self, steps: Steps) -> tuple[RowAxis, Values]:
        """Return the axis of the values at a path (the rows of their nesting level), and the
        values.

        Raises MappingError if a value is not a list or an object although the path requires it."""
        if steps not in self._cache:
            self._cache[steps] = (
                self._find_values(steps) if steps else (RowAxis(len(self.values)), self.values)
            )
        return self._cache[steps]

    def line_numbers(self) -> list[int | None]:
        """Return the physical line of each record; None if it is unknown."""
        return [None] * len(self.values) if self.lines is None else self.lines.tolist()

    def find_line(self, axis: RowAxis, row: int) -> int | None:
        """Return the physical line of a row; None if the line is unknown."""
        return None if self.lines is None else int(self.lines[axis.record_rows(np.array([row]))[0]])

    def _find_values(self, steps: Steps) -> tuple[RowAxis, Values]:
        step = steps[-1]
        if step.kind == "keys":
            axis, _ = self.values_at((*steps[:-1], Step("values", optional=step.optional)))
            return axis, PythonValues(list(axis.keys or ()))
        axis, values = self.values_at(steps[:-1])
        if step.kind == "key":
            return axis, values.key(step.name)
        if step.kind == "item":
            return axis, values.get_item(int(step.name))
        keys: Sequence[str] | None = None
        if step.kind == "items":
            counts, children = values.items()
        else:
            counts, keys, children = values.entries()
        is_other = (counts < 0) & ~values.is_missing()
        if step.optional:
            other_counts, *_ = values.entries() if step.kind == "items" else values.items()
            is_other &= other_counts < 0
        wrong_rows = np.flatnonzero(is_other)
        if len(wrong_rows):
            row = int(wrong_rows[0])
            expected = "a list" if step.kind == "items" else "an object"
            expected_path = f"{expected} at {RecordPath(steps[:-1])}"
            raise MappingError(axis, row, values.describe(row), expected_path)
        parents = np.repeat(np.arange(len(values)), np.maximum(counts, 0))
        return RowAxis(len(children), RecordPath(steps).plain_text, axis, parents, keys), children
