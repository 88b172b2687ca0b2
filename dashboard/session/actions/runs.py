"""The display name of a run in the open collection, and the run's colour and shape."""

from __future__ import annotations

from dataclasses import replace

from dashboard.session.address import address, change_address
from dashboard.session.open_collection import (
    all_collections,
    change_record,
    current_collection_id,
    current_library,
)
from metrics_core.base.errors import RanklensError

_LONGEST_NAME = 200


def rename_run(run: str, name: str, slot: int) -> None:
    """Set the name of a run, and its colour and shape.

    An empty name restores the name in the file. If another run has the `slot` (colour and shape),
    the two runs swap their slots. Raises RanklensError if another run has the name."""
    library = current_library()
    names, original = library.own_names, library.own_names.get(run, run)
    new_name = " ".join(name.split())[:_LONGEST_NAME] or original
    if new_name in library.slots.keys() - {run}:
        raise RanklensError(
            f"Another run already has the name {new_name}.", "Choose a different name."
        )
    settings = all_collections().record(current_collection_id()).settings
    new_names, slots = dict(settings.names), dict(settings.slots)
    new_names.pop(original, None)
    if new_name != original:
        new_names[original] = new_name
    if slot != library.slots[run]:
        # All slots are stored: those that were not chosen depend on which are free.
        slots |= {names.get(name, name): used_slot for name, used_slot in library.slots.items()}
        other = next((name for name, used_slot in slots.items() if used_slot == slot), original)
        slots |= {other: library.slots[run], original: slot}
    if change_record(lambda record: replace(record, run_names=new_names, run_slots=slots)):
        change_address(**_fields_after_renaming(run, new_name), naming="")


def _fields_after_renaming(run: str, new_name: str) -> dict[str, object]:
    """Return the values of the address fields that contain names of runs, after the run was
    renamed."""
    fields = address()
    also = tuple(new_name if name == run else name for name in fields["also"])
    return {
        "run": new_name if fields["run"] == run else fields["run"],
        "base": new_name if fields["base"] == run else fields["base"],
        "also": also,
        "versions": tuple(new_name if name == run else name for name in fields["versions"]),
    }
