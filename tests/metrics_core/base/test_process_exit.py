"""A process ends by its status, whatever its threads are in the middle of."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.servers import ROOT

CALLED_BACK = """
import threading, time
import pyarrow as pa

reading = threading.Event()

class Endless:
    closed = False

    def read(self, size=-1):
        reading.set()
        time.sleep(0.001)
        return b"x"

def read():
    stream = pa.BufferedInputStream(pa.PythonFile(Endless(), mode="r"), 1024)
    while True:
        stream.read(100)

threading.Thread(target=read, daemon=True).start()
reading.wait()
"""
"""A thread in Arrow's C++, which calls Python again and again."""

ENDS = """
import atexit, os, signal, sys
from metrics_core.base.process_exit import exit_with_status

def ended(number, frame):
    raise SystemExit(128 + number)

def interrupted():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 130

def wrong():
    raise ValueError("a bug")

signal.signal(signal.SIGTERM, ended)
ways = {
    "returned": lambda: 3,
    "TERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "exit": lambda: sys.exit(),
    "interrupted": interrupted,
    "words": lambda: sys.exit("words"),
    "wrong": wrong,
}

def run():
    atexit.register(print, "first")
    atexit.register(print, "second")
    return ways[sys.argv[1]]()

sys.exit(exit_with_status(run))
"""


def ended(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(("way", "status"), [("returned", 3), ("TERM", 143)])
def test_a_thread_that_arrow_called_back_does_not_abort_it(way: str, status: int) -> None:
    done = ended(CALLED_BACK + ENDS, way)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.parametrize(
    ("way", "status"),
    [("returned", 3), ("TERM", 143), ("exit", 0), ("interrupted", 130), ("words", 1), ("wrong", 1)],
)
def test_what_waits_for_the_end_is_called_and_the_status_kept(way: str, status: int) -> None:
    done = ended(ENDS, way)
    assert done.returncode == status
    assert done.stdout.splitlines() == ["second", "first"]
    assert done.stderr == ("words\n" if way == "words" else done.stderr if way == "wrong" else "")
    assert ("ValueError: a bug" in done.stderr) == (way == "wrong")


LOCKED = """
import os, signal, threading, time
from metrics_core.base.process_exit import exit_within

signal.signal(signal.SIGTERM, lambda number, frame: exit_within(128 + number, 0.2))
with threading._active_limbo_lock:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
"""
"""A signal that comes while a thread is being started, after which no other can be."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_it_leaves_at_last_though_no_thread_can_be_started() -> None:
    done = subprocess.run([sys.executable, "-c", LOCKED], cwd=ROOT, timeout=20)
    assert done.returncode == 143


DROPPED = """
import os, signal, time, weakref
from metrics_core.base.process_exit import exit_within

def end(number, frame):
    exit_within(128 + number, 60)
    raise SystemExit(128 + number)

class Object:
    pass

signal.signal(signal.SIGTERM, end)
collected = Object()
reference = weakref.ref(collected, lambda _: os.kill(os.getpid(), signal.SIGTERM))
del collected
time.sleep(60)
"""
"""A signal during a weak reference's callback, as while modules are loaded."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_an_exit_that_python_drops_ends_the_process_without_a_traceback() -> None:
    done = ended(DROPPED)
    assert (done.returncode, done.stderr) == (143, "")
