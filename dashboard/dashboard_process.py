"""A dashboard of some tables in a process of its own, for as long as this one wants it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO
from weakref import finalize

from dashboard.address.address import Address
from dashboard.temporary_folders import TemporaryFolder
from dashboard.workspace import Workspace
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded

_ROOT = str(Path(__file__).parents[1])
# Wherever this process found the package; what stands before it is found first there, too.
_BEGIN = (
    f"import sys; sys.path.append({_ROOT!r}); from dashboard.start import main; sys.exit(main())"
)
_SAID = "Ranklens: "
_SECONDS_TO_END = 20


class DashboardProcess:
    """A dashboard at `address`, which ends with `close`, or with this process, however that ends.
    In a notebook it is shown as a link."""

    def __init__(self, folder: Path, view: Address, temporary: TemporaryFolder | None):
        """Serve a workspace's folder, which goes in the end if it is `temporary`. Raises
        RanklensError where that does not begin."""
        with TemporaryFile("w+") as complaints:
            self._process = _start_process(folder, complaints)
            printed = _first_line(self._process)
            if not printed.startswith(_SAID):
                self._process.wait()
                complaints.seek(0)
                raise RanklensError(f"Ranklens did not start. {complaints.read().strip()}")
        query = view.query.removeprefix("?")
        self.address = f"{printed.removeprefix(_SAID).strip()}{query and f'&{query}'}"
        self._end = finalize(self, _end_process, self._process, temporary)

    def close(self) -> None:
        """End it; a second time does nothing."""
        self._end()

    def __enter__(self) -> DashboardProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{_SAID}{self.address}" if self._end.alive else "Ranklens, closed"

    def _repr_html_(self) -> str:
        if not self._end.alive:
            return escape(repr(self))
        link = escape(self.address)
        return f'<a href="{link}" target="_blank" rel="noreferrer">Open in Ranklens</a>'


def serve_tables(
    files: Iterable[Loaded], view: Address, *, name: str, folder: str | Path | None = None
) -> DashboardProcess:
    """Keep tables as a collection of this name and serve it; `view` is what its address shows.

    In a `folder` the collection stays, and what is kept under its name again takes the place of
    what it was; without one it is gone in the end. Raises RanklensError and StorageError.
    """
    temporary = None
    if folder is None:
        temporary = TemporaryFolder()
        folder = temporary.path
    folder_path = Path(folder).expanduser().resolve()
    workspace = Workspace(folder_path)
    same_name = (collection for collection in workspace.collections() if collection.name == name)
    identity = (next(same_name, None) or workspace.new_collection(name)).id
    for loaded in files:
        workspace.add(identity, loaded)
    return DashboardProcess(folder_path, view.with_values(set=identity), temporary)


def _start_process(folder: Path, complaints: IO[str]) -> subprocess.Popen[str]:
    """The command on any free port, in a session of its own: what interrupts a cell leaves it. It
    ends with its standard input, which the system closes however this process ends."""
    options = ["--port", "0", "--workspace", str(folder), "--until-eof"]
    return subprocess.Popen(
        [sys.executable, "-c", _BEGIN, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        text=True,
        start_new_session=True,
    )


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _end_process(process: subprocess.Popen[str], temporary: TemporaryFolder | None) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    if temporary is not None:
        temporary.close()
