"""The workspace: a folder of collections of tables that survives crashes, power cuts and other
programs.

    workspace/
      workspace.db                     the version of this layout, the names of all collections
      collections/<id>/state.db        its name, files, layers, grades, notes and tags
      collections/<id>/state.good.db   the same at the last start, in case it is damaged
      tables/<sha256>.parquet          rows of files, named by the hash of these bytes
      cache/                           results that are computed again if deleted

A change is acknowledged once it is on the disk. docs/workspace.md lists the guarantees and the
reasons for this design.
"""

from dashboard.workspace.adding import AddedFile
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import (
    DEFAULT_SETTINGS,
    Collection,
    DamagedRecord,
    Entry,
    Settings,
)
from dashboard.workspace.layers import GradeRecord, Layer
from dashboard.workspace.notes import Comment, QueryNotes
from dashboard.workspace.store import Workspace

__all__ = [
    "DEFAULT_SETTINGS",
    "AddedFile",
    "Collection",
    "Comment",
    "DamagedRecord",
    "Entry",
    "GradeRecord",
    "Layer",
    "QueryNotes",
    "Settings",
    "StorageError",
    "Workspace",
]
