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
from metrics_core.base.weighing import weight

ROOM_FOR_ANSWERS = 200_000_000
"""Bytes of answers that a study keeps, those asked for last."""

ROOM_A_QUERY = 2_500
"""The same for each query, where there are very many: their pages have more to keep. It holds the
scores of a few runs on all measures of a page and one list of the queries."""

Result = TypeVar("Result")
Answer = TypeVar("Answer", bound=Callable[..., object])

_CORES = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class _Mine(threading.local):
    takes_turns = False


_mine = _Mine()


def take_turns() -> None:
    """Have this thread, which draws a page, take turns from here on. The threads that an answer is
    worked out by take none: it holds one already."""
    _mine.takes_turns = True


def at_most(number: int) -> Callable[[Answer], Answer]:
    """Keep the last so many of an answer by themselves, beside all others: of those that are too
    large to be weighed against them, or that every view asks for."""

    def marked(answer: Answer) -> Answer:
        vars(answer)["at_most"] = number
        return answer

    return marked


class KeptAnswers:
    """What a study has been asked, and answered: the answers that together weigh no more than there
    is room for, those asked for last, and of some `at_most` a few. An answer that depends on
    nothing that is asked stays as long as the study."""

    def _begin_keeping(self, queries: int) -> None:
        self._weighed = Memo(max(ROOM_FOR_ANSWERS, ROOM_A_QUERY * queries), weight)
        self._apart: dict[Callable[..., object], Memo] = {}

    def kept(
        self, answer: Callable[..., Result], *asked: Hashable, made: Result | None = None
    ) -> Result:
        """`answer(study, *asked)`, worked out once: what an answer is given is its key, so that
        nothing it depends on can be forgotten there. `made` is the answer where it was worked out
        together with others."""
        memo, key = self._memo_of(answer, asked), (answer, asked)
        if made is not None:
            return memo(key, lambda: made)
        if key in memo or not _mine.takes_turns:
            return memo(key, lambda: answer(self, *asked))
        # The turn first: who works out an answer that others wait for must never wait for one.
        with _CORES:
            _mine.takes_turns = False
            try:
                return memo(key, lambda: answer(self, *asked))
            finally:
                _mine.takes_turns = True

    def known(self, answer: Callable[..., object], *asked: Hashable) -> bool:
        """Whether `kept` has this answer at hand."""
        return (answer, asked) in self._memo_of(answer, asked)

    def _memo_of(self, answer: Callable[..., object], asked: tuple[Hashable, ...]) -> Memo:
        most: int | None = getattr(answer, "at_most", None if asked else 1)
        return self._weighed if most is None else self._apart.setdefault(answer, Memo(most))
