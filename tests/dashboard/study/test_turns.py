"""Answers that many ask for at once are worked out a few at a time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.study import turns


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


def test_a_turn_goes_to_the_page_that_was_asked_for_first() -> None:
    queue, order = turns.Turns(1), list[str]()
    asked = {"third": 3.0, "first": 1.0, "second": 2.0, "second too": 2.0}

    def page(name: str) -> None:
        with queue.one(asked[name]):
            order.append(name)

    threads = [threading.Thread(target=page, args=(name,)) for name in asked]
    with queue.one(0.0):
        for number, thread in enumerate(threads):
            thread.start()
            while len(queue._waiting) <= number:
                time.sleep(0.001)
    # Whoever had it does not come before them: it was handed on.
    with queue.one(4.0):
        order.append("again")
    for thread in threads:
        thread.join(10)
    assert order == ["first", "second", "second too", "third", "again"]


def test_the_place_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(turns, "_mine", turns._Mine())
    monkeypatch.setattr(time, "monotonic", lambda: now)
    turns.take_turns()
    now = 102.0
    assert turns._mine.place() == 100
    turns.let_others_first()
    assert turns._mine.place() == 101
    # It has worked long enough to let others in.
    now = 200.0
    assert turns._mine.place() == 198
    turns.take_turns()
    assert turns._mine.place() == 200
