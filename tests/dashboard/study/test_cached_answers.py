"""Answers are kept by what they were given; those that many ask for are worked out a few at a
time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from dashboard.study import cached_answers
from dashboard.study.cached_answers import CachedAnswers, limit_cached_results, wait_for_turn


class _Asked(CachedAnswers):
    def __init__(self, room: int = 1_000_000) -> None:
        with pytest.MonkeyPatch.context() as small:
            small.setattr(cached_answers, "MAX_BYTES", room)
            self._start_cache(1)


def _together(page: Callable[[], object], readers: int) -> None:
    threads = [threading.Thread(target=page) for _ in range(readers)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(10)
    assert not any(one.is_alive() for one in threads)


def test_a_few_of_a_large_answer_are_kept_beside_all_others() -> None:
    made, asked = list[Hashable](), _Asked()

    @limit_cached_results(2)
    def large(of: Any, number: int) -> str:
        made.append(number)
        return "large"

    def usual(of: Any, number: int) -> str:
        return "usual"

    for number in (1, 2, 1, 3):
        asked.cached_answer(large, number)
        asked.cached_answer(usual, number)
    assert made == [1, 2, 3]
    assert [asked.has_answer(large, number) for number in (1, 2, 3)] == [True, False, True]
    assert all(asked.has_answer(usual, number) for number in (1, 2, 3))


def test_what_was_worked_out_with_others_is_kept_as_if_by_itself() -> None:
    asked = _Asked()

    def answer(of: Any, number: int) -> str:
        raise AssertionError("it is known")

    assert asked.cached_answer(answer, 1, precomputed="one") == "one"
    assert asked.has_answer(answer, 1) and asked.cached_answer(answer, 1) == "one"


def test_no_more_than_the_cores_work_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_answers, "_CORES", threading.BoundedSemaphore(2))
    working, most, lock, two = 0, 0, threading.Lock(), threading.Barrier(2)
    asked, readers = _Asked(), count(1)

    def answer(of: CachedAnswers, reader: int) -> int:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        two.wait(10)
        # What an answer asks for in its own thread, or in threads of its own, needs no turn.
        of.cached_answer(other, reader)
        with ThreadPoolExecutor(1) as own:
            own.submit(of.cached_answer, other, -reader).result(10)
        with lock:
            working -= 1
        return reader

    def other(of: CachedAnswers, reader: int) -> int:
        return reader

    def page() -> None:
        wait_for_turn()
        # Not the thread's own number: one that ended gives it to the next, and its answer is known.
        asked.cached_answer(answer, next(readers))

    _together(page, 8)
    assert most == 2


def test_a_turn_is_given_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_answers, "_CORES", threading.BoundedSemaphore(1))
    asked, raised = _Asked(), list[int]()

    def answer(of: Any, number: int) -> int:
        return number // 0

    def page() -> None:
        wait_for_turn()
        for number in range(5):
            with pytest.raises(ZeroDivisionError):
                asked.cached_answer(answer, number)
            raised.append(number)

    _together(page, 2)
    assert len(raised) == 10
