"""Names of the measures in other packages, for our compatible interfaces, and how the scores differ
there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from metrics_core.measures.declaring.aggregation import Aggregation

Takes = Literal["nothing", "cutoffs", "levels", "numbers", "pairs"]
TrecVersion = Literal["9.0.8", "10.0"]

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""trec_eval's default cutoffs."""


@dataclass(frozen=True)
class InTrecEval:
    """A measure of trec_eval, for its names and its command line.

    name        the name in its output. If it contains a placeholder such as `{cutoff}`, the output
                has one line for each value of this parameter
    default     the default parameter values
    takes       the kind of the parameters after the dot in `-m name.…`. "cutoffs" are whole numbers
                and "levels" real numbers, with one output line each. "numbers" and "pairs"
                (name=number) all belong to a single output line. Cutoffs and levels are detected
                from the placeholder in `name`
    since       the first version of trec_eval that has the measure
    summary     how the scores of queries are combined; None if they are combined as the measure
                declares. "queries" is the number of queries. "relevant" is a sum, or with -c the
                number of relevant documents in the judgments
    values      parameter values implied by the name. A name that implies values is
    case-sensitive"""

    name: str
    default: tuple[float, ...] = ()
    takes: Takes = "nothing"
    since: TrecVersion = "9.0.8"
    summary: Aggregation | Literal["queries", "relevant"] | None = None
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.takes == "nothing" and "{" in self.name:
            takes: Takes = "cutoffs" if "{cutoff}" in self.name else "levels"
            object.__setattr__(self, "takes", takes)

    @property
    def plain_name(self) -> str:
        """The name without the placeholder of its parameter."""
        return re.sub(r"_\{\w+\}", "", self.name)

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns of the names that are recognised, in upper or lower case."""
        if self.values:
            return ()
        with_default = self.takes == "numbers" and self.plain_name != self.name
        return (self.plain_name, self.name) if with_default else (self.name,)


@dataclass(frozen=True)
class Difference:
    """A difference between our scores and the scores of `package`.

    `what` says which scores differ, and `why` gives the reason; both are whole sentences."""

    package: str
    what: str
    why: str


EVERYWHERE = (
    Difference(
        "ir_measures",
        "Documents with tied scores may be ordered differently.",
        "The providers of ir_measures differ. pytrec_eval and gdeval put the last doc_id first, as"
        " here. Judged, Compat, RR@k and the subtopic measures put the first doc_id first."
        " cwl_eval and Accuracy keep the input order.",
    ),
    Difference(
        "pytrec_eval",
        "Scores that differ only beyond single precision may be ordered differently.",
        "trec_eval before 10.0 stores scores in single precision and treats such scores as tied."
        " Here, as in 10.0, scores have double precision.",
    ),
    Difference(
        "pyndeval",
        "Cutoffs beyond 20, and judged_only, are supported.",
        "ndeval supports only 20 ranks, and ir_measures fails for the measures of ndeval with"
        " judged_only.",
    ),
    Difference(
        "pyndeval",
        "Measures with different rel, alpha or beta can be requested together.",
        "ir_measures consumes the run for the first such measure, so the others score 0.",
    ),
)
"""Differences that apply to all measures of a package. The declaration of a measure has further
ones. All other numbers agree to 1e-9, query by query, on random data (tests/oracle)."""
