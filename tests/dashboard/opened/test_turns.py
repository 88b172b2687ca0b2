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


def test_a_turn_goes_to_who_waits_longest_and_what_follows_a_page_waits_a_little_longer() -> None:
    queue, order = turns.Turns(1), list[str]()

    def page(name: str, later: float) -> None:
        with queue.one(later):
            order.append(name)

    def waiting() -> int:
        return len(queue._waiting)

    threads = []
    with queue.one():
        for name, later in (("follows", 60.0), ("first", 0.0), ("second", 0.0)):
            threads.append(threading.Thread(target=page, args=(name, later)))
            threads[-1].start()
            while waiting() < len(threads):
                time.sleep(0.001)
    # Whoever had it does not come before them: it was handed on.
    with queue.one(120.0):
        order.append("again")
    for thread in threads:
        thread.join(10)
    assert order == ["first", "second", "follows", "again"]


def test_a_page_is_patient_only_until_it_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_mine", turns._Mine())
    turns.take_turns()
    turns.let_others_first()
    assert turns._mine.later > 0
    turns.take_turns()
    assert turns._mine.later == 0
