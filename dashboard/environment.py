"""Options given at the start, as environment variables of this process. Imports no other module of
the dashboard."""

from __future__ import annotations

import os
from pathlib import Path

from metrics_core.base.errors import RanklensError

DATA_VARIABLE = "RANKLENS_DATA"
WORKSPACE_VARIABLE = "RANKLENS_WORKSPACE"


def data_folder() -> str:
    """The folder of files given at the start; empty if none was given."""
    return os.environ.get(DATA_VARIABLE, "")


def workspace_folder() -> Path:
    """The workspace folder. Raises RanklensError if no folder is named and this account has no home
    folder."""
    folder_name = os.environ.get(WORKSPACE_VARIABLE)
    return Path(folder_name) if folder_name else default_workspace_folder()


def default_workspace_folder() -> Path:
    """The default workspace folder, in the user's data folder. Raises RanklensError without a home
    folder."""
    base = os.environ.get("XDG_DATA_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "share") / "ranklens"
    except RuntimeError as error:
        raise RanklensError(
            "This account has no home folder to store files in.",
            "Set HOME, or choose a folder with make run WORKSPACE=folder or ranklens --workspace"
            " folder.",
        ) from error
