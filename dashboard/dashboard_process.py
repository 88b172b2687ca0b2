"""A dashboard that shows some tables, in a separate process. That process ends when this one ends,
or earlier on request."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
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
# Import from the same place as this process; appended, so that earlier entries still come first.
_BEGIN = (
    f"import sys; sys.path.append({_ROOT!r}); from dashboard.start import main; sys.exit(main())"
)
_SAID = "Ranklens: "
_SECONDS_TO_END = 20


class DashboardProcess:
    """A dashboard in a separate process, with its URL in `address`. It ends when `close` is called,
    or when this process ends for any reason. A notebook shows it as a link."""

    def __init__(self, folder: Path, view: Address, temporary: TemporaryFolder | None):
        """Start a dashboard for the workspace in `folder`. If `temporary` is given, this temporary
        folder is removed at the end.

        Raises RanklensError if the dashboard does not start."""
        with TemporaryFile("w+") as complaints:
            self._process = _start_process(folder, complaints)
            printed = _read_first_line(self._process)
            if not printed.startswith(_SAID):
                self._process.wait()
                complaints.seek(0)
                raise RanklensError(f"Ranklens did not start. {complaints.read().strip()}")
        query = view.query_string.removeprefix("?")
        self.address = f"{printed.removeprefix(_SAID).strip()}{query and f'&{query}'}"
        self._end = finalize(self, _end_process, self._process, temporary)

    def close(self) -> None:
        """End the dashboard. If it has ended already, nothing happens."""
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
    files: Iterable[Loaded],
    view: Address,
    *,
    name: str,
    folder: str | Path | None = None,
    directions: Mapping[str, bool | None],
) -> DashboardProcess:
    """Store tables as a collection with this name, and start a dashboard that shows it. `view` is
    the address at which the dashboard opens. `directions` says, for measures whose scores are in
    the files, whether higher is better.

    If `folder` is given, the collection stays there; files that are stored again under the same
    names replace the earlier ones. If `folder` is None, everything is removed at the end. Raises
    RanklensError and StorageError."""
    temporary = None
    if folder is None:
        temporary = TemporaryFolder()
        folder = temporary.path
    folder_path = Path(folder).expanduser().resolve()
    workspace = Workspace(folder_path)
    same_name = (
        collection for collection in workspace.read_collections() if collection.name == name
    )
    identity = (next(same_name, None) or workspace.get_or_create_collection(name)).id
    for loaded in files:
        workspace.add_table(identity, loaded)
    if directions:
        workspace.change_record(
            identity,
            lambda record: replace(record, directions={**record.directions, **directions}),
        )
    return DashboardProcess(folder_path, view.with_values(set=identity), temporary)


def _start_process(folder: Path, error_file: IO[str]) -> subprocess.Popen[str]:
    """Start the command `ranklens` on any free port. Its errors are written to `error_file`.

    The command runs in its own session, so that interrupting a notebook cell does not end it. It
    ends when its standard input is closed. The operating system closes this input when the current
    process ends, for any reason."""
    options = ["--port", "0", "--workspace", str(folder), "--until-eof"]
    return subprocess.Popen(
        [sys.executable, "-c", _BEGIN, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=error_file,
        text=True,
        start_new_session=True,
    )


def _read_first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _end_process(process: subprocess.Popen[str], temporary_folder: TemporaryFolder | None) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    if temporary_folder is not None:
        temporary_folder.close()
