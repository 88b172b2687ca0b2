"""Conditions of a gate, parsed from text: the largest allowed loss, and floors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from metrics_core.base.errors import ParameterError
from metrics_core.comparing.tested_quantities import MEAN_DIFFERENCE, TYPICAL_RATIO, is_mean_tested
from metrics_core.measures import Measure, make_given_measure, parse_measure
from metrics_core.measures.declaring.given_measures import PREFIX, is_given_measure
from metrics_core.scoring.scores import Scores

_PATTERN = re.compile(
    r"\s*(?P<measure>[^<>≥≤]+?)\s*(?:\[(?P<column>[^\[\]=<>]+)=(?P<group>[^\]]*)\])?"
    r"\s*(?P<side>>=|<=|[<>≥≤])\s*(?P<number>[-+−]?(?:\d+\.?\d*|\.\d+))\s*(?P<percent>%?)\s*"
)
_MEAN = re.compile(r"mean\(\s*(.+?)\s*\)")


class QuerySlice(NamedTuple):
    """A slice of the queries: all queries with the value `group` in the column `column`. If
    `column` is "", the slice contains all queries."""

    column: str = ""
    group: str = ""

    def __str__(self) -> str:
        return f"[{self.column}={self.group}]" if self.column else ""


EVERY_QUERY = QuerySlice()


@dataclass(frozen=True)
class Gate:
    """The largest allowed loss on a measure: a margin greater than 0, on all queries or on a slice
    of them.

    For a cost, the margin is a share of the typical ratio, such as 0.05 for 5%. If `asks_for_mean`
    is true, the margin is on the difference of the mean costs instead. The test of that difference
    is unreliable for skewed costs."""

    measure: Measure
    margin: float
    slice: QuerySlice = EVERY_QUERY
    asks_for_mean: bool = False

    @classmethod
    def parse(cls, text: str, measures: Sequence[Measure] = ()) -> Self:
        """Parse the text of a gate.

        Examples are `nDCG@10 > -0.01` and `nDCG@10[category=Billing] > -0.03`. For a measure for
        which lower is better, the form is `Unjudged@10 < 0.5`. For a cost it is `latency_ms < 5%`
        or `mean(latency_ms) < 50`. `measures` are the measures of scores that another tool
        computed; a name that is not among these is the name of a computed measure. Raises
        ParameterError and UnknownMeasureError."""
        match = _match_condition(text, "nDCG@10 > -0.01")
        measure, asks_for_mean = _find_measure(match["measure"], measures)
        if not is_mean_tested(measure):
            return cls._parse_cost(text, match, measure, asks_for_mean)
        if match["percent"]:
            raise ParameterError(
                f"{text.strip()!r} is not a valid gate: {measure} is not a cost, so its margin"
                " cannot be in percent.",
                f"Write the margin in units of {measure}. Only costs, times and counts can have a"
                " margin in percent.",
            )
        higher = measure.declaration.higher_is_better
        number = _parse_number(match["number"])
        margin = -number if higher else number
        if match["side"] != (">" if higher else "<") or margin <= 0:
            example = f"{measure} {'> -0.01' if higher else '< 0.01'}"
            raise ParameterError(
                f"{text.strip()!r} is not a gate.",
                "A gate sets the largest loss allowed. Write it with > (or with < if lower is"
                f" better): {example!r}. For a limit on the mean, use a floor (--floor, floors=).",
            )
        return cls(measure, margin, _parse_slice(match))

    @classmethod
    def _parse_cost(
        cls, text: str, match: re.Match[str], measure: Measure, asks_for_mean: bool
    ) -> Self:
        margin = _parse_number(match["number"])
        if asks_for_mean == bool(match["percent"]) or match["side"] != "<" or margin <= 0:
            raise ParameterError(
                f"{text.strip()!r} is not a valid gate for a cost.",
                f"To limit the typical rise, write '{measure} < 5%'. To limit the difference of"
                f" the means, write 'mean({measure}) < 50', but the test of the means is not robust"
                " to skewed distributions.",
            )
        return cls(
            measure, margin * (1 if asks_for_mean else 0.01), _parse_slice(match), asks_for_mean
        )

    @classmethod
    def from_margin(cls, target: str, margin: float) -> Self:
        """Return the gate with this margin. The target is a measure, or a measure on a slice such
        as `nDCG@10[category=Billing]`.

        Raises ParameterError and UnknownMeasureError."""
        if not isinstance(target, str):
            raise ParameterError(
                f"{target!r} is not a single measure.", "Name one measure: 'nDCG@10'."
            )
        name, bracket, rest = target.strip().partition("[")
        column, equals, group = rest.removesuffix("]").partition("=")
        if bracket and not (column and equals and rest.endswith("]")):
            raise ParameterError(
                f"{target!r} cannot be read.", "Write it as 'nDCG@10[category=Billing]'."
            )
        if not (math.isfinite(margin) and margin > 0):
            raise ParameterError(
                f"{margin!r} is not a valid margin.",
                "A margin is the largest loss allowed. It must be greater than 0, such as 0.01.",
            )
        query_slice = QuerySlice(column.strip(), group.strip()) if bracket else EVERY_QUERY
        return cls(parse_measure(name), margin, query_slice)

    def __str__(self) -> str:
        if self.is_ratio:
            return f"{self.measure}{self.slice} < {100 * self.margin:g}%"
        side = f"> -{self.margin:g}" if self.direction > 0 else f"< {self.margin:g}"
        return f"{self.target}{self.slice} {side}"

    @property
    def target(self) -> str:
        """The name of the measure. If the mean of a cost is tested, the name is in `mean(…)`, such
        as `mean(latency_ms)`."""
        return f"mean({self.measure})" if self.asks_for_mean else str(self.measure)

    @property
    def is_ratio(self) -> bool:
        """Whether the margin is on the typical ratio."""
        return not (is_mean_tested(self.measure) or self.asks_for_mean)

    @property
    def tested_quantity(self) -> str:
        """The quantity that the gate tests: one of the constants of `tested_quantities`."""
        return TYPICAL_RATIO if self.is_ratio else MEAN_DIFFERENCE

    @property
    def direction(self) -> int:
        """The direction of the measure: 1 if higher is better, else -1."""
        return self.measure.declaration.direction


@dataclass(frozen=True)
class Floor:
    """The value that a mean must reach. If `by_bound` is true, the one-sided 95% confidence bound
    of the mean must reach it."""

    measure: Measure
    least: float
    slice: QuerySlice = EVERY_QUERY
    by_bound: bool = False

    @classmethod
    def parse(cls, text: str, *, by_bound: bool = False, measures: Sequence[Measure] = ()) -> Self:
        """Parse the text of a floor.

        The form is `nDCG@10 >= 0.4`, or `Latency <= 2` for a measure for which lower is better.
        `measures` are the measures of scores that another tool computed. Raises ParameterError and
        UnknownMeasureError."""
        match = _match_condition(text, "nDCG@10 >= 0.4")
        measure, _ = _find_measure(match["measure"], measures)
        higher = measure.declaration.higher_is_better
        if match["side"] not in ((">=", "≥") if higher else ("<=", "≤")):
            raise ParameterError(
                f"{text.strip()!r} is not a floor.",
                f"A floor sets the value that the mean must reach: '{measure}"
                f" {'>=' if higher else '<='} 0.4'.",
            )
        return cls(measure, _parse_number(match["number"]), _parse_slice(match), by_bound)

    def __str__(self) -> str:
        side = ">=" if self.measure.declaration.higher_is_better else "<="
        return f"{self.measure}{self.slice} {side} {self.least:g}"


def find_gated_measure_names(texts: Iterable[str]) -> list[str]:
    """Return the name of the measure in each condition text, without duplicates."""
    matches = [_match_condition(text, "nDCG@10 > -0.01") for text in texts]
    return list(dict.fromkeys(_strip_mean(match["measure"]) for match in matches))


def declare_directions(scores: Scores, texts: Iterable[str]) -> Scores:
    """Set the directions of measures that another tool computed. The directions are declared by the
    comparison signs of the condition texts. Returns the scores with these directions.

    Raises ParameterError if two conditions declare different directions."""
    declared: dict[int, bool] = {}
    names = [str(measure).removeprefix(PREFIX) for measure in scores.measures]
    is_given = list(map(is_given_measure, scores.measures))
    for text in texts:
        match = _match_condition(text, "nDCG@10 > -0.01")
        name = _strip_mean(match["measure"]).removeprefix(PREFIX)
        indexes = [i for i, n in enumerate(names) if n == name and is_given[i]]
        is_higher = match["side"][0] in ">≥"
        if indexes and declared.setdefault(indexes[0], is_higher) != is_higher:
            raise ParameterError(
                f"The conditions disagree on whether a higher {name} is better.",
                "With >, a condition declares that higher is better; with <, that lower is better.",
            )
    measures = list(scores.measures)
    for i, is_higher in declared.items():
        values = scores.values[:, :, i]
        measures[i] = make_given_measure(names[i], values, higher_is_better=is_higher)
    return replace(scores, measures=tuple(measures))


def _strip_mean(name: str) -> str:
    match = _MEAN.fullmatch(name.strip())
    return match[1] if match else name.strip()


def _find_measure(name: str, measures: Sequence[Measure]) -> tuple[Measure, bool]:
    """Return the measure with that name, and whether the name has the form `mean(NAME)`."""
    bare_name, by_name = _strip_mean(name), {str(measure): measure for measure in measures}
    measure = by_name.get(bare_name) or by_name.get(PREFIX + bare_name)
    measure = measure or parse_measure(bare_name)
    return measure, bare_name != name.strip()


def _match_condition(text: str, example: str) -> re.Match[str]:
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ParameterError(
            f"{text.strip()!r} cannot be read.",
            f"Write it as {example!r}, or for some queries as"
            f" {example.replace(' ', '[category=Billing] ', 1)!r}.",
        )
    return match


def _parse_number(text: str) -> float:
    return float(text.replace("−", "-"))


def _parse_slice(match: re.Match[str]) -> QuerySlice:
    if match["column"] is None:
        return EVERY_QUERY
    return QuerySlice(match["column"].strip(), match["group"].strip())
