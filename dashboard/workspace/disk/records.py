"""The records of a collection and of its files. They are small, and each has a checksum.

A record is read only if every byte is intact. A damaged record affects only the collection or file
that it describes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args, get_type_hints

from dashboard.workspace.disk.json_values import add_checksum, check_values, read_checked_line
from metrics_core.base.notes import Note
from metrics_core.formats import Kind

BASELINE_RULE = 2
"""Number of the rule that determines the default baseline of new collections."""

_TABLE = re.compile(r"[0-9a-f]{64}")
_LONGEST_NUMBER = 18
_CACHE_SIZE = 20_000
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")


@dataclass(frozen=True)
class Entry:
    """The record of a file in a collection.

    `number` identifies the file and increases in the order in which files are added. `content` is a
    hash of its rows; `table` is the hash of its stored bytes. `slot` is the permanent colour and
    shape of a run. `read_as`, `queries` and `notes` come from reading the file. `replaces` is the
    number of an earlier file of the same name; the earlier file is hidden as long as this record
    and its table are intact.

    `changed` is the time when the record was last written, `added` the time when it was first
    written, both in UTC. Older records do not have `added`. `complete` is false for a run that was
    loaded as judged ranks, which contain only the ranks of judged documents."""

    number: str
    kind: Kind
    name: str
    file: str
    read_as: str
    rows: int
    queries: int | None
    slot: int
    content: str
    table: str
    changed: str
    notes: tuple[Note, ...] = ()
    replaces: str = ""
    removed: bool = False
    added: str = ""
    complete: bool = True

    @property
    def added_at(self) -> str:
        """The time when the file was added to the collection, in UTC."""
        return self.added or self.changed


@dataclass(frozen=True)
class Settings:
    """The settings of a collection.

    `names` has the names of runs and `slots` their colours and shapes; both are keyed by the name
    in the file. If `complete` is true, the judgments contain all relevant documents. If
    `old_baseline` is true, the baseline is chosen by the rule of earlier versions. `map_queries`
    and `map_docs` are id maps, written as on the command line. If `exclude_self` is true, each
    query's own document (with the same id as the query) is excluded from its lists. `directions`
    says for given measures whether higher is better; a measure with None is not used."""

    complete: bool = False
    names: tuple[tuple[str, str], ...] = ()
    slots: tuple[tuple[str, int], ...] = ()
    old_baseline: bool = False
    map_queries: str = ""
    map_docs: str = ""
    exclude_self: bool = False
    directions: tuple[tuple[str, bool | None], ...] = ()


DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True)
class Collection:
    """The record of a collection.

    `choices` are the choices for reading files of its folder, by file name. `judgments` is the key
    of the file whose judgments are used; it is empty if none was chosen. `views` has the links of
    saved views by name; the links do not name the collection. `draws` has the random draws of
    queries (seed, sizes, dates) by judge, runs and k. The field `complete` and the fields after it,
    except `views` and `draws`, are the settings of the collection. Records without
    `baseline_rule` were written by an older version. They get 1, the rule of that time, so that
    their baseline does not change."""

    id: str
    name: str
    changed: str
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    removed: bool = False
    judgments: str = ""
    complete: bool = False
    run_names: Mapping[str, str] = field(default_factory=dict)
    run_slots: Mapping[str, int] = field(default_factory=dict)
    baseline_rule: int = 1
    map_queries: str = ""
    map_docs: str = ""
    exclude_self: bool = False
    views: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, bool | None] = field(default_factory=dict)
    draws: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """The settings of the collection."""
        return Settings(
            self.complete,
            tuple(sorted(self.run_names.items())),
            tuple(sorted(self.run_slots.items())),
            self.baseline_rule < BASELINE_RULE,
            self.map_queries,
            self.map_docs,
            self.exclude_self,
            tuple(sorted(self.directions.items())),
        )


@dataclass(frozen=True)
class DamagedRecord:
    """A damaged record or table: the `number` of the record, the name of the `file` if it is known,
    and the reason."""

    number: str
    file: str
    why: str


class DamagedRecordError(ValueError):
    """Raised if the bytes of a record differ from the bytes that were written."""


Record = TypeVar("Record", Entry, Collection)


def is_collection_id(text: str) -> bool:
    """Return whether a string is a valid name of a collection's folder. No other string is used in
    a path."""
    return bool(_NAME.fullmatch(text))


def is_file_number(text: str) -> bool:
    """Return whether a string is a valid number of a file."""
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def is_table_name(text: str) -> bool:
    """Return whether a string is a valid file name of a table."""
    return bool(_TABLE.fullmatch(text))


def replaced_entry_numbers(
    entries: Sequence[Entry], is_intact: Callable[[Entry], bool] = lambda newer: True
) -> set[str]:
    """Return the numbers of the entries that were replaced by newer, intact entries.

    All earlier entries of the same name are replaced, even if a record between them is damaged.
    `is_intact` is called only for entries that replace an existing entry."""
    by_name: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        by_name.setdefault((entry.kind, entry.name), []).append(entry.number)
    numbers, replaced = {e.number for e in entries}, set[str]()
    for newer in entries:
        if not newer.replaces:
            continue
        same_name = by_name[newer.kind, newer.name]
        older = {n for n in same_name if int(n) < int(newer.number)} | ({newer.replaces} & numbers)
        if older and is_intact(newer):
            replaced |= older
    return replaced


def encode_record(record: Entry | Collection) -> bytes:
    """Return a record with its checksum as bytes, for packing."""
    return add_checksum("record", asdict(record))


def decode_record(content: bytes, kind: type[Record]) -> Record:
    """Parse a packed record. Raises DamagedRecordError if the bytes are not a valid record."""
    try:
        values = read_checked_line("record", content)
    except ValueError as error:
        raise DamagedRecordError(str(error)) from error
    return parse_record(values, kind)


def record_text(record: Entry | Collection) -> str:
    """Return a record as text, for a row of the database."""
    return json.dumps(asdict(record))


@lru_cache(_CACHE_SIZE)
def parse_record_text(text: str, kind: type[Record]) -> Record | None:
    """Parse the record in a row of the database. Returns None if it is invalid."""
    try:
        return parse_record(json.loads(text), kind)
    except ValueError:
        return None


def parse_record(values: Any, kind: type[Record]) -> Record:
    """Make a record from decoded values. Unknown fields are ignored. Raises DamagedRecordError for
    invalid values."""
    try:
        check_values(values)
        field_names = {f.name for f in fields(kind)}
        values = {name: value for name, value in values.items() if name in field_names}
        if kind is Entry:
            values["notes"] = tuple(parse_note(note) for note in values.get("notes", ()))
        record = kind(**values)
        if not _has_valid_values(record):
            raise DamagedRecordError("it contains unexpected values")
        return record
    except Exception as error:  # an error in one record must not stop reading the others
        raise DamagedRecordError(str(error)) from error


def _has_valid_values(record: Any) -> bool:
    """Return whether every value of a record has the type that its field requires. The check is
    necessary because a packed collection may come from anybody, and checksums detect only
    accidental changes, not malicious ones."""
    plain_fields = _plain_fields(record.__class__)
    if any(type(getattr(record, name)) is not hint for name, hint in plain_fields.items()):
        return False
    if isinstance(record, Entry):
        counts = (record.rows, record.slot, 0 if record.queries is None else record.queries)
        return (
            all(type(count) is int and count >= 0 for count in counts)
            and record.kind in get_args(Kind)
            and is_file_number(record.number)
            and is_table_name(record.table)
            and all(_has_valid_values(note) for note in record.notes)
            and _is_time(record.changed)
            and _is_time(record.added)
        )
    if isinstance(record, Note):
        return all(isinstance(example, str) for example in record.examples)
    return not isinstance(record, Collection) or (
        _is_time(record.changed)
        and isinstance(record.choices, dict)
        and all(isinstance(choice, dict) for choice in record.choices.values())
        and all(_is_valid_draw(**draw) for draw in record.draws.values())
        and all(_are_strings(t) for v in (record.run_names, record.views) for t in (v, v.values()))
        and _are_strings(record.run_slots)
        and all(type(slot) is int and slot >= 0 for slot in record.run_slots.values())
    )


def _is_valid_draw(
    seed: object, sizes: Sequence[int], dates: Sequence[str], left_out: Sequence[str] = ()
) -> bool:
    whole = all(type(number) is int and number >= 0 for number in (seed, *sizes))
    whole = whole and _are_strings(left_out)
    return whole and min(sizes) > 0 and 0 < len(sizes) == len(dates) and all(map(_is_time, dates))


def _is_time(text: str) -> bool:
    """Return whether a string is a time. An empty string means an unknown time and is accepted."""
    with suppress(ValueError, OverflowError):
        return not text or datetime.fromisoformat(text).timestamp() is not None
    return False


def _are_strings(values: Iterable[object]) -> bool:
    return all(isinstance(text, str) for text in values)


@cache
def _plain_fields(kind: Hashable) -> dict[str, type]:
    hints = get_type_hints(kind)
    return {name: hint for name, hint in hints.items() if hint in (str, int, bool)}


def parse_note(values: Mapping[str, Any]) -> Note:
    """Make a note from its JSON fields."""
    return Note(**{**values, "examples": tuple(values.get("examples", ()))})
