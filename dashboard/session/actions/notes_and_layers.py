"""What comes with files and is no table: notes, tags and judgment layers of other collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.files.query_zip import Carried
from dashboard.session.action_messages import tell, tell_error
from dashboard.session.actions.grading import layers_on
from dashboard.session.address import address, change
from dashboard.session.open_collection import workspace
from dashboard.workspace import StorageError
from metrics_core.base import wording as w


@dataclass(frozen=True)
class Came:
    """What became of it: notes and tags that are new or were here, the ids of the layers that are
    new, how many were here, and what the workspace refused."""

    new: int = 0
    known: int = 0
    layers: tuple[str, ...] = ()
    known_layers: int = 0
    refused: StorageError | None = None


def taken(identity: str, carried: Sequence[Carried]) -> Came:
    """Keep in a collection what came with files; without a look at the session."""
    new, known, layers, known_layers = 0, 0, list[str](), 0
    try:
        for one in carried:
            if one.notes:
                added = workspace().notes.take_in(identity, one.notes)
                new, known = new + added, known + len(one.notes) - added
            made = ""
            for lines in one.layers:
                made = workspace().layers.take_in(identity, lines, behind=made)
                layers += [made] if made else []
                known_layers += not made
    except StorageError as error:
        return Came(new, known, tuple(layers), known_layers, error)
    return Came(new, known, tuple(layers), known_layers)


def tell_of(came: Came) -> None:
    """Tell it, once its collection is open; layers that are new are switched on, beside those that
    are."""
    if came.refused is not None:
        tell_error(came.refused)
    if came.layers:
        on = [layer.id for layer in layers_on() if layer.id not in came.layers]
        if address()["layers"] or not _judged(came.layers):
            change(layers=(*on, *came.layers))
        many = f"{w.count(len(came.layers))} judgment {w.plural(len(came.layers), 'layer')}"
        tell(f"{many} came with the files, kept separate from their judgments.")
    if came.new:
        tell(f"{w.count(came.new)} {w.plural(came.new, 'note or tag', 'notes and tags')} came too.")
    here = came.known + came.known_layers
    if here:
        told = "notes, tags and layers that came with the files"
        tell(f"{w.count(here)} of the {told} {w.plural(here, 'was', 'were')} already here.")


def _judged(layers: Sequence[str]) -> bool:
    """Whether each of these is on where the address says nothing."""
    return set(layers) <= {layer.id for layer in layers_on()}
