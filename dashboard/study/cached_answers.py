"""Answers that are kept: each by the function that gives it and by what it was given.

Who works one out takes one of as many turns as there are cores: twenty readers who ask at once
would else share two cores among twenty answers, each with its own tables in memory and none of them
ready soon. What is at hand takes no turn.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size

ROOM_FOR_ANSWERS = 200_000_000
"""Bytes of answers that a study keeps, those asked for last."""

ROOM_A_QUERY = 2_500
"""The same for each query, where there are very many: their pages have more to keep. It holds the
scores of a few runs on all measures of a page and one list of the queries."""

Result = TypeVar("Result")
Answer = TypeVar("Answer", bound=Callable[..., object])

_CORES = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class _ThreadState(threading.local):
    takes_turns = False


_thread_state = _ThreadState()


def take_turns() -> None:
    """Have this thread, which draws a page, take turns from here on. The threads that an answer is
    worked out by take none: it holds one already."""
    _thread_state.takes_turns = True


def keep_at_most(number: int) -> Callable[[Answer], Answer]:
    """Keep the last so many of an answer by themselves, beside all others: of those that are too
    large to be weighed against them, or that every view asks for."""

    def mark(answer: Answer) -> Answer:
        vars(answer)["at_most"] = number
        return answer

    return mark


class CachedAnswers:
    """What a study has been asked, and answered: the answers that together weigh no more than there
    is room for, those asked for last, and of some `keep_at_most` a few. An answer that depends on
    nothing that is asked stays as long as the study."""

    def _start_cache(self, queries: int) -> None:
        self._weighed = Memo(max(ROOM_FOR_ANSWERS, ROOM_A_QUERY * queries), estimate_size)
        self._separate_memos: dict[Callable[..., object], Memo] = {}

    def cached_answer(
        self, answer: Callable[..., Result], *arguments: Hashable, precomputed: Result | None = None
    ) -> Result:
        """`answer(study, *asked)`, worked out once: what an answer is given is its key, so that
        nothing it depends on can be forgotten there. `precomputed` is the answer where it was
        worked out together with others."""
        memo, key = self._memo_of(answer, arguments), (answer, arguments)
        if precomputed is not None:
            return memo(key, lambda: precomputed)
        if key in memo or not _thread_state.takes_turns:
            return memo(key, lambda: answer(self, *arguments))
        # The turn first: who works out an answer that others wait for must never wait for one.
        with _CORES:
            _thread_state.takes_turns = False
            try:
                return memo(key, lambda: answer(self, *arguments))
            finally:
                _thread_state.takes_turns = True

    def has_answer(self, answer: Callable[..., object], *arguments: Hashable) -> bool:
        """Whether `cached_answer` has this answer at hand."""
        return (answer, arguments) in self._memo_of(answer, arguments)

    def _memo_of(self, answer: Callable[..., object], arguments: tuple[Hashable, ...]) -> Memo:
        max_answers: int | None = getattr(answer, "at_most", None if arguments else 1)
        return (
            self._weighed
            if max_answers is None
            else self._separate_memos.setdefault(answer, Memo(max_answers))
        )
