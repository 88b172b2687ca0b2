"""What a page worked with is there for the next one, and goes back when that is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from metrics_core.base import heap

WORK = """
import resource
from threading import Thread
import numpy as np
from metrics_core.base import heap

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20

def page():
    # Twelve arrays of 8 MB, of which two are held at a time.
    held = [np.ones(2**20), np.ones(2**20)]
    for _ in range(10):
        held = [held[1], held[0] + held[1]]

def in_a_thread():
    thread = Thread(target=page)
    thread.start()
    thread.join()

heap.keep_freed_memory(use_one_heap=True)
in_a_thread()
before = faults()
in_a_thread()
again = faults() - before
held = resident()
heap.release_memory()
print(again, held - resident())
"""


@pytest.mark.skipif(heap._c_library() is None, reason="the heap of another C library")
def test_what_a_page_worked_with_is_there_for_the_next_and_given_back_when_asked() -> None:
    # Huge pages would hide how many a thread asks for.
    environment = os.environ | {"NUMPY_MADVISE_HUGEPAGE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", WORK], env=environment, capture_output=True, text=True, check=True
    )
    again, returned = map(float, done.stdout.split())
    # One array alone has 2,048 pages.
    assert again < 1_000
    assert returned > 10


def test_on_another_c_library_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(heap.ctypes, "CDLL", missing)
    heap.keep_freed_memory(use_one_heap=True)
    heap.release_memory()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert heap._c_library() is None


class Told:
    """A library that accepts values up to so much, and notes what it was told."""

    def __init__(self, most: int) -> None:
        self.most, self.told = most, list[tuple[int, int]]()

    def mallopt(self, setting: int, value: int) -> int:
        self.told.append((setting, value))
        return int(value <= self.most)


@pytest.mark.parametrize(("most", "kept"), [(2**40, 128 * 2**20), (32 * 2**20, 32 * 2**20)])
def test_what_the_library_allows_is_kept(
    most: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Told(most)
    monkeypatch.setattr(heap, "_c_library", lambda: library)
    heap.keep_freed_memory()
    assert library.told[-2:] == [(heap._MMAP_THRESHOLD, kept), (heap._TRIM_THRESHOLD, kept)]


def test_where_the_library_refuses_nothing_else_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Told(0)
    monkeypatch.setattr(heap, "_c_library", lambda: library)
    heap.keep_freed_memory()
    assert {setting for setting, _ in library.told} == {heap._MMAP_THRESHOLD}
