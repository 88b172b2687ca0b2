"""A function over a stream of items on several threads, results in order, few items at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = min(4, os.cpu_count() or 1)

PRODUCTS_ON_ONE_CORE = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
"""Whether a product of matrices stays on its thread. The library's own threads wait for each other
without rest: while others work on the same cores, a product takes many times as long with them."""


def in_order(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """`function` of each item, in the order of the items; at most `WORKERS` + 1 are held at once.

    Threads help because Arrow and numpy work outside Python's lock.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
