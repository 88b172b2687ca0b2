"""Cases run in processes of their own, watched from outside: a hang, a crash, or memory that grows
is a find, as is any error that is not ours."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tests.reliability.fuzz.cases import Case, case

LONGEST = 5.0
"""Seconds that a case may take."""
MOST_MEMORY = 500 << 20
"""Bytes that a case may take above what its process had before it."""

_AT_ONCE = 2_000
_STARTING = 120.0
_ADDRESSES = 12 << 30


@dataclass(frozen=True)
class Find:
    """A case that is not as it should be, and why."""

    number: int
    why: str

    @property
    def slug(self) -> str:
        """What it is, as a part of a file's name."""
        return re.sub(r"[^a-z0-9]+", "-", self.why.lower()).strip("-")[:60]


def run(seed: int, numbers: range, workers: int = 2) -> list[Find]:
    """The finds among these cases."""
    parts = [numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE)]
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda part: list(_watched(seed, part)), parts)
        return [find for finds in found for find in finds]


def check(cases: list[Case]) -> str:
    """Why one of these cases is not as it should be; "" where all are. In this process."""
    for one in cases:
        why = _problem(one, _peak())
        if why:
            return why
    return ""


def _watched(seed: int, numbers: range) -> Iterator[Find]:
    """Run cases in a child; start another behind the one that hangs, grows or dies."""
    context = multiprocessing.get_context("spawn")
    while len(numbers):
        ours, theirs = context.Pipe()
        child = context.Process(target=_work, args=(theirs, seed, numbers), daemon=True)
        child.start()
        theirs.close()
        current, since, start, why = -1, time.monotonic(), 0, ""
        while not why:
            try:
                if ours.poll(0.05):
                    said = ours.recv()
                    if isinstance(said, Find):
                        yield said
                    elif said is None:
                        break
                    else:
                        current, start = said
                        since = time.monotonic()
            except EOFError:
                child.join()
                why = f"died with {child.exitcode}"
            taken = time.monotonic() - since
            if taken > (LONGEST if current >= 0 else _STARTING):
                why = "hang"
            elif current >= 0 and not why and _memory(child.pid) - start > 2 * MOST_MEMORY:
                why = "memory"
        child.kill()
        child.join()
        if not why:
            return
        yield Find(current, why)
        numbers = range(max(current, numbers.start - 1) + 1, numbers.stop)


def _work(pipe: Connection, seed: int, numbers: range) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    for one in (case(-1, number) for number in range(50)):  # what is loaded at the first use
        _problem(one, _peak())
    for number in numbers:
        pipe.send((number, _memory(os.getpid())))
        one = case(seed, number)
        before = _peak()
        why = _problem(one, before)
        if why:
            pipe.send(Find(number, why))
    pipe.send(None)


def _problem(one: Case, before: int) -> str:
    """What is wrong with how a case is read; "" where nothing is."""
    started = time.monotonic()
    try:
        one.run()
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)
        ours = [f for f in place if "metrics_core" in f.filename] or place
        return f"{type(error).__name__} in {Path(ours[-1].filename).stem} {ours[-1].name}"
    if time.monotonic() - started > LONGEST:
        return "slow"
    return "memory" if _peak() - before > MOST_MEMORY else ""


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _memory(pid: int | None) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) << 12
    except (OSError, IndexError):
        return 0
