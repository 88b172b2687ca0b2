"""The one cache: bounded, least recently used first, and safe for many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from metrics_core.base.memo import Memo
from metrics_core.judging import join_judgments
from tests.collections_of import qrels_of, run_of


def test_what_was_made_is_kept() -> None:
    made: list[str] = []
    memo = Memo(2)

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in "aab":
        assert memo(name, lambda name=name: make(name)) == name
    assert made == ["a", "b"]


def test_the_least_recently_asked_falls_out() -> None:
    memo = Memo(2)
    memo("a", lambda: 1)
    memo("b", lambda: 2)
    memo("a", lambda: 0)
    memo("c", lambda: 3)
    assert len(memo) == 2
    assert memo("a", lambda: 0) == 1
    assert memo("b", lambda: 0) == 0


def test_a_failure_is_not_kept() -> None:
    memo = Memo(2)
    with pytest.raises(ZeroDivisionError):
        memo("a", lambda: 1 / 0)
    assert memo("a", lambda: 1) == 1


def test_none_is_kept_like_any_value() -> None:
    memo = Memo(1)
    assert memo("a", lambda: None) is None
    assert memo("a", lambda: 1) is None


def test_what_two_ask_for_at_once_is_made_once() -> None:
    memo = Memo(4)
    made = []

    def slowly() -> int:
        made.append(1)
        sleep(0.02)
        return len(made)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: memo("a", slowly), range(8)))
    assert found == [1] * 8


def test_one_value_may_need_another() -> None:
    memo = Memo(4)
    assert memo("a", lambda: memo("b", lambda: 1) + 1) == 2


def test_eight_threads_may_ask_the_same_ranks() -> None:
    documents = {f"d{i}": i % 3 for i in range(40)}
    run = run_of({"q": {name: 40 - i for i, name in enumerate(documents)}})
    ranks = join_judgments(run, qrels_of({"q": documents}))

    def ask(start: int) -> None:
        for level in range(start, start + 400):
            ranks.cached("test", level % 150, lambda: [0] * 100)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(0, 800, 100)))


def test_what_is_kept_costs_no_more_than_it_may() -> None:
    kept = Memo(10, cost=len)
    for text in ("aaaa", "bbbb", "cc", "dddd"):
        kept(text, lambda text=text: text)
    assert [text in kept for text in ("aaaa", "bbbb", "cc", "dddd")] == [False, True, True, True]
    kept("e" * 20, lambda: "e" * 20)
    assert len(kept) == 1
