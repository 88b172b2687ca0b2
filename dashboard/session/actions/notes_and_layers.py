"""Notes, tags and judgment layers that come with uploaded files and are not tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.files.query_zip import NotesAndLayers
from dashboard.session.action_messages import add_error_message, add_message
from dashboard.session.actions.grading import active_layers
from dashboard.session.address import address, change_address
from dashboard.session.open_collection import workspace
from dashboard.workspace import StorageError
from metrics_core.base import wording as w


@dataclass(frozen=True)
class CarriedResult:
    """The result of storing notes and layers. `new_notes` is the number of new notes and tags, and
    `known_notes` the number of notes and tags that were stored already. `layers` has the ids of new
    layers, and `known_layers` is the number of layers that were stored already. `refused` is the
    error of the workspace, if there was one."""

    new_notes: int
    known_notes: int
    layers: tuple[str, ...]
    known_layers: int
    refused: StorageError | None


def store_accompanying_notes(
    collection_id: str, accompanying_notes: Sequence[NotesAndLayers]
) -> CarriedResult:
    """Store in a collection `accompanying_notes`: the notes and layers that came with files. This
    function does not access the session."""
    new_notes, known_notes, layers, known_layers = 0, 0, list[str](), 0
    refused = None
    try:
        for one in accompanying_notes:
            if one.notes:
                added = workspace().notes.import_lines(collection_id, one.notes)
                new_notes, known_notes = new_notes + added, known_notes + len(one.notes) - added
            layer_id = ""
            for lines in one.layers:
                layer_id = workspace().layers.import_layer(
                    collection_id, lines, earlier_layer=layer_id
                )
                layers += [layer_id] if layer_id else []
                known_layers += not layer_id
    except StorageError as error:
        refused = error
    return CarriedResult(new_notes, known_notes, tuple(layers), known_layers, refused)


def add_result_messages(result: CarriedResult) -> None:
    """Add messages about the result. The collection of the result must be open already. New layers
    become active, and active layers stay active."""
    if result.refused is not None:
        add_error_message(result.refused)
    if result.layers:
        active = dict.fromkeys(layer.id for layer in active_layers())
        others = [layer for layer in active if layer not in result.layers]
        if address()["layers"] or not active.keys() >= set(result.layers):
            change_address(layers=(*others, *result.layers))
        layer_count = (
            f"{w.format_count(len(result.layers))} judgment {w.plural(len(result.layers), 'layer')}"
        )
        add_message(
            f"{layer_count} came with the files and will be kept separate from the judgments in"
            " these files."
        )
    if result.new_notes:
        add_message(
            f"{w.format_count(result.new_notes)}"
            f" {w.plural(result.new_notes, 'note or tag', 'notes and tags')} also came with the"
            " files."
        )
    known_count = result.known_notes + result.known_layers
    if known_count:
        text = "notes, tags and layers that came with the files"
        add_message(
            f"{w.format_count(known_count)} of the {text} {w.plural(known_count, 'was', 'were')}"
            " already in this collection."
        )
