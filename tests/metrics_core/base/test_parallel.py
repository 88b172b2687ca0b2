"""What several threads work on comes back in its order, and nobody waits for good."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from unittest import mock

import pytest

from metrics_core.base import parallel
from metrics_core.base.parallel import map_in_order, map_on_all_cores


@pytest.fixture(autouse=True)
def two_workers() -> Iterator[None]:
    """As on a machine of two cores."""
    parallel._helper_pool.cache_clear()
    with mock.patch.object(parallel, "WORKERS", 2):
        yield
    parallel._helper_pool.cache_clear()


@pytest.mark.parametrize("work", [map_in_order, map_on_all_cores])
@pytest.mark.parametrize("items", [[], [3], range(100)])
def test_results_stand_in_the_order_of_the_items(work, items) -> None:  # type: ignore[no-untyped-def]
    assert list(work(lambda item: -item, items)) == [-item for item in items]
    assert list(work(lambda item: -item, (item for item in items))) == [-item for item in items]


def test_another_thread_helps() -> None:
    meeting = threading.Barrier(2, timeout=30)

    def met(item: int) -> tuple[int, str]:
        meeting.wait()
        return item, threading.current_thread().name

    found = map_on_all_cores(met, [1, 2])
    assert [item for item, _ in found] == [1, 2]
    assert len({name for _, name in found}) == 2


def test_who_asks_does_all_where_nobody_is_free() -> None:
    taken, free = threading.Event(), threading.Event()

    def hold() -> None:
        taken.set()
        free.wait(30)

    parallel._helper_pool().submit(hold)
    assert taken.wait(30)
    try:
        found = map_on_all_cores(lambda _: threading.current_thread(), range(5))
        assert found == [threading.current_thread()] * 5
        nested = map_on_all_cores(
            lambda n: sum(map_on_all_cores(lambda m: n * m, range(3))), range(4)
        )
        assert nested == [0, 3, 6, 9]
    finally:
        free.set()


def test_work_may_be_shared_out_again() -> None:
    nested = map_on_all_cores(
        lambda n: sum(map_on_all_cores(lambda m: n * m, range(30))), range(40)
    )
    assert nested == [435 * n for n in range(40)]


@pytest.mark.parametrize("asks", [True, False], ids=["who asks", "who helps"])
def test_an_error_reaches_who_asks_once_nobody_works_any_more(asks: bool) -> None:
    here, both = threading.current_thread(), threading.Barrier(2, timeout=30)
    working = set[int]()

    def fails(item: int) -> None:
        working.add(item)
        if item < 2:
            both.wait()
        if (threading.current_thread() is here) == asks:
            working.discard(item)
            raise ValueError(item)
        working.discard(item)

    with pytest.raises(ValueError, match=r"\d"):
        map_on_all_cores(fails, range(20))
    assert not working
