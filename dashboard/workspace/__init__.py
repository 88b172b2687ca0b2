"""The folder that remembers what was given, and keeps it through crashes, power cuts and other
programs: collections of tables, each with its name.

    workspace/
      workspace.db                     the version of this layout, the names of all collections
      collections/<id>/state.db        its name, files, layers, grades, notes and tags
      collections/<id>/state.good.db   the same at the last start, should it be damaged
      tables/<sha256>.parquet          rows of files, under the hash of these very bytes
      cache/                           what would be worked out again if it were deleted

A change is acknowledged once it is on the disk. docs/workspace.md says what is promised and why it
is built so.
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
