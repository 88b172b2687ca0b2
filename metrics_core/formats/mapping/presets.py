"""What a tool writes, as data: how its records are known, and a mapping for each kind of table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.registry import OF_A_TOOL, Kind, Tool
from metrics_core.tables import Duplicates

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

Found = Callable[["Records"], Iterable[str]]
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
    found: Found | None = None
    things: tuple[str, str] = ("query", "queries")
    loud: bool = False
    only_one: str = ""

    def note(self, cases: Sequence[str]) -> Note:
        """The note about these cases."""
        things = plural(len(cases), *self.things)
        message = self.message.format(n=len(cases), things=things)
        shown = tuple(filter(None, cases[:3]))
        return Note(self.code, message, len(cases), shown, loud=self.loud)


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
    sureness: int = OF_A_TOOL
    once: tuple[Kind, ...] = ("run",)
    duplicates: Duplicates = "error"
    remarks: tuple[Remark, ...] = ()
    not_details: tuple[str, ...] | None = None
    stored: str = ""
    tools: tuple[Tool, ...] = ()


def each(function: Callable[[dict[str, Any], str], list[Any]]) -> Mend:
    """Mend each object by itself: it becomes these records, with the run's name by its file."""

    def mend(blocks: Iterable[list[Any]], name: str) -> Iterator[list[Any]]:
        for records in blocks:
            made = (function(own, name) if isinstance(own, dict) else [own] for own in records)
            yield list(chain.from_iterable(made))

    return mend


def where(path: str, test: Callable[[Any], bool], *shown: str) -> Found:
    """The cases in which a test is true of the value at a path; as text what is at the paths
    `shown`, on the same axis or above."""

    def found(records: Records) -> list[str]:
        axis, values = records.values_at(parse_path(path)[0].steps)
        rows = [row for row, value in enumerate(values.listed()) if test(value)]
        texts = []
        for own in shown:
            beside, own_values = records.values_at(parse_path(own)[0].steps)
            places = beside.rows_on(axis)
            taken = own_values if places is None else own_values.take(places)
            texts.append(taken.listed())
        return [": ".join(str(own[row]) for own in texts) for row in rows]

    return found
