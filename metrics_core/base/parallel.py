"""Apply a function to many items in several threads, with results in the order of the items.

`map_in_order` reads ahead in a stream, `map_on_all_cores` works on items in memory.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from threading import Lock
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = min(4, os.cpu_count() or 1)

PRODUCTS_ON_ONE_CORE = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
"""Whether matrix products run in a single thread.

OpenBLAS's threads wait actively for each other. While other threads use the same cores, a product
in several threads therefore takes many times as long."""


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result of each item, in order; at most `WORKERS` + 1 items are in progress at once.

    Threads help because Arrow and numpy release Python's lock.
    """
    futures: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for item in items:
            futures.append(pool.submit(function, item))
            if len(futures) > WORKERS:
                yield futures.popleft().result()
        while futures:
            yield futures.popleft().result()


def map_on_all_cores(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return the results for all items, in the order of the items.

    The calling thread processes items itself, and helper threads join when they are free. This is
    faster than handing over every item: if all cores are busy, handing over an item and waiting for
    its result takes longer than the computation."""
    remaining, lock, results = enumerate(items), Lock(), dict[int, Result]()

    def work() -> None:
        while True:
            with lock:
                index, item = next(remaining, (-1, None))
            if index < 0:
                return
            results[index] = function(item)  # type: ignore[arg-type]

    helpers = [_helper_pool().submit(work) for _ in range(WORKERS - 1)]
    try:
        work()
    finally:
        started = [future for future in helpers if not future.cancel()]
        wait(started)
    for future in started:
        future.result()
    return [results[index] for index in range(len(results))]


@cache
def _helper_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS - 1, "helper")
