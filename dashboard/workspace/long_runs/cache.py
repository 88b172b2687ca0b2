"""Cache in the workspace's folder for results that can be computed again, up to a maximum size.

    workspace/cache/<what>/<sha256>     numbers and texts, sealed (`whole_files`)
    workspace/cache/tables/             runs of folders as Parquet, named by the hash of their bytes
    workspace/cache/<mark>/<sha256>     empty files whose time says when something was last done

Everything here may be deleted at any time; damaged files are treated as missing. If the maximum
size is exceeded, the least recently used files are removed. This module does not import
Streamlit."""

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
import pyarrow as pa

import metrics_core
from dashboard.workspace.disk import durable
from dashboard.workspace.disk.folder_store import FolderStore
from metrics_core.base.arrays import AnyArray
from metrics_core.base.whole_files import read_checksummed_file, write_checksummed_file

LARGEST = 10_000_000_000
"""Maximum size of a cache in bytes. In addition, a cache never uses more than half of the disk
space that would be free without it."""

_READING_PACKAGES = ("tables", "formats", "judging", "base/compiled")
"""The packages of `metrics_core` whose code determines how files are read and how judged documents
are found."""
LAYOUTS = "layouts"
"""The kind of cached values that are needed whenever a table is opened: the layouts of rows."""

_FORMAT = 3
"""Version of the file format. Version 1 was a NumPy archive. In version 2, the seal did not cover
the name."""

_TABLES = "tables"


@dataclass(frozen=True)
class CachedValue:
    """A cached value: read-only arrays by name, and other data that JSON can represent."""

    arrays: Mapping[str, AnyArray] = field(default_factory=dict)
    metadata: Any = None


class Cache:
    """The cache of one folder. If the disk refuses access, methods do not raise an error, and
    nothing is stored.

    `tables_in_memory` are the tables of the folder that are in memory, by the hash of their bytes.
    `open_tables` are the readers of open tables; such tables are never removed to free space."""

    def __init__(self, folder: Path, may_write: Callable[[], bool], largest: int = LARGEST) -> None:
        """Create the cache. `may_write` returns whether the enclosing folder can be changed.
        `largest` is the maximum size in bytes."""
        self.folder, self._may_write, self._largest = folder, may_write, largest
        self.folder_store = FolderStore(folder)
        self.tables_in_memory: WeakValueDictionary[str, pa.Table] = WeakValueDictionary()
        self.open_tables: WeakValueDictionary[str, Any] = WeakValueDictionary()

    def get(self, kind: str, *key_parts: str) -> CachedValue | None:
        """Return a cached value. Returns None if the value is missing or damaged."""
        path = self._path(kind, key_parts)
        content = read_checksummed_file(path)
        if content is None:
            return None
        with suppress(OSError):
            os.utime(path)
        # Nothing is copied: a NumPy archive took twice as long as reading and hashing together.
        reader = pa.BufferReader(pa.py_buffer(content))
        header = json.loads(pa.ipc.read_tensor(reader).to_numpy().tobytes())
        arrays = {name: pa.ipc.read_tensor(reader).to_numpy() for name in header["arrays"]}
        return CachedValue(arrays, header["told"])

    def put(self, kind: str, *key_parts: str, value: CachedValue) -> None:
        """Store a value in the cache."""
        if not self._may_write():
            return
        header = json.dumps({"arrays": list(value.arrays), "told": value.metadata}).encode()
        out = pa.BufferOutputStream()
        for values in (np.frombuffer(header, dtype=np.uint8), *value.arrays.values()):
            pa.ipc.write_tensor(pa.Tensor.from_numpy(values), out)
        with suppress(OSError):
            write_checksummed_file(self._path(kind, key_parts), memoryview(out.getvalue()))
        self._remove_least_used()

    def record_time(self, kind: str, key: str) -> None:
        """Store the current time for the event that `kind` and `key` identify, as the time when the
        event last occurred. All versions of the code share this time."""
        if self._may_write():
            with suppress(OSError):
                path = self._time_record_path(kind, key)
                durable.make_folder(path.parent)
                path.touch(mode=0o600)

    def recorded_time(self, kind: str, key: str) -> float:
        """Return the time that `record_time` stored last, in seconds since 1970. Returns 0 if there
        is none."""
        with suppress(OSError):
            return self._time_record_path(kind, key).stat().st_mtime
        return 0.0

    def _time_record_path(self, kind: str, key: str) -> Path:
        return self.folder / kind / hashlib.sha256(key.encode()).hexdigest()

    @contextmanager
    def open_draft(self) -> Iterator[durable.Draft | None]:
        """Create a draft of a table that is written in pieces. Yields None if nothing can be
        stored."""
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

    def _remove_least_used(self) -> None:
        """Remove the least recently used files until the cache is within its maximum size."""
        with suppress(OSError):
            files = [(p, p.stat()) for p in self.folder.glob("*/*") if p.is_file()]
            total_size = sum(status.st_size for _, status in files)
            largest = min(self._largest, (shutil.disk_usage(self.folder).free + total_size) // 2)
            for path, status in sorted(files, key=lambda f: self._last_use_time(*f)):
                if total_size <= largest:
                    return
                if path.stem in self.open_tables or path.suffix == durable.DRAFT:
                    continue
                path.unlink(missing_ok=True)
                total_size -= status.st_size

    def _last_use_time(self, path: Path, status: os.stat_result) -> int:
        """Return the time when a file was last used, in nanoseconds.

        For a table, a use of its cached layout counts as a use of the table. The times of the
        table's own file cannot be updated, because they show whether its bytes were changed since
        they were checked."""
        used_path = self._path(LAYOUTS, (path.stem,)) if path.parent.name == _TABLES else path
        with suppress(OSError):
            return max(used_path.stat().st_mtime_ns, status.st_mtime_ns)
        return status.st_mtime_ns


@cache
def reading_code_hash() -> str:
    """Return a hash of the code that reads files and finds judged documents, so that results of
    another version of the code are not used. Raises FileNotFoundError if a package has no code."""
    digest = hashlib.sha256()
    root = Path(metrics_core.__file__).parent
    for package in _READING_PACKAGES:
        sources = sorted((root / package).rglob("*.py"))
        if not sources:
            raise FileNotFoundError(f"{root / package} contains no code")
        for path in sources:
            digest.update(path.read_bytes())
    return digest.hexdigest()
