"""What was worked out once and would be again: kept in the workspace's folder, bounded.

    workspace/cache/<what>/<sha256>     numbers and texts, sealed (`whole_files`)
    workspace/cache/tables/             runs of folders as Parquet, under the hash of their bytes
    workspace/cache/<mark>/<sha256>     empty: its time says when something was done last

Everything here may be deleted at any time; what is not as it was written counts as not there. What
is larger than the cache may be goes oldest use first. No Streamlit here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import metrics_core
from dashboard.workspace.disk import durable
from dashboard.workspace.disk.folder_store import FolderStore
from metrics_core.base.whole_files import read_sealed, write_sealed

LARGEST = 10_000_000_000
"""Bytes that a cache may take, and no more than half of what else would be free."""

_READING_PACKAGES = ("tables", "formats", "judging", "base/compiled")
"""The packages that say what a file and its judgments mean."""
LAYOUTS = "layouts"
"""What is asked for whenever a table is opened."""

_FORMAT = 3
"""How a file of numbers is written; 1 was an archive of numpy's, the seal of 2 was without the
name."""

_TABLES = "tables"


@dataclass(frozen=True)
class CachedValue:
    """Numbers by name, not to be changed, and whatever else JSON can hold."""

    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    metadata: Any = None


class Cache:
    """The cache of one folder. No method raises for what the disk refuses: then nothing is kept.

    `tables_in_memory` are the tables of the folder that somebody holds in memory, by the hash of
    their bytes, `open_tables` what reads the tables that are open, which are never removed to make
    room.
    """

    def __init__(self, folder: Path, may_write: Callable[[], bool], largest: int = LARGEST) -> None:
        """`may_write` says whether the folder around it can be changed; `largest` in bytes."""
        self.folder, self._may_write, self._largest = folder, may_write, largest
        self.folder_store = FolderStore(folder)
        self.tables_in_memory: WeakValueDictionary[str, pa.Table] = WeakValueDictionary()
        self.open_tables: WeakValueDictionary[str, Any] = WeakValueDictionary()

    def get(self, kind: str, *key_parts: str) -> CachedValue | None:
        """What was kept of this; None where there is nothing, or it is not as it was written."""
        path = self._path(kind, key_parts)
        content = read_sealed(path)
        if content is None:
            return None
        with suppress(OSError):
            os.utime(path)
        # Nothing is copied: an archive of numpy's took twice as long as reading and hash together.
        reader = pa.BufferReader(pa.py_buffer(content))
        header = json.loads(pa.ipc.read_tensor(reader).to_numpy().tobytes())
        arrays = {name: pa.ipc.read_tensor(reader).to_numpy() for name in header["arrays"]}
        return CachedValue(arrays, header["told"])

    def put(self, kind: str, *key_parts: str, value: CachedValue) -> None:
        """Keep something of this."""
        if not self._may_write():
            return
        header = json.dumps({"arrays": list(value.arrays), "told": value.metadata}).encode()
        out = pa.BufferOutputStream()
        for values in (np.frombuffer(header, dtype=np.uint8), *value.arrays.values()):
            pa.ipc.write_tensor(pa.Tensor.from_numpy(values), out)
        with suppress(OSError):
            write_sealed(self._path(kind, key_parts), memoryview(out.getvalue()))
        self._make_room()

    def mark(self, kind: str, key: str) -> None:
        """Remember that something was done now, whichever version does it."""
        if self._may_write():
            with suppress(OSError):
                path = self._mark_path(kind, key)
                durable.make_folder(path.parent)
                path.touch(mode=0o600)

    def mark_time(self, kind: str, key: str) -> float:
        """When it was done last, in seconds since 1970; 0 where nobody knows."""
        with suppress(OSError):
            return self._mark_path(kind, key).stat().st_mtime
        return 0.0

    def _mark_path(self, kind: str, key: str) -> Path:
        return self.folder / kind / hashlib.sha256(key.encode()).hexdigest()

    @contextmanager
    def open_draft(self) -> Iterator[durable.Draft | None]:
        """A table that is written in pieces, to be put among the shelves; None where it cannot be
        kept."""
        with ExitStack() as drafts:
            new_draft = None
            if self._may_write():
                with suppress(OSError):
                    durable.make_folder(self.folder / _TABLES)
                    new_draft = drafts.enter_context(durable.create_draft(self.folder / _TABLES))
            yield new_draft

    def _path(self, kind: str, key_parts: tuple[str, ...]) -> Path:
        key = json.dumps([*key_parts, reading_code_hash(), _FORMAT])
        return self.folder / kind / hashlib.sha256(key.encode()).hexdigest()

    def _make_room(self) -> None:
        """Remove what was not used for longest, until the rest is small enough."""
        with suppress(OSError):
            files = [(p, p.stat()) for p in self.folder.glob("*/*") if p.is_file()]
            total_size = sum(status.st_size for _, status in files)
            largest = min(self._largest, (shutil.disk_usage(self.folder).free + total_size) // 2)
            for path, status in sorted(files, key=lambda f: self._last_use(*f)):
                if total_size <= largest:
                    return
                if path.stem in self.open_tables or path.suffix == durable.DRAFT:
                    continue
                path.unlink(missing_ok=True)
                total_size -= status.st_size

    def _last_use(self, path: Path, status: os.stat_result) -> int:
        """When a file was used last, in nanoseconds: a table when what is known of it was, for its
        own times tell whether its bytes are those that were looked at."""
        used_path = self._path(LAYOUTS, (path.stem,)) if path.parent.name == _TABLES else path
        with suppress(OSError):
            return max(used_path.stat().st_mtime_ns, status.st_mtime_ns)
        return status.st_mtime_ns


@cache
def reading_code_hash() -> str:
    """A hash of the code that reads files and finds judged documents: what another version of it
    made is not taken for what this one would. Raises FileNotFoundError where some is not there."""
    digest = hashlib.sha256()
    root = Path(metrics_core.__file__).parent
    for package in _READING_PACKAGES:
        sources = sorted((root / package).rglob("*.py"))
        if not sources:
            raise FileNotFoundError(f"{root / package} contains no code")
        for path in sources:
            digest.update(path.read_bytes())
    return digest.hexdigest()
