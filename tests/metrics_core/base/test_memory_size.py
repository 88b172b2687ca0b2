"""How much memory answers take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from dashboard.study.cached_answers import MAX_BYTES
from dashboard.study.study import Study
from metrics_core.base.memory_size import estimate_size
from metrics_core.tables import Qrels, Run


@dataclass(frozen=True)
class Answer:
    values: object
    name: str = "x"


BYTES = 1_000_000
NUMBERS = np.zeros(BYTES // 8)


@pytest.mark.parametrize(
    "answer",
    [
        NUMBERS,
        pd.Series(NUMBERS),
        pd.DataFrame({"a": NUMBERS[: BYTES // 16], "b": NUMBERS[: BYTES // 16]}),
        Answer(NUMBERS),
        (Answer(NUMBERS[:10]), {"of": [NUMBERS]}),
        NUMBERS.tolist()[: BYTES // (64 + 8)],
        "x" * BYTES,
    ],
)
def test_it_is_about_what_the_numbers_take(answer: object) -> None:
    assert estimate_size(answer) == pytest.approx(BYTES, rel=0.01)


def test_texts_of_long_lists_are_those_of_the_tables() -> None:
    texts = [f"query {i}" for i in range(1000)]
    several = (texts, np.array(texts, dtype=object), pd.Series(texts, dtype=object), tuple(texts))
    assert {estimate_size(them) // 1000 for them in several} == {8}


def test_what_cannot_be_weighed_is_light() -> None:
    assert max(map(estimate_size, (None, 1, 1.5, estimate_size, Answer, [], {}, ()))) < 100


def test_a_study_forgets_what_was_asked_for_longest_ago() -> None:
    qrels = Qrels.from_columns(["1"], ["a"], [1])
    study = Study([Run.from_columns("r", ["1"], ["a"], [1.0])], qrels)

    def third(study: Study, number: int) -> np.ndarray:
        return np.full(MAX_BYTES // 24, number, dtype=np.float64)

    for number in (1, 2, 1, 3):
        assert study.cached_answer(third, number)[0] == number
    assert [study.has_answer(third, number) for number in (1, 2, 3)] == [True, False, True]
