"""Declare tools' formats: how records are recognised, and the mappings for each kind of table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.registry import TOOL_SPECIFIC, Kind, Tool
from metrics_core.tables import Duplicates

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

CaseFinder = Callable[["Records"], Iterable[str]]
"""Function that returns a text for each irregular case in records. It may raise MappingError."""
Mend = Callable[[Iterable[list[Any]], str], Iterator[list[Any]]]
"""Function that changes blocks of records before they are read.

Its arguments are the blocks and the run name according to the file name. It yields one changed
block for each block. A changed block has more records if one record of the file contains
several."""


@dataclass(frozen=True)
class Remark:
    """A note about irregular cases in tables of certain kinds.

    message   text with the placeholders {n} and {things}, for the number and the noun of the cases
    found     function that returns the cases; if None, the cases are queries without a document
    things    singular and plural of the noun for a case
    loud      whether the note is prominent
    only_one  "" if several different cases are allowed. Otherwise several cases are an error:
              `only_one` is the hint of this error, and `message` describes valid content"""

    kinds: tuple[Kind, ...]
    code: str
    message: str
    found: CaseFinder | None = None
    things: tuple[str, str] = ("query", "queries")
    loud: bool = False
    only_one: str = ""

    def note(self, cases: Sequence[str]) -> Note:
        """Return the note about these cases."""
        things = plural(len(cases), *self.things)
        message = self.message.format(n=len(cases), things=things)
        examples = tuple(filter(None, cases[:3]))
        return Note(self.code, message, len(cases), examples, loud=self.loud)


@dataclass(frozen=True)
class Preset:
    """The file format of a tool.

    recognised_by  paths that all records of the format have
    also           additional condition on the first record
    inside         possible prefixes of these paths and of the mappings; the first that fits is used
    tables         for each kind of table, its mapping or several mappings to be combined
    needs          for each kind, a path that the first record has if the file contains the kind
    mend           function that changes blocks of records before they are read
    once           kinds in which each query has only one list (in a run, one list per system)
    duplicates     how repeated documents of a list are treated, unless the user chooses
    remarks        notes about the tables
    not_details    unmapped values of a record that do not become columns of queries; if None, no
                   unmapped value becomes a column
    stored         path of each query's scores in the file

    All other fields are the same as in `Format`."""

    name: str
    title: str
    endings: tuple[str, ...]
    explanation: str
    example: str
    recognised_by: tuple[str, ...]
    tables: Mapping[Kind, str | tuple[str, ...]]
    needs: Mapping[Kind, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ("",)
    also: Callable[[Any], bool] = bool
    mend: Mend | None = None
    sureness: int = TOOL_SPECIFIC
    once: tuple[Kind, ...] = ("run",)
    duplicates: Duplicates = "error"
    remarks: tuple[Remark, ...] = ()
    not_details: tuple[str, ...] | None = None
    stored: str = ""
    tools: tuple[Tool, ...] = ()


def get_value(record: Any, key: str) -> Any:
    """Return the value of a key; None if the record is not an object or lacks the key."""
    return record.get(key) if isinstance(record, dict) else None


def mend_each_object(function: Callable[[dict[str, Any], str], list[Any]]) -> Mend:
    """Return a `Mend` that applies a function to each object separately.

    The arguments of the function are the object and the run name. It returns new records. An object
    with another structure is returned unchanged; it then does not fit the preset."""

    def mend_record(record: Any, name: str) -> list[Any]:
        try:
            return function(record, name) if isinstance(record, dict) else [record]
        except (AttributeError, KeyError, TypeError):
            return [record]

    def mend(blocks: Iterable[list[Any]], name: str) -> Iterator[list[Any]]:
        for records in blocks:
            yield list(chain.from_iterable(mend_record(record, name) for record in records))

    return mend


def make_case_finder(path: str, test: Callable[[Any], bool], *text_paths: str) -> CaseFinder:
    """Return a `CaseFinder` that finds the values at a path for which `test` is true.

    Each case is described by a string, joined from the values at `text_paths`. The values at these
    paths must be on the nesting level of the tested value or on a level above it."""

    def find(records: Records) -> list[str]:
        axis, values = records.values_at(parse_path(path)[0].steps)
        rows = [row for row, value in enumerate(values.to_list()) if test(value)]
        texts = []
        for entry in text_paths:
            text_axis, own_values = records.values_at(parse_path(entry)[0].steps)
            text_rows = text_axis.align_rows(axis)
            selected = own_values if text_rows is None else own_values.take(text_rows)
            texts.append(selected.to_list())
        return [": ".join(str(entry[row]) for entry in texts) for row in rows]

    return find
