"""Contenders as processes of their own, so that start, imports and memory count."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timed:
    """A process: wall seconds, peak memory in MB, the end of what it printed, seconds of the
    processor; NaN seconds if it failed."""

    seconds: float
    memory: float
    output: str
    processor: float = float("nan")


_WATCHED = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, seconds, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
print((done.stdout if not done.returncode else done.stderr)[-400:])
"""


def timed(command: Sequence[str], folder: Path | None = None) -> Timed:
    """Run a command once, in a folder, with what Python keeps of modules, as installing leaves
    it."""
    told = subprocess.run(
        [sys.executable, "-c", _WATCHED, *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
    ).stdout
    first, output = told.split("\n", 1)
    code, seconds, memory, processor = first.split()
    failed = code != "0"
    wall, used = (float("nan") if failed else float(each) for each in (seconds, processor))
    return Timed(wall, float(memory), output, used)


def alternating(
    contenders: Mapping[str, Sequence[str]],
    rounds: int,
    folders: Mapping[str, Path] | None = None,
) -> dict[str, Timed]:
    """Each contender in turn, so many times: medians of its seconds, its largest memory. The first
    round, which fills caches, does not count if there are others. `folders` are where they run."""
    tries: dict[str, list[Timed]] = {name: [] for name in contenders}
    for _ in range(rounds + (rounds > 1)):
        for name, command in contenders.items():
            tries[name].append(timed(command, (folders or {}).get(name)))
    counted = {name: own[1:] if rounds > 1 else own for name, own in tries.items()}
    return {
        name: Timed(
            statistics.median(t.seconds for t in own),
            max(t.memory for t in own),
            own[-1].output,
            statistics.median(t.processor for t in own),
        )
        for name, own in counted.items()
    }


def machine() -> str:
    """The machine in words."""

    model = platform.processor() or platform.machine()
    with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        named = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{os.cpu_count()} × {named[0] if named else model}, Python {platform.python_version()}"
