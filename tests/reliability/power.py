"""Power cuts: what a workspace has acknowledged is on the disk, whatever else the cut leaves.

    python -m tests.reliability.power --count 200

A process changes a workspace while recorder.c, put before the C library, writes down everything
that reaches the system, from Python and from Arrow alike; some are killed in between, and the next
one goes on. From the record disk.py makes the disks that a cut at any point may leave, and each
must hold everything that was acknowledged before the cut.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from dashboard.workspace import StorageError, Workspace
from tests.reliability.acts import State, do, done, propose
from tests.reliability.crashes import recovered, that_is_shown
from tests.reliability.disk import Disk, Event, events

CUTS_A_RECORD = 25
"""So many cuts are made from one record before another one is made."""
_LIVES, _ACTS = 3, 12
_ACKNOWLEDGED = "acknowledged"
_ROOT = Path(__file__).resolve().parents[2]


def compiler() -> str | None:
    """The C compiler of this machine; None where it has none."""
    return shutil.which("cc") or shutil.which("gcc")


def built(folder: Path) -> Path:
    """recorder.c as a library."""
    library = folder / "recorder.so"
    source = Path(__file__).with_name("recorder.c")
    command = [compiler() or "cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
    subprocess.run([*command, "-lpthread"], check=True)
    return library


class Known:
    """What a workspace may show after what was acknowledged so far."""

    def __init__(self) -> None:
        self.possible: list[State] = [{}]
        self.sweeping = False

    def told(self, line: str) -> None:
        """One acknowledgement more."""
        word, act, told = json.loads(line)
        now, self.sweeping = self.possible[0], False
        if word == "begun" and act == ["start"]:
            self.sweeping = True
        elif word == "begun":
            self.possible = [now, done(now, tuple(act))]
        elif word == "done":
            self.possible = [done(now, tuple(act), told)]
        else:
            self.possible = [done(self.possible[told], ("start",))]


def record(folder: Path, library: Path, seed: int, lives: int = _LIVES) -> bytes:
    """The log of a few processes that change one workspace in `folder`/disk, each but the last
    killed somewhere. Fails where the log does not tell all that became of the disk."""
    disk, log, chance = folder / "disk", folder / "log", random.Random(seed)
    disk.mkdir()
    for life in range(lives):
        environment = {**os.environ, "LD_PRELOAD": str(library), "RECORDED": str(disk)}
        environment["RECORDED_LOG"] = str(log)
        if life < lives - 1:
            environment["RECORDED_LAST"] = str(chance.randrange(5, 150))
        known = _known(events(log.read_bytes()) if life else ())
        subprocess.run(
            [sys.executable, "-m", "tests.reliability.power", "--work", disk],
            input=pickle.dumps((known.possible, chance.random(), life * 1000)),
            cwd=_ROOT,
            env=environment,
            check=life == lives - 1,
        )
    _tells_all(disk, log.read_bytes())
    return log.read_bytes()


def _known(happened: Iterable[Event]) -> Known:
    known = Known()
    for event in happened:
        if event.word == "write" and event.path.name == _ACKNOWLEDGED:
            known.told(event.content.decode())
    return known


def _tells_all(folder: Path, log: bytes) -> None:
    disk = Disk(folder)
    for event in events(log):
        disk.happens(event)
    there = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert disk.without_a_cut() == there, "something was written past the recorder"


def cut(
    log: bytes,
    folder: Path,
    chance: random.Random,
    happened: Callable[[Event], bool] = lambda event: True,
) -> None:
    """One cut at a random point of a record, and a start from what it left. Fails where something
    acknowledged is lost. Events that never `happened` are left out."""
    every = list(events(log))
    point = chance.randrange(len(every)) + 1
    disk = Disk(folder / "disk")
    for event in every[:point]:
        if happened(event):
            disk.happens(event)
    known, left = _known(every[:point]), folder / "left"
    disk.after_a_cut(chance, left)
    try:
        recovered(left / "workspace", known.possible, sweeping=known.sweeping)
    except (AssertionError, StorageError) as error:
        raise AssertionError(f"after {point} of {len(every)} events: {error}") from error
    finally:
        shutil.rmtree(left)


def cuts(count: int, seed: int, folder: Path) -> None:
    """So many power cuts. Fails where something acknowledged is lost."""
    library = built(folder)
    for start in range(0, count, CUTS_A_RECORD):
        here = folder / f"record-{start}"
        here.mkdir()
        log = record(here, library, seed + start)
        for number in range(start, min(count, start + CUTS_A_RECORD)):
            try:
                cut(log, here, random.Random(f"{seed} {number}"))
            except AssertionError as error:
                raise AssertionError(f"cut {number} of seed {seed}: {error}") from error
        shutil.rmtree(here / "disk")


def _work(disk: Path) -> None:
    """Change the workspace for a while; every acknowledgement is an event of the record."""
    possible, seed, count = pickle.load(sys.stdin.buffer)
    chance, workspace = random.Random(seed), Workspace(disk / "workspace")
    handle = os.open(disk / _ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def tell(word: str, act: Iterable[str], told: str | int = "") -> None:
        os.write(handle, json.dumps([word, list(act), told]).encode())

    tell("begun", ("start",))
    do(workspace, possible[0], ("start",))
    found = that_is_shown(workspace, possible)
    tell("is", (), possible.index(found))
    state = done(found, ("start",))
    for collection in workspace.read_collections():
        state[collection.name].id = collection.id
    for number in range(_ACTS):
        act = propose(chance, state, count + number)
        tell("begun", act)
        identity = do(workspace, state, act)
        state = done(state, act, identity)
        tell("done", act, identity)


def main() -> None:
    """Cut as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        _work(asked.work)
        return
    with tempfile.TemporaryDirectory() as folder:
        cuts(asked.count, asked.seed, Path(folder))
    print(f"{asked.count} power cuts: nothing acknowledged lost, nothing left over")


if __name__ == "__main__":
    main()
