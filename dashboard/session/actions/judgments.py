"""The judgments in use. They are named in the address, and only an action of the user changes
them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dashboard.files.files import File
from dashboard.session.address import address, change_address
from dashboard.session.open_collection import (
    all_collections,
    change_record,
    current_library,
    workspace,
)
from dashboard.study.library import Library, judgment_files_by_name
from dashboard.workspace import Collection


def judgments_field_value() -> str:
    """Return the value of the address field for the judgments. A name that the address requests is
    kept even if no file has it."""
    return address()["qrels"] or _judgments_name(current_library().judgments)


def _judgments_name(file: File | None) -> str:
    files_by_name = judgment_files_by_name(current_library().files)
    return next((name for name, other in files_by_name.items() if other is file), "")


def missing_judgments_message() -> dict[str, str]:
    """Return a dict that maps the address field for judgments to an error message if the address
    names judgments that do not exist. Otherwise, the dict is empty."""
    name, library = address()["qrels"], current_library()
    if not name or name in {
        *judgment_files_by_name(library.files),
        *(f.key for f in library.files),
    }:
        return {}
    return {"qrels": f"These files do not contain the judgments {name}."}


def use_judgments(file: File) -> None:
    """Use the judgments in this file of the open collection from now on. This is a callback."""
    if change_record(lambda record: replace(record, judgments=file.key)):
        change_address(qrels=_judgments_name(file))


def set_judgments_complete(is_complete: bool) -> dict[str, Any]:
    """Store whether the judgments of the open collection are complete. Returns an empty dict, which
    means that the address does not change."""
    change_record(lambda record: replace(record, complete=is_complete))
    return {}


def set_id_maps(query_map: str, doc_map: str) -> None:
    """Set how the ids of queries and of documents are mapped in the open collection. If one of the
    mappings is "", the ids of that kind stay unchanged. This is a callback."""
    change_record(lambda record: replace(record, map_queries=query_map, map_docs=doc_map))


def set_exclude_self(exclude_self: bool) -> dict[str, Any]:
    """Store whether each query's own document, which has the same id as the query, is excluded from
    the query's lists. Returns an empty dict, because the address does not change."""
    change_record(lambda record: replace(record, exclude_self=exclude_self))
    return {}


def declare_direction(
    measure: str, is_higher_better: bool | None, *, is_default: bool = False
) -> None:
    """Store for a measure from a file whether higher or lower is better. If `is_higher_better` is
    None, the measure is not used. If `is_default` is true, the stored value is removed instead.
    `measure` is the measure's name in the file. This is a callback."""

    def set_direction(record: Collection) -> Collection:
        directions = {**record.directions, measure: is_higher_better}
        if is_default:
            del directions[measure]
        return replace(record, directions=directions)

    change_record(set_direction)


def store_judgments_in_use(
    collection_id: str, library_before: Library, library_after: Library
) -> None:
    """Store which judgments are in use, so that judgment files that are added cannot change the
    choice. Nothing is stored if the user has chosen the judgments already, or if there is only one
    judgment file."""
    current = library_before.judgments or library_after.judgments
    is_unset = not all_collections().record(collection_id).judgments
    if current is not None and is_unset and len(library_after.files_of_kind("qrels")) > 1:
        key = current.key
        workspace().change_record(collection_id, lambda record: replace(record, judgments=key))
