"""Cached answers, keyed by the function that computes them and its arguments.

As many answers are computed at a time as there are cores. Otherwise twenty users who ask at once
would share two cores among twenty answers, each with its tables in memory and none ready soon. A
cached answer does not wait.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size

ROOM_FOR_ANSWERS = 200_000_000
"""Bytes of cached answers per study; the least recently used are dropped."""

ROOM_A_QUERY = 2_500
"""Bytes of cached answers per query, for studies with very many queries. They have room for the
scores of a few runs on all measures of a page, and for one list of the queries."""

Result = TypeVar("Result")
Answer = TypeVar("Answer", bound=Callable[..., object])

_CORES = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class _ThreadState(threading.local):
    takes_turns = False


_thread_state = _ThreadState()


def wait_for_turn() -> None:
    """Make this thread, which draws a page, wait for its turn to compute an answer from now on.

    Threads that help to compute an answer do not wait, because the thread that they help has the
    turn already.
    """
    _thread_state.takes_turns = True


def limit_cached_results(max_results: int) -> Callable[[Answer], Answer]:
    """Return a decorator that keeps the last `max_results` results of an answer in a separate
    cache.

    For answers that are too large to be weighed against other answers, or that every view needs.
    """

    def set_limit(answer: Answer) -> Answer:
        vars(answer)["at_most"] = max_results
        return answer

    return set_limit


class CachedAnswers:
    """The cache of a study: the most recently used answers within a total size, and a few of each
    answer marked by `limit_cached_results`. An answer without arguments stays as long as the
    study."""

    def _start_cache(self, queries: int) -> None:
        self._weighed = Memo(max(ROOM_FOR_ANSWERS, ROOM_A_QUERY * queries), estimate_size)
        self._separate_memos: dict[Callable[..., object], Memo] = {}

    def cached_answer(
        self, answer: Callable[..., Result], *arguments: Hashable, precomputed: Result | None = None
    ) -> Result:
        """Return `answer(study, *arguments)`, computed once.

        The arguments are the key, so that nothing the answer depends on can be forgotten.
        `precomputed` is the answer if it was computed together with other answers.
        """
        memo, key = self._find_memo(answer, arguments), (answer, arguments)
        if precomputed is not None:
            return memo(key, lambda: precomputed)
        if key in memo or not _thread_state.takes_turns:
            return memo(key, lambda: answer(self, *arguments))
        # Take a turn first: a thread that computes an answer others wait for must not wait for a
        # turn.
        with _CORES:
            _thread_state.takes_turns = False
            try:
                return memo(key, lambda: answer(self, *arguments))
            finally:
                _thread_state.takes_turns = True

    def has_answer(self, answer: Callable[..., object], *arguments: Hashable) -> bool:
        """Whether `cached_answer` has this answer in its cache."""
        return (answer, arguments) in self._find_memo(answer, arguments)

    def _find_memo(self, answer: Callable[..., object], arguments: tuple[Hashable, ...]) -> Memo:
        max_answers: int | None = getattr(answer, "at_most", None if arguments else 1)
        return (
            self._weighed
            if max_answers is None
            else self._separate_memos.setdefault(answer, Memo(max_answers))
        )
