"""Full disks: what does not fit is refused in one sentence, and what was there is whole.

    python -m tests.reliability.full_disks --count 100

The workspace stands on a small disk of its own (a tmpfs, where this account may mount one) that is
filled until a random number of bytes is left; elsewhere the largest file that the process may write
is limited, which the system refuses in the same way while a file is being written.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.workspace import StorageError, Workspace
from tests.reliability.acts import Act, State, do, done, propose
from tests.reliability.shown import left_over, must_show, shows

Limit = Callable[[int], None]
"""Leaves so many bytes; -1 for as many as there are."""

_SIZE = 2 << 20
_BEFORE, _TRIES = 8, 6


@contextmanager
def small_disk(folder: Path) -> Iterator[Limit]:
    """`folder` is a disk of its own. Raises OSError where this account may not mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        raise OSError("no disk can be mounted")
    filler = folder / "filler"

    def leave(count: int) -> None:
        filler.unlink(missing_ok=True)
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        if 0 <= count < free:
            with filler.open("wb") as file:
                file.write(bytes(free - count))

    try:
        yield leave
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def small_files(folder: Path) -> Iterator[Limit]:
    """No file may be longer than a limit."""
    folder.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def leave(count: int) -> None:
        most = before[0] if count < 0 else count
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))

    try:
        yield leave
    finally:
        leave(-1)
        signal.signal(signal.SIGXFSZ, handled)


@contextmanager
def limited(folder: Path) -> Iterator[Limit]:
    """A folder whose room can be limited, in the best way that this account has."""
    try:
        with small_disk(folder) as leave:
            yield leave
    except OSError as error:
        if "mounted" not in str(error):
            raise
        folder.rmdir()
        with small_files(folder) as leave:
            yield leave


def fill(folder: Path, leave: Limit, chance: random.Random) -> int:
    """One full disk: how many changes it refused. Fails where a change that was refused was made in
    part, one that was not refused is not there, or it does not work again once there is room."""
    workspace, state, refused = Workspace(folder / "workspace"), {}, 0
    for number in range(_BEFORE):
        state = _made(workspace, state, propose(chance, state, number))
    for number in range(_TRIES):
        act = _of_all(chance, state, _BEFORE + number)
        leave(chance.choice([0, 0, 4096, chance.randrange(1 << 13), chance.randrange(1 << 17)]))
        try:
            after = _made(workspace, state, act)
        except StorageError as error:
            # SQLite tells a full disk from others, but not a file that may not be longer.
            full = f"The disk of {workspace.folder} is full."
            other = f"The folder {workspace.folder} could not be written: disk I/O error."
            assert error.message in (full, other), error
            assert "Free some space" in error.hint or "may use more space" in error.hint
            refused, after = refused + 1, state
        leave(-1)
        assert shows(Workspace(workspace.folder)) == must_show(after), f"{act} was done in part"
        assert not list(workspace.folder.rglob("*.part"))
        state = after if after is not state else _made(workspace, state, act)
    state = _made(workspace, state, ("start",))
    assert shows(Workspace(workspace.folder)) == must_show(state)
    assert left_over(workspace.folder) == []
    return refused


def _of_all(chance: random.Random, state: State, count: int) -> Act:
    """Any act; half of them are files that are large."""
    identity = next((name for name, shelf in state.items() if not shelf.removed), "")
    if identity and chance.random() < 0.5:
        return "add", identity, f"{count}.run", str(8 * chance.randrange(5)), ""
    return propose(chance, state, count)


def _made(workspace: Workspace, state: State, act: Act) -> State:
    return done(state, act, do(workspace, state, act))


def fills(count: int, seed: int, folder: Path) -> int:
    """So many full disks; how many changes they refused."""
    refused = 0
    for number in range(count):
        try:
            with limited(folder / f"disk-{number}") as leave:
                refused += fill(folder / f"disk-{number}", leave, random.Random(f"{seed} {number}"))
        except AssertionError as error:
            raise AssertionError(f"full disk {number} of seed {seed}: {error}") from error
    return refused


def main() -> None:
    """Fill as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        refused = fills(asked.count, asked.seed, Path(folder))
    print(
        f"{asked.count} full disks, {refused} changes refused: what was there is whole, nothing is"
        " left over, and all were made once there was room"
    )


if __name__ == "__main__":
    sys.exit(main())
