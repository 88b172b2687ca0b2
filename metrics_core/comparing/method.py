"""How two runs are compared: which test, corrected how, at which level, against which margin."""

from __future__ import annotations

from dataclasses import dataclass

from metrics_core.comparing.tests import BY_NUMBER, PAIRED_TESTS
from metrics_core.errors import ParameterError
from metrics_core.scoring.intervals import LEVEL

BOOTSTRAP, BCA = "bootstrap", "bca"
MAX_T, NO_CORRECTION = "max-t", "none"

TESTS: dict[str, str] = {
    BOOTSTRAP: "bootstrap of the mean",
    **{name: test.title for name, test in PAIRED_TESTS.items()},
    BCA: "BCa bootstrap of the mean",
}
"""Tests by name, with what they are called in a sentence."""

CORRECTIONS: dict[str, str] = {
    MAX_T: "for all runs together",
    "holm": "Holm",
    "benjamini-hochberg": "Benjamini–Hochberg",
    "bonferroni": "Bonferroni",
    NO_CORRECTION: "not corrected",
}
"""Corrections by name, with what they are called in a sentence."""


@dataclass(frozen=True)
class Method:
    """One way of comparing. `correction` "" is the one that suits the test: max-t for the draws of
    the bootstrap, Holm where p-values are exact enough for it. `margin` is the smallest difference
    that matters, None as long as nobody has said one. Raises ParameterError."""

    test: str = BOOTSTRAP
    correction: str = ""
    margin: float | None = None
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise ParameterError(f"There is no test {self.test!r}.", f"Tests: {_listed(TESTS)}.")
        if self.correction and self.correction not in self.fitting:
            raise ParameterError(
                f"{self.test} cannot be corrected by {self.correction!r}.",
                f"With it: {_listed(dict.fromkeys(self.fitting))}. {_WHY}",
            )
        if self.margin is not None and not 0 < self.margin < float("inf"):
            raise ParameterError(
                f"A margin of {self.margin:g} is none.",
                "It is the smallest difference that matters, and greater than 0.",
            )
        if not 0.5 <= self.level < 1:
            raise ParameterError(
                f"There is no interval at level {self.level:g}.", "A level is from 0.5 to below 1."
            )

    @property
    def fitting(self) -> tuple[str, ...]:
        """The corrections that suit the test, its own first."""
        if self.test == BOOTSTRAP:
            return MAX_T, NO_CORRECTION
        if self.test in PAIRED_TESTS and PAIRED_TESTS[self.test].countable:
            return (*BY_NUMBER, NO_CORRECTION)
        return (NO_CORRECTION,)

    @property
    def corrected_by(self) -> str:
        """The correction, chosen or by default."""
        return self.correction or self.fitting[0]

    @property
    def is_default(self) -> bool:
        """Whether nothing but perhaps a margin was chosen."""
        return Method(margin=self.margin) == Method(
            self.test,
            "" if self.corrected_by == MAX_T else self.correction,
            self.margin,
            self.level,
        )


METHOD = Method()
"""What is meant where no method is chosen."""

_WHY = (
    "10,000 draws give no p-value below 0.0001, so many of them cannot be corrected by their"
    " number; max-t corrects the draws themselves."
)


def _listed(names: dict[str, str] | dict[str, None]) -> str:
    return ", ".join(names)
