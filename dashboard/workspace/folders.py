"""Which names a folder holds. Raises StorageError where the system refuses to say."""

from __future__ import annotations

import os
from pathlib import Path

from dashboard.workspace.disk import durable, errors


def names_in(folder: Path) -> list[str]:
    """The names of a folder, none where there is no such folder."""
    try:
        return sorted(p.name for p in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise errors.unreadable(error, folder) from error


def states_in(folder: Path) -> dict[str, durable.State]:
    """Name -> state of the files of a folder, in one pass over it."""
    states: dict[str, durable.State] = {}
    try:
        with os.scandir(folder) as found:
            for entry in found:
                state = durable.state_of(entry)
                if state is not None:
                    states[entry.name] = state
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise errors.unreadable(error, folder) from error
    return states
