"""What is written of a collection and of each of its files: small records that check themselves.

A record is read only where every byte is as it was written; one that is not costs just what it
tells of.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args, get_type_hints

from dashboard.workspace.disk.json_values import check_values
from metrics_core.base.notes import Note
from metrics_core.formats import Kind

BASELINE_RULE = 2
"""How a collection that is made now finds its baseline where nobody says which."""

_TABLE = re.compile(r"[0-9a-f]{64}")
_LONGEST_NUMBER = 18
_CACHE_SIZE = 20_000
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")


@dataclass(frozen=True)
class Entry:
    """A file of a collection.

    `number` tells it apart there, in the order in which files came; `content` is a hash of its
    rows, `table` that of the bytes they are kept as. `slot` is the colour and shape of a run, kept
    for good; `read_as`, `queries` and `notes` are what reading it told. `replaces` is the number
    of the older file of this name that it stands for, which is hidden as long as this record and
    its table are there and whole. `changed` is when the record was last written, in UTC, `added`
    when it first was; records of before do not tell that. `complete` is False of a run that came as
    judged ranks.
    """

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
        """When the file came into the collection, in UTC."""
        return self.added or self.changed


@dataclass(frozen=True)
class Settings:
    """What readers have said of a collection, by the names that its runs have in their files: the
    names that runs were given here, and the colours and shapes. `complete` judgments hold all that
    is relevant; `old_baseline` says that the collection finds its baseline as it always did;
    `map_queries` and `map_docs` are how ids are read, as the command line takes it; `exclude_self`
    leaves each query's own document out of every run."""

    complete: bool = False
    names: tuple[tuple[str, str], ...] = ()
    slots: tuple[tuple[str, int], ...] = ()
    old_baseline: bool = False
    map_queries: str = ""
    map_docs: str = ""
    exclude_self: bool = False


DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True)
class Collection:
    """A collection: `choices` says, by file name, how files of its folder are to be read,
    `judgments` which of several judgments are used, by the key of their file; "" where nobody has
    chosen and none came beside others. `complete`, `run_names`, `run_slots`, `baseline_rule`,
    `exclude_self` and the maps of ids are its settings; a record of before has
    the first rule for the baseline, so that what it shows stays so."""

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

    @property
    def settings(self) -> Settings:
        """What readers have said of it."""
        return Settings(
            self.complete,
            tuple(sorted(self.run_names.items())),
            tuple(sorted(self.run_slots.items())),
            self.baseline_rule < BASELINE_RULE,
            self.map_queries,
            self.map_docs,
            self.exclude_self,
        )


@dataclass(frozen=True)
class DamagedRecord:
    """A record or a table that is not as it was written. `number` is the record's, `file` what it
    was called, where that is still known."""

    number: str
    file: str
    why: str


class DamagedRecordError(ValueError):
    """The bytes of a record are not those that were written."""


Record = TypeVar("Record", Entry, Collection)


def is_id(text: str) -> bool:
    """Whether a text can be the name of a collection's folder; nothing else becomes a path."""
    return bool(_NAME.fullmatch(text))


def is_number(text: str) -> bool:
    """Whether a text can be the number of a file."""
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def is_table(text: str) -> bool:
    """Whether a text can be the name of a table's file."""
    return bool(_TABLE.fullmatch(text))


def hidden_numbers(
    entries: Sequence[Entry], is_whole: Callable[[Entry], bool] = lambda newer: True
) -> set[str]:
    """The numbers of those for which newer ones stand that are whole, also where a record in
    between is damaged: who replaces has the name of all that came before. Only of a newer one for
    which an older one is there is asked whether it `is_whole`."""
    by_name: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        by_name.setdefault((entry.kind, entry.name), []).append(entry.number)
    numbers, replaced = {e.number for e in entries}, set[str]()
    for newer in entries:
        if not newer.replaces:
            continue
        same_name = by_name[newer.kind, newer.name]
        older = {n for n in same_name if int(n) < int(newer.number)} | ({newer.replaces} & numbers)
        if older and is_whole(newer):
            replaced |= older
    return replaced


def encode(record: Entry | Collection) -> bytes:
    """A record as it is packed: with its own check."""
    return _seal_record(asdict(record))


def decode(content: bytes, kind: type[Record]) -> Record:
    """The record that was packed as these bytes. Raises DamagedRecordError for others."""
    try:
        values = json.loads(content)["record"]
        if content != _seal_record(values):
            raise DamagedRecordError("its checksum does not match")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedRecordError(str(error)) from error
    return parse_record(values, kind)


def record_text(record: Entry | Collection) -> str:
    """A record as a row of the database holds it."""
    return json.dumps(asdict(record))


@lru_cache(_CACHE_SIZE)
def parse_record_text(text: str, kind: type[Record]) -> Record | None:
    """The record that a row of the database holds; None where it is none."""
    try:
        return parse_record(json.loads(text), kind)
    except ValueError:
        return None


def parse_record(values: Any, kind: type[Record]) -> Record:
    """The record of these fields; those that it does not know are left out. Raises
    DamagedRecordError for what no record holds."""
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
    except Exception as error:  # one record must not stop what reads the others
        raise DamagedRecordError(str(error)) from error


def _has_valid_values(record: Any) -> bool:
    """Whether every value is of its type: the check says that nothing was changed by accident, not
    who wrote it, and a packed collection may come from anybody."""
    plain_fields = _plain_fields(record.__class__)
    if any(type(getattr(record, name)) is not hint for name, hint in plain_fields.items()):
        return False
    if isinstance(record, Entry):
        counts = (record.rows, record.slot, 0 if record.queries is None else record.queries)
        return (
            all(type(count) is int and count >= 0 for count in counts)
            and record.kind in get_args(Kind)
            and is_number(record.number)
            and is_table(record.table)
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
        and all(_are_texts(names) for names in (record.run_names, record.run_names.values()))
        and _are_texts(record.run_slots)
        and all(type(slot) is int and slot >= 0 for slot in record.run_slots.values())
    )


def _is_time(text: str) -> bool:
    """Whether a text is a moment, or "" where none is known."""
    with suppress(ValueError, OverflowError):
        return not text or datetime.fromisoformat(text).timestamp() is not None
    return False


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(text, str) for text in values)


@cache
def _plain_fields(kind: Hashable) -> dict[str, type]:
    hints = get_type_hints(kind)
    return {name: hint for name, hint in hints.items() if hint in (str, int, bool)}


def _seal_record(values: Any) -> bytes:
    text = json.dumps(values, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    check = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"check":"{check}","record":{text}}}\n'.encode()


def parse_note(values: Mapping[str, Any]) -> Note:
    """A note as JSON gives its fields back."""
    return Note(**{**values, "examples": tuple(values.get("examples", ()))})
