"""One writer at a time, and who it is."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event, Thread

import pytest

from dashboard.workspace import StorageError, Workspace
from dashboard.workspace.disk.lock import WriteLock
from metrics_core import formats

pytestmark = pytest.mark.skipif(os.name != "posix", reason="stops and kills are POSIX's")


def _hold(folder: Path, pipe: Connection) -> None:
    with WriteLock(folder).held():
        pipe.send("held")
        signal.pause()


@contextmanager
def holder(folder: Path) -> Iterator[BaseProcess]:
    """Another process that holds the lock of a folder."""
    ours, its = multiprocessing.Pipe()
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=_hold, args=(folder, its), daemon=True)
    process.start()
    its.close()  # so that its end is seen, should it come first
    try:
        assert ours.recv() == "held"
        yield process
    finally:
        process.kill()
        process.join()


def test_who_holds_it_is_said_even_where_they_are_stopped(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGSTOP)
        with (
            pytest.raises(StorageError, match=f"process {process.pid} on .* is writing to"),
            WriteLock(tmp_path, longest_wait=0.1).held(),
        ):
            pass


@pytest.mark.parametrize("signed", ["", "{", "[]", '{"process": 1}', "\0" * 50])
def test_a_holder_that_did_not_sign_is_another_program(tmp_path: Path, signed: str) -> None:
    with holder(tmp_path):
        (tmp_path / "writer").write_text(signed)
        with (
            pytest.raises(StorageError, match=r"^Another program is writing"),
            WriteLock(tmp_path, longest_wait=0.05).held(),
        ):
            pass


def test_what_a_killed_holder_held_is_free(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.join()
        with WriteLock(tmp_path, longest_wait=0.1).held():
            assert json.loads((tmp_path / "writer").read_text())["process"] == os.getpid()


def test_it_is_given_back_after_an_error(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path, longest_wait=0.1)
    with pytest.raises(ZeroDivisionError), lock.held():
        raise ZeroDivisionError
    with lock.held():
        pass


def test_a_thread_waits_no_longer_than_a_process(tmp_path: Path) -> None:
    lock, held, enough = WriteLock(tmp_path, longest_wait=0.1), Event(), Event()

    def hold() -> None:
        with lock.held():
            held.set()
            enough.wait()

    thread = Thread(target=hold)
    thread.start()
    held.wait()
    try:
        with pytest.raises(StorageError, match=f"process {os.getpid()} "), lock.held():
            pass
    finally:
        enough.set()
        thread.join()


def test_threads_write_one_after_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    shared = Workspace(folder)
    shared.new("Mine", "own")

    def add(number: int) -> str:
        content = f"q1 Q0 d{number} 1 1.0 x\n".encode()
        writer = shared if number % 2 else Workspace(folder)
        return writer.add("own", formats.read(content, name="a.run"), beside=True).entry.number

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(add, range(40)))
    entries = shared.entries("own")
    assert sorted(numbers) == [e.number for e in entries] and len(set(numbers)) == 40
    assert len({e.name for e in entries}) == len({e.slot for e in entries}) == 40
