"""Method for comparing two runs: the test, the correction, the confidence level and the margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metrics_core.base.errors import ParameterError
from metrics_core.comparing.paired_tests import BY_NUMBER, PAIRED_TESTS
from metrics_core.measures import GivenMeasure, parse_measure
from metrics_core.scoring.intervals import LEVEL

BOOTSTRAP, BCA = "bootstrap", "bca"
MIN_P, NO_CORRECTION = "min-p", "none"

_OF_THE_SCALE = 0.01

FOR_FEW = " (for up to 100 queries combined with a randomisation test)"
TESTS: dict[str, str] = {
    BOOTSTRAP: f"paired bootstrap{FOR_FEW}",
    **{name: test.title for name, test in PAIRED_TESTS.items()},
    BCA: "BCa bootstrap of the mean",
}
"""Names of the tests, and the names used for them in sentences."""

CORRECTIONS: dict[str, str] = {
    "holm": "Holm",
    "benjamini-hochberg": "Benjamini–Hochberg",
    "bonferroni": "Bonferroni",
    MIN_P: "min-p over joint resamples",
    NO_CORRECTION: "not corrected",
}
"""Names of the corrections, and the names used for them in sentences."""


@dataclass(frozen=True)
class Method:
    """A method for comparing runs. Raises ParameterError for invalid values.

    If `correction` is empty, the test's default is used: Holm if the p-values of the test can be
    small enough for a correction, else no correction. `margin` is the smallest difference that
    matters; None if it is not specified."""

    test: str = BOOTSTRAP
    correction: str = ""
    margin: float | None = None
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise ParameterError(f"There is no test {self.test!r}.", f"Tests: {', '.join(TESTS)}.")
        if self.correction and self.correction not in self.valid_corrections:
            raise ParameterError(
                f"The test {self.test} cannot be combined with the correction {self.correction!r}.",
                f"Corrections for this test: {', '.join(self.valid_corrections)}."
                f" {_CORRECTION_HINT}",
            )
        if self.margin is not None and not 0 < self.margin < float("inf"):
            raise ParameterError(
                f"{self.margin:g} is not a valid margin.",
                "A margin is the smallest difference that matters; it must be greater than 0.",
            )
        if not 0.5 <= self.level < 1:
            raise ParameterError(
                f"{self.level:g} is not a valid confidence level.",
                "A level must be at least 0.5 and below 1.",
            )

    @property
    def valid_corrections(self) -> tuple[str, ...]:
        """The corrections that can be combined with the test. The first is the test's default."""
        if self.test == BOOTSTRAP:
            return (*BY_NUMBER, MIN_P, NO_CORRECTION)
        if self.test in PAIRED_TESTS and PAIRED_TESTS[self.test].countable:
            return (*BY_NUMBER, NO_CORRECTION)
        return (NO_CORRECTION,)

    @property
    def effective_correction(self) -> str:
        """The correction that is used: the chosen one, or the test's default if none is chosen."""
        return self.correction or self.valid_corrections[0]

    @property
    def is_default(self) -> bool:
        """Whether test, correction and level are the defaults; the margin is ignored."""
        return Method(margin=self.margin) == Method(
            self.test,
            "" if self.correction == self.valid_corrections[0] else self.correction,
            self.margin,
            self.level,
        )


DEFAULT_METHOD = Method()
"""The method that is used if the user does not choose one."""

_CORRECTION_HINT = (
    "Only the bootstrap supports min-p. The tests bca and randomization support no correction."
    " Their 10,000 draws give no p-value below 0.0001, which is too coarse for a correction."
)


def suggest_margin(measure: GivenMeasure) -> float | None:
    """Suggest a margin: a hundredth of the measure's range; None if the range is unbounded.

    The margin depends only on the scale, never on the data: a margin chosen from the data would be
    biased towards them. On a scale from 0 to 1 it is 0.01, which is visible in a table with three
    decimals. Two scores of a query that differ by at most 0.01 also count as the same. Whether
    smaller differences matter must be decided by people who know the application."""
    low, high = parse_measure(measure).declaration.range
    return _OF_THE_SCALE * (high - low) if math.isfinite(high - low) else None
