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
from dashboard.workspace.disk.shelves import Shelves
from metrics_core.base.whole_files import read_sealed, write_sealed

LARGEST = 10_000_000_000
"""Bytes that a cache may take, and no more than half of what else would be free."""

_MEANT = ("tables", "formats", "judging", "base/compiled")
"""The packages that say what a file and its judgments mean."""
LAYOUTS = "layouts"
"""What is asked for whenever a table is opened."""

_FORMAT = 3
"""How a file of numbers is written; 1 was an archive of numpy's, the seal of 2 was without the
name."""

_TABLES = "tables"


@dataclass(frozen=True)
class Kept:
    """Numbers by name, not to be changed, and whatever else JSON can hold."""

    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    told: Any = None


class Cache:
    """The cache of one folder. No method raises for what the disk refuses: then nothing is kept.

    `held` are the tables of the folder that somebody holds in memory, by the hash of their bytes,
    `opened` what reads the tables that are open, which are never removed to make room.
    """

    def __init__(self, folder: Path, may_write: Callable[[], bool], largest: int = LARGEST) -> None:
        """`may_write` says whether the folder around it can be changed; `largest` in bytes."""
        self.folder, self._may_write, self._largest = folder, may_write, largest
        self.shelves = Shelves(folder)
        self.held: WeakValueDictionary[str, pa.Table] = WeakValueDictionary()
        self.opened: WeakValueDictionary[str, Any] = WeakValueDictionary()

    def get(self, what: str, *of: str) -> Kept | None:
        """What was kept of this; None where there is nothing, or it is not as it was written."""
        path = self._path(what, of)
        content = read_sealed(path)
        if content is None:
            return None
        with suppress(OSError):
            os.utime(path)
        # Nothing is copied: an archive of numpy's took twice as long as reading and hash together.
        rest = pa.BufferReader(pa.py_buffer(content))
        told = json.loads(pa.ipc.read_tensor(rest).to_numpy().tobytes())
        arrays = {name: pa.ipc.read_tensor(rest).to_numpy() for name in told["arrays"]}
        return Kept(arrays, told["told"])

    def put(self, what: str, *of: str, kept: Kept) -> None:
        """Keep something of this."""
        if not self._may_write():
            return
        told = json.dumps({"arrays": list(kept.arrays), "told": kept.told}).encode()
        out = pa.BufferOutputStream()
        for values in (np.frombuffer(told, dtype=np.uint8), *kept.arrays.values()):
            pa.ipc.write_tensor(pa.Tensor.from_numpy(values), out)
        with suppress(OSError):
            write_sealed(self._path(what, of), memoryview(out.getvalue()))
        self._make_room()

    def mark(self, what: str, of: str) -> None:
        """Remember that something was done now, whichever version does it."""
        if self._may_write():
            with suppress(OSError):
                path = self._mark(what, of)
                durable.make_folder(path.parent)
                path.touch(mode=0o600)

    def marked(self, what: str, of: str) -> float:
        """When it was done last, in seconds since 1970; 0 where nobody knows."""
        with suppress(OSError):
            return self._mark(what, of).stat().st_mtime
        return 0.0

    def _mark(self, what: str, of: str) -> Path:
        return self.folder / what / hashlib.sha256(of.encode()).hexdigest()

    @contextmanager
    def draft(self) -> Iterator[durable.Draft | None]:
        """A table that is written in pieces, to be put among the shelves; None where it cannot be
        kept."""
        with ExitStack() as drafts:
            made = None
            if self._may_write():
                with suppress(OSError):
                    durable.make_folder(self.folder / _TABLES)
                    made = drafts.enter_context(durable.draft(self.folder / _TABLES))
            yield made

    def _path(self, what: str, of: tuple[str, ...]) -> Path:
        key = json.dumps([*of, meaning(), _FORMAT])
        return self.folder / what / hashlib.sha256(key.encode()).hexdigest()

    def _make_room(self) -> None:
        """Remove what was not used for longest, until the rest is small enough."""
        with suppress(OSError):
            files = [(p, p.stat()) for p in self.folder.glob("*/*") if p.is_file()]
            left = sum(told.st_size for _, told in files)
            largest = min(self._largest, (shutil.disk_usage(self.folder).free + left) // 2)
            for path, told in sorted(files, key=lambda f: self._last_use(*f)):
                if left <= largest:
                    return
                if path.stem in self.opened or path.suffix == durable.DRAFT:
                    continue
                path.unlink(missing_ok=True)
                left -= told.st_size

    def _last_use(self, path: Path, told: os.stat_result) -> int:
        """When a file was used last, in nanoseconds: a table when what is known of it was, for its
        own times tell whether its bytes are those that were looked at."""
        known = self._path(LAYOUTS, (path.stem,)) if path.parent.name == _TABLES else path
        with suppress(OSError):
            return max(known.stat().st_mtime_ns, told.st_mtime_ns)
        return told.st_mtime_ns


@cache
def meaning() -> str:
    """A hash of the code that reads files and finds judged documents: what another version of it
    made is not taken for what this one would. Raises FileNotFoundError where some is not there."""
    digest = hashlib.sha256()
    root = Path(metrics_core.__file__).parent
    for package in _MEANT:
        sources = sorted((root / package).rglob("*.py"))
        if not sources:
            raise FileNotFoundError(f"{root / package} contains no code")
        for path in sources:
            digest.update(path.read_bytes())
    return digest.hexdigest()
