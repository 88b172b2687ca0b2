"""Answers that many ask for at once are worked out a few at a time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.opened import turns


@pytest.fixture(autouse=True)
def two_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_TURNS", turns.Turns(2))


def test_no_more_than_the_turns_work_at_a_time() -> None:
    working, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        time.sleep(0.01)
        # What an answer asks for in its own thread, or in threads of its own, needs no turn.
        turns.in_turn(lambda: None)
        with ThreadPoolExecutor(1) as own:
            own.submit(turns.in_turn, lambda: None).result()
        with lock:
            working -= 1

    def page() -> None:
        turns.take_turns()
        turns.in_turn(work)

    pages = [threading.Thread(target=page) for _ in range(8)]
    for one in pages:
        one.start()
    for one in pages:
        one.join(10)
    assert not any(one.is_alive() for one in pages) and most == 2


def test_a_turn_is_given_back_after_an_error() -> None:
    def page() -> None:
        turns.take_turns()
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                turns.in_turn(lambda: 1 // 0)

    thread = threading.Thread(target=page)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
