"""The folder that remembers what was given, and keeps it through crashes, power cuts and other
programs: collections of tables, each with its name.

    workspace/
      workspace.json                     the version of this layout
      collections/<id>/collection.json   its name, how its files are read, how far its journals went
      collections/<id>/<number>.json     a file: what it holds, and which table
      collections/<id>/layer-<id>.journal     grades that were given here, a line a change
      collections/<id>/notes.journal          notes and tags on queries, likewise
      tables/<sha256>.parquet            rows, under the hash of these very bytes
      cache/                             what would be worked out again if it were deleted
      lock, writer                       one writes at a time, and who it is

There is no index that could be damaged or fall behind: a record is there, whole, or it is not. A
record is acknowledged once it, its table and their folders are on the disk. docs/workspace.md says
what is promised and why it is built so.
"""

from dashboard.workspace.adding import Added
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.records import NOTHING_SAID, Collection, Damaged, Entry, Settings
from dashboard.workspace.layers import GivenGrade, Layer
from dashboard.workspace.notes import Comment, Noted
from dashboard.workspace.store import Workspace

__all__ = [
    "NOTHING_SAID",
    "Added",
    "Collection",
    "Comment",
    "Damaged",
    "Entry",
    "GivenGrade",
    "Layer",
    "Noted",
    "Settings",
    "StorageError",
    "Workspace",
]
