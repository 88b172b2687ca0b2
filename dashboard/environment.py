"""Options of the program, which are passed as environment variables of this process. This module
imports no other module of the dashboard."""

from __future__ import annotations

import os
from pathlib import Path

from metrics_core.base.errors import RanklensError

DATA_VARIABLE = "RANKLENS_DATA"
WORKSPACE_VARIABLE = "RANKLENS_WORKSPACE"


def data_folder() -> str:
    """Return the folder of files that was named when Ranklens was started. Returns "" if none was
    named."""
    return os.environ.get(DATA_VARIABLE, "")


def workspace_folder() -> Path:
    """Return the workspace folder. Raises RanklensError if no folder is named and the user's
    account has no home folder."""
    folder_name = os.environ.get(WORKSPACE_VARIABLE)
    return Path(folder_name) if folder_name else default_workspace_folder()


def default_workspace_folder() -> Path:
    """Return the default workspace folder, which is in the user's data folder. Raises RanklensError
    if there is no home folder."""
    base = os.environ.get("XDG_DATA_HOME")
    try:
        return (Path(base) if base else Path.home() / ".local" / "share") / "ranklens"
    except RuntimeError as error:
        raise RanklensError(
            "This account has no home folder to store files in.",
            "Set HOME, or choose a folder with make run WORKSPACE=folder or ranklens --workspace"
            " folder.",
        ) from error
