"""What a tool writes, as data: how its records are known, and a mapping for each kind of table."""

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
"""What is odd about records, a text for each case; it may raise MappingError."""
Mend = Callable[[Iterable[list[Any]], str], Iterator[list[Any]]]
"""Blocks of records, and the run's name by its file, to blocks of new ones, one by one; others if a
record has several inside."""


@dataclass(frozen=True)
class Remark:
    """A note about tables of these kinds: `message` tells {n} {things} of what is `found`; without
    `found` it is about queries without a document. Where there may be `only_one`, two different
    ones are refused with this hint and the message."""

    kinds: tuple[Kind, ...]
    code: str
    message: str
    found: CaseFinder | None = None
    things: tuple[str, str] = ("query", "queries")
    loud: bool = False
    only_one: str = ""

    def note(self, cases: Sequence[str]) -> Note:
        """The note about these cases."""
        things = plural(len(cases), *self.things)
        message = self.message.format(n=len(cases), things=things)
        examples = tuple(filter(None, cases[:3]))
        return Note(self.code, message, len(cases), examples, loud=self.loud)


@dataclass(frozen=True)
class Preset:
    """A tool's format.

    Records are of it if they have all the paths `recognised_by`, and are as `also` says of the
    first; `inside` are paths in front of these and of the mappings, the first that fits counts.
    Several mappings of a kind are put together. A kind is only there if the first record has what
    it `needs`. `mend` changes blocks of records before they are read, `once` has the kinds in which
    a query has one list (a run: one for each system). In queries all values of a record become
    columns, but for those that are mapped or `not_details`. `duplicates` is how a document that
    stands twice in a list is taken unless the reader says so, `stored` the path of a query's own
    scores.
    """

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


def mend_each(function: Callable[[dict[str, Any], str], list[Any]]) -> Mend:
    """Mend each object by itself: it becomes these records, with the run's name by its file."""

    def mend(blocks: Iterable[list[Any]], name: str) -> Iterator[list[Any]]:
        for records in blocks:
            new_records = (
                function(record, name) if isinstance(record, dict) else [record]
                for record in records
            )
            yield list(chain.from_iterable(new_records))

    return mend


def find_cases(path: str, test: Callable[[Any], bool], *text_paths: str) -> CaseFinder:
    """The cases in which a test is true of the value at a path; as text what is at the paths
    `text_paths`, on the same axis or above."""

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
