"""What readers said of a file, kept by its shape for the next file of that shape. No Streamlit
here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from dashboard.workspace.disk.durable import state_of
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.formats import Loaded, at_a_glance
from metrics_core.formats.fields import MEANINGS, FileFields
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, is_constant
from metrics_core.formats.registry import KIND_TITLES
from metrics_core.formats.source.unpacking import Origin

_SHAPE = "shape:"
"""How the key of a shape begins among the names of files."""
_OF_SHAPE = ("kind", "columns", "grades")
"""The choices that are kept for a shape."""
_WORDS = {"doc": "document", "system": "run"}
_FIELDS = Memo(200)

Answers = Mapping[str, Mapping[str, Any]]
"""Key of a shape -> the choices by which files of it are read."""


def fields_in(origin: Origin, name: str, encoding: str | None = None) -> FileFields | None:
    """Return the fields of a file; None if it has none by name, or cannot be read."""
    # The content of a file is not held for it.
    state = state_of(origin) if isinstance(origin, Path) else (hash(origin), len(origin))

    def find() -> FileFields | None:
        from metrics_core.formats.field_values import fields_of

        with suppress(RanklensError, OSError):
            return fields_of(origin, name=name, encoding=encoding)
        return None

    return _FIELDS((name, origin if isinstance(origin, Path) else "", state, encoding), find)


def shape_key(fields: FileFields) -> str:
    """Return the key of the shape of these fields."""
    return _SHAPE + hashlib.sha256(fields.shape.encode()).hexdigest()[:20]


def is_shape(key: str) -> bool:
    """Whether a key is that of a shape, not the name of a file."""
    return key.startswith(_SHAPE)


def kept_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a reader's choices for files of the same shape; nothing if they do not
    say what kind of table it is."""
    return {key: choices[key] for key in _OF_SHAPE if key in choices} if "kind" in choices else {}


def choices_before(origin: Origin, name: str, answers: Answers) -> dict[str, Any]:
    """Return the choices for a file of a shape that a reader was asked about; none if nobody was,
    or the file is surely of another kind."""
    fields = fields_in(origin, name) if answers else None
    said = {} if fields is None else kept_choices(answers.get(shape_key(fields), {}))
    # A packed collection may come from anybody.
    if said.get("kind") not in MEANINGS or not isinstance(said.get("columns", {}), dict):
        return {}
    found = at_a_glance(origin, name)
    is_sure = found is not None and found.evidence != "guess"
    return {} if found and is_sure and found.kind != said["kind"] else said


def read_as_before(loaded: Loaded, choices: Mapping[str, Any]) -> Loaded:
    """Return a table with the note that it was read as an earlier file of its shape."""
    note = Note("as_before", f"read as before: {choices_in_words(choices)}")
    return replace(loaded, table=loaded.table.noting(note))


def choices_in_words(choices: Mapping[str, Any]) -> str:
    """Return how a file is read by a reader's choices: "query from `qid`, score from `sim`"."""
    columns: Mapping[str, str] = choices.get("columns") or {}
    every = dict.fromkeys(word for own in MEANINGS.values() for word in own)
    words = [word for word in every if word in columns]
    named = {word: columns[word] for word in words if columns[word] != NO_COLUMN}
    return ", ".join(
        "all documents relevant"
        if is_constant(name)
        else f"{_WORDS.get(word, word)} from `{name.removeprefix('-')}`"
        for word, name in named.items()
    ) or str(KIND_TITLES[choices["kind"]])
