"""Choices for reading a file, which are remembered for later files of the same shape. This module
does not import Streamlit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from dashboard.workspace.disk.durable import file_state
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.formats import Loaded, guess_file_kind
from metrics_core.formats.fields import MEANINGS, FileFields
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, is_constant_value
from metrics_core.formats.registry import KIND_TITLES
from metrics_core.formats.source.unpacking import Origin

_SHAPE = "shape:"
"""Prefix of the key of a shape. It distinguishes shapes from file names."""
_OF_SHAPE = ("kind", "columns", "grades")
"""Names of the choices that are remembered for a shape."""
_WORDS = {"doc": "document", "system": "run"}
_FIELDS = Memo(200)

Answers = Mapping[str, Mapping[str, Any]]
"""The choices for reading files, keyed by the shape of the files (see `shape_key`)."""


def find_fields(origin: Origin, name: str, encoding: str | None = None) -> FileFields | None:
    """Return the fields of a file. Returns None if the file has no named fields or cannot be
    read."""
    # The key does not hold the file's content.
    state = file_state(origin) if isinstance(origin, Path) else (hash(origin), len(origin))

    def read_file_fields() -> FileFields | None:
        from metrics_core.formats.field_values import read_fields

        with suppress(RanklensError, OSError):
            return read_fields(origin, name=name, encoding=encoding)
        return None

    return _FIELDS(
        (name, origin if isinstance(origin, Path) else "", state, encoding), read_file_fields
    )


def shape_key(fields: FileFields) -> str:
    """Return the key of a file's shape. Files with the same fields have the same shape."""
    return _SHAPE + hashlib.sha256(fields.layout_key.encode()).hexdigest()[:20]


def is_shape_key(key: str) -> bool:
    """Return whether a key is the key of a file's shape (`shape_key`) rather than a file name."""
    return key.startswith(_SHAPE)


def select_remembered_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of `choices` that is remembered for files of the same shape. The result is
    empty if the choices do not name the kind of table."""
    return {key: choices[key] for key in _OF_SHAPE if key in choices} if "kind" in choices else {}


def find_choices(origin: Origin, name: str, choices_by_shape: Answers) -> dict[str, Any]:
    """Return the choices that were remembered for files of the same shape as this file. The result
    is empty if there are none, or if the file is certainly of another kind of table than the
    choices say."""
    fields = find_fields(origin, name) if choices_by_shape else None
    choices = (
        {}
        if fields is None
        else select_remembered_choices(choices_by_shape.get(shape_key(fields), {}))
    )
    # Validate the choices: a packed collection may come from anybody.
    if choices.get("kind") not in MEANINGS or not isinstance(choices.get("columns", {}), dict):
        return {}
    recognised = guess_file_kind(origin, name)
    is_sure = recognised is not None and recognised.evidence != "guess"
    return {} if recognised and is_sure and recognised.kind != choices["kind"] else choices


def add_remembered_choices_note(loaded: Loaded, choices: Mapping[str, Any]) -> Loaded:
    """Return a table with a note which says that it was read like an earlier file of the same
    shape."""
    note = Note("as_before", f"read as before: {describe_choices(choices)}")
    return replace(loaded, table=loaded.table.with_notes(note))


def describe_choices(choices: Mapping[str, Any]) -> str:
    """Describe the choices for reading a file, for example "query from `qid`, score from `sim`"."""
    columns: Mapping[str, str] = choices.get("columns") or {}
    all_words = dict.fromkeys(word for meanings in MEANINGS.values() for word in meanings)
    words = [word for word in all_words if word in columns]
    named_columns = {word: columns[word] for word in words if columns[word] != NO_COLUMN}
    return ", ".join(
        "all documents relevant"
        if is_constant_value(name)
        else f"{_WORDS.get(word, word)} from `{name.removeprefix('-')}`"
        for word, name in named_columns.items()
    ) or str(KIND_TITLES[choices["kind"]])
