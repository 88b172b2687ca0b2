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
    """A process: wall seconds, peak memory in MB, the end of what it printed; NaN seconds where it
    failed."""

    seconds: float
    memory: float
    output: str


_WATCHED = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
seconds = time.perf_counter() - start
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(done.returncode, seconds, memory)
print((done.stdout if not done.returncode else done.stderr)[-400:])
"""


def timed(command: Sequence[str]) -> Timed:
    """Run a command once, with what Python keeps of modules, as installing leaves it."""
    told = subprocess.run(
        [sys.executable, "-c", _WATCHED, *command],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
    ).stdout
    first, output = told.split("\n", 1)
    code, seconds, memory = first.split()
    return Timed(float(seconds) if code == "0" else float("nan"), float(memory), output)


def alternating(contenders: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Timed]:
    """Each contender in turn, so many times: medians of its seconds, its largest memory. The first
    round, which fills caches, does not count where there are others."""
    tries: dict[str, list[Timed]] = {name: [] for name in contenders}
    for _ in range(rounds + (rounds > 1)):
        for name, command in contenders.items():
            tries[name].append(timed(command))
    counted = {name: own[1:] if rounds > 1 else own for name, own in tries.items()}
    return {
        name: Timed(
            statistics.median(t.seconds for t in own),
            max(t.memory for t in own),
            own[-1].output,
        )
        for name, own in counted.items()
    }


def machine() -> str:
    """The machine in words."""

    model = platform.processor() or platform.machine()
    with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        named = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{os.cpu_count()} × {named[0] if named else model}, Python {platform.python_version()}"
