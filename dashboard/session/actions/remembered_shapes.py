"""The user's choices for reading files, which are remembered by the shape of the file and used for
later files of that shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dashboard.files.shape_choices import find_fields, select_remembered_choices, shape_key
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.actions.refused_files import refusals
from dashboard.session.open_collection import (
    all_collections,
    change_record,
    current_collection_id,
    workspace,
)
from metrics_core.formats.fields import FileFields


def remember_choices(
    collection_id: str, source: UploadedFile | Path, name: str, choices: Mapping[str, Any]
) -> None:
    """Store the user's choices for a file, so that they are used for later files of the same
    shape."""
    answers = select_remembered_choices(choices)
    fields = (
        find_fields(source if isinstance(source, Path) else source.origin, name)
        if answers
        else None
    )
    if fields is not None:
        key = shape_key(fields)
        if all_collections().choices_by_shape(collection_id).get(key) != answers:
            workspace().change_record(
                collection_id,
                lambda record: replace(record, choices={**record.choices, key: answers}),
            )


def forget_shape_choices(fields: FileFields) -> None:
    """Forget the reading choices for files with the same shape (the same fields), so that the user
    is asked again about the next such file."""
    key = shape_key(fields)
    change_record(lambda record: replace(record, choices={**record.choices, key: {}}))


def is_shape_remembered(fields: FileFields) -> bool:
    """Return whether reading choices are remembered for files with the same shape, that is, with
    the same fields."""
    return shape_key(fields) in all_collections().choices_by_shape(current_collection_id())


def same_shape_files(name: str) -> list[str]:
    """Return the name of this file, followed by the names of the other refused files with the same
    shape (the same fields)."""
    shapes = {other: _file_shape(item.upload) for other, item in refusals().items() if item.upload}
    item = shapes.get(name, "")
    return [
        name,
        *(other for other, shape in shapes.items() if shape == item != "" and other != name),
    ]


def _file_shape(upload: UploadedFile) -> str:
    fields = find_fields(upload.origin, upload.name)
    return "" if fields is None else shape_key(fields)
