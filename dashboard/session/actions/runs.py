"""What a run is called in the open collection, and the colour and shape in which it is drawn."""

from __future__ import annotations

from dashboard.session.action_messages import doing
from dashboard.session.address import address, change
from dashboard.session.open_collection import (
    all_collections,
    collection,
    give_place,
    library_here,
    workspace,
)
from metrics_core.base.errors import RanklensError

_LONGEST_NAME = 200


def call_run(run: str, name: str, slot: int) -> None:
    """Give a run this name, an empty one being that of its file, and this colour and shape, in
    which it changes places with the run that has them. Raises RanklensError for a name that
    another run has."""
    library, here = library_here(), collection()
    names, own = library.own_names, library.own_names.get(run, run)
    wanted = " ".join(name.split())[:_LONGEST_NAME] or own
    if wanted in library.slots.keys() - {run}:
        raise RanklensError(
            f"Another run already has the name {wanted}.", "Choose a different name."
        )
    settings = all_collections().settings_of(here)
    called, slots = dict(settings.names), dict(settings.slots)
    called.pop(own, None)
    if wanted != own:
        called[own] = wanted
    if slot != library.slots[run]:
        # All of them, for what nobody chose follows from what is free.
        slots |= {names.get(name, name): taken for name, taken in library.slots.items()}
        other = next((name for name, taken in slots.items() if taken == slot), own)
        slots |= {other: library.slots[run], own: slot}

    def kept() -> None:
        give_place(here)
        workspace().call_runs(here, called, slots)
        change(**_with_name(run, wanted), naming="")

    doing(kept)


def _with_name(run: str, wanted: str) -> dict[str, object]:
    """What of the address names the run."""
    here = address()
    also = tuple(wanted if name == run else name for name in here["also"])
    return {
        "run": wanted if here["run"] == run else here["run"],
        "base": wanted if here["base"] == run else here["base"],
        "also": also,
        "versions": tuple(wanted if name == run else name for name in here["versions"]),
    }
