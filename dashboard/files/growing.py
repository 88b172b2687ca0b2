"""Long runs that are read while they still arrive. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread

from dashboard.files.converting import ONE_AT_A_TIME, converted
from dashboard.workspace.disk.scratch import ScratchFile
from dashboard.workspace.long_runs.cache import Cache
from metrics_core.formats.registry import Loaded
from metrics_core.formats.source.opening import legible
from metrics_core.formats.source.source import BLOCK, Source
from metrics_core.tables import Qrels

_STEP = 1 << 20
_PATIENCE = 1.0
"""Seconds in which something must come: who reads keeps others waiting."""
_LOOK = 0.1


@dataclass(frozen=True)
class GrowingSource(Source):
    """A plain text on its way to the disk; what is packed is no text here. Reading it raises
    OSError where it stops coming, or somebody else waits to read."""

    file: ScratchFile = field(kw_only=True)

    def chunks(self, size: int = BLOCK) -> Iterator[bytes]:
        """What is there, and then what comes, in pieces of at most so many bytes."""
        at = 0
        with self.file.path.open("rb") as there:
            while (known := self.file.wait_for(at + _STEP, _PATIENCE)) > at:
                while at < known:
                    if ONE_AT_A_TIME.wanted and not self.file.is_whole:
                        raise OSError("another file is waited for")
                    piece = there.read(min(size, known - at))
                    at += len(piece)
                    yield piece
        self.limit.check_size(self.name, at)

    def size(self) -> int:
        """The bytes of the whole file. Raises OSError while it still comes."""
        if not self.file.is_whole:
            raise OSError("the file is not all here")
        return super().size()


class EarlyReading:
    """The reading of a run that is not all here; it is given up where it would not be simple."""

    def __init__(
        self, name: str, file: ScratchFile, cache: Cache, judgments: Sequence[Qrels]
    ) -> None:
        """Begin, unless another file is being read."""
        self.judgments = tuple(judgments)
        self._read = 0
        self._future: Future[Loaded | None] = Future()
        if not ONE_AT_A_TIME.begun_now():
            self._future.set_result(None)
            return
        source = GrowingSource(legible(name), file.path, file=file)
        work = Thread(target=self._run, args=(source, cache), name="early reading", daemon=True)
        try:
            work.start()
        except RuntimeError:  # no more threads
            self._ended(None)

    def _run(self, source: GrowingSource, cache: Cache) -> None:
        made: Loaded | None = None
        try:
            # Whatever went wrong, the file is read again once it is here, and that says it.
            with suppress(Exception):
                made = converted(source, cache, self.judgments, progress=self._told)
        finally:
            self._ended(made)

    def _ended(self, made: Loaded | None) -> None:
        ONE_AT_A_TIME.release()
        self._future.set_result(made)

    def _told(self, read: int) -> None:
        self._read = read

    def result(self, progress: Callable[[int], None]) -> Loaded | None:
        """The run, once it is read; None where it has to be read again. `progress` is told the
        bytes that were read so far."""
        while wait([self._future], _LOOK).not_done:
            progress(self._read)
        return self._future.result()
