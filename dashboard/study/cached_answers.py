"""Cache of a study's results (answers). The key is the function that computes a result, together
with its arguments.

At most as many results are computed at the same time as there are cores. Otherwise, twenty users
with simultaneous requests would share two cores among twenty computations, each with its tables in
memory and none finished soon. A result that is in the cache is returned without waiting."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from functools import wraps
from typing import TypeVar, cast

from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size

MAX_BYTES = 200_000_000
"""Maximum number of bytes of cached results per study. If it is exceeded, the least recently used
ones are dropped."""

MAX_BYTES_PER_QUERY = 2_500
"""Maximum number of bytes of cached results per query, for studies with very many queries. It is
enough for the scores of a few runs on all measures of a page, and for one list of the queries."""

Result = TypeVar("Result")
Answer = TypeVar("Answer", bound=Callable[..., object])

_CORES = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class _ThreadState(threading.local):
    takes_turns = False


_thread_state = _ThreadState()


def wait_for_turn() -> None:
    """Make this thread, which draws a page, wait for its turn whenever it has to compute a result.

    Threads that help to compute a result do not wait, because the thread that they help already has
    the turn."""
    _thread_state.takes_turns = True


def limit_cached_results(max_results: int) -> Callable[[Answer], Answer]:
    """Return a decorator for functions whose results are not in the study's common cache. Each
    decorated function has its own cache of the last `max_results` results.

    The decorator is for results that are too large to share the study's cache, and for results that
    every view needs."""

    def set_limit(function: Answer) -> Answer:
        vars(function)["at_most"] = max_results
        return function

    return set_limit


def cache_answer(function: Answer) -> Answer:
    """Decorate a function of a study so that its results are cached by `cached_answer`. The
    arguments of the function are the cache key and must be passed by position."""

    @wraps(function)
    def look_up_answer(study: CachedAnswers, *arguments: Hashable) -> object:
        return study.cached_answer(function, *arguments)

    return cast(Answer, look_up_answer)


class CachedAnswers:
    """The cache of a study. It contains the most recently used results up to a total size, and the
    last few results of each function marked by `limit_cached_results`. The result of a function
    that takes no arguments besides the study is kept as long as the study."""

    def _start_cache(self, queries: int) -> None:
        self._weighed = Memo(max(MAX_BYTES, MAX_BYTES_PER_QUERY * queries), estimate_size)
        self._separate_memos: dict[Callable[..., object], Memo] = {}

    def cached_answer(
        self,
        function: Callable[..., Result],
        *arguments: Hashable,
        precomputed: Result | None = None,
    ) -> Result:
        """Return `function(study, *arguments)`, which is computed only once for these arguments.

        The arguments are the cache key, so `function` must depend on nothing else. If the result
        was computed together with others, it is passed as `precomputed`."""
        memo, key = self._find_memo(function, arguments), (function, arguments)
        if precomputed is not None:
            return memo(key, lambda: precomputed)
        if key in memo or not _thread_state.takes_turns:
            return memo(key, lambda: function(self, *arguments))
        # Take a turn first: a thread that computes an answer others wait for must not wait for a
        # turn.
        with _CORES:
            _thread_state.takes_turns = False
            try:
                return memo(key, lambda: function(self, *arguments))
            finally:
                _thread_state.takes_turns = True

    def has_answer(self, function: Callable[..., object], *arguments: Hashable) -> bool:
        """Return whether the cache contains the result that `cached_answer` returns for this
        function (`function`) and these arguments."""
        function = getattr(function, "__wrapped__", function)
        return (function, arguments) in self._find_memo(function, arguments)

    def _find_memo(self, function: Callable[..., object], arguments: tuple[Hashable, ...]) -> Memo:
        max_answers: int | None = getattr(function, "at_most", None if arguments else 1)
        return (
            self._weighed
            if max_answers is None
            else self._separate_memos.setdefault(function, Memo(max_answers))
        )
