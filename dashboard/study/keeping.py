"""Answers that are kept: each by the function that gives it and by what it was given."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from dashboard.study.turns import in_turn
from metrics_core.base.memo import Memo
from metrics_core.base.weighing import weight

ROOM_FOR_ANSWERS = 200_000_000
"""Bytes of answers that a study keeps, those asked for last."""

ROOM_A_QUERY = 2_500
"""The same for each query, where there are very many: their pages have more to keep. It holds the
scores of a few runs on all measures of a page and one list of the queries."""

FEW = 100
"""Answers that depend on nothing that is asked, or on filters alone and are small. Every view needs
them, so what is asked of very many queries must not push them out."""

KEPT = 4, 2, 5
"""What-if variants, pairs of lists, and first documents of runs."""

Result = TypeVar("Result")


class KeptAnswers:
    """What a study has been asked, and answered."""

    def _begin_keeping(self, queries: int) -> None:
        room = max(ROOM_FOR_ANSWERS, ROOM_A_QUERY * queries)
        self._memo, self._lasting = Memo(room, weight), Memo(FEW)
        self.variants, self.large, self.tops = map(Memo, KEPT)

    def kept(self, answer: Callable[..., Result], *asked: Hashable) -> Result:
        """`answer(study, *asked)`, worked out once: what an answer is given is its key, so that
        nothing it depends on can be forgotten there."""
        return self._kept(self._memo if asked else self._lasting, answer, asked)

    def outlasting(self, answer: Callable[..., Result], *asked: Hashable) -> Result:
        """The same of small answers that nearly every view needs."""
        return self._kept(self._lasting, answer, asked)

    def _kept(
        self, memo: Memo, answer: Callable[..., Result], asked: tuple[Hashable, ...]
    ) -> Result:
        key = (answer, asked)
        if key in memo:
            return memo(key, lambda: answer(self, *asked))
        # The turn first: who works out an answer that others wait for must never wait for one.
        return in_turn(lambda: memo(key, lambda: answer(self, *asked)))

    def keep(self, made: Result, answer: Callable[..., Result], *asked: Hashable) -> Result:
        """What `kept` gives, where it was worked out together with others."""
        return self._memo((answer, asked), lambda: made)

    def knows(self, answer: Callable[..., object], *asked: Hashable) -> bool:
        """Whether `kept` has this answer at hand."""
        return (answer, asked) in self._memo
