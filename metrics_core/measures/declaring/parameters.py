"""Parameters of measures: read from a kernel's signature, and validated against their bounds.

The annotation has a parameter's meaning, its bounds and the values used in tests: `beta:
Annotated[float, "weight of recall against precision", Samples(1.0, 2.5)] = 1.0`. A parameter that
several measures have gets an alias, defined here or in the module that uses it most."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from metrics_core.base.errors import ParameterError, did_you_mean
from metrics_core.base.wording import shorten_value

GainTable = tuple[tuple[float, float], ...]
"""The gain of each grade, as (grade, gain) pairs in ascending order. The gain of a grade that is
not listed is the grade itself."""


Numbers = tuple[float, ...]
"""A list of numbers in ascending order."""


@dataclass(frozen=True)
class Bounds:
    """The range of numbers that a parameter allows. If `open_low` or `open_high` is true, the bound
    `low` or `high` itself is excluded."""

    low: float = 0.0
    high: float = sys.float_info.max
    open_low: bool = False
    open_high: bool = False

    def contains(self, value: float) -> bool:
        """Return whether the value is within the bounds."""
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        if self.low == -sys.float_info.max:
            return "a finite number"
        start = f"{'above' if self.open_low else 'from'} {self.low:g}"
        if self.high == sys.float_info.max:
            return f"a finite number {start}"
        return f"a number {start} {'to below' if self.open_high else 'to'} {self.high:g}"


_FINITE = Bounds(-sys.float_info.max)
MAX_EXPONENT = 1_000
"""The highest allowed exponent of 2. A higher power, or a sum of many such powers, exceeds double
precision."""

MAX_WHOLE_NUMBER = 2**31
"""The largest allowed whole number, unless the bounds say otherwise."""


@dataclass(frozen=True)
class Fractions:
    """Marker for a whole-number parameter that also allows fractions above 0. Fractions are needed
    for real-valued grades."""


class Samples(tuple[Any, ...]):
    """Values of a parameter that are used in tests. A test that needs only one value uses the
    first."""

    def __new__(cls, *values: Any) -> Samples:
        return super().__new__(cls, values)


Share = Annotated[float, Bounds(0, 1)]
FromZero = Annotated[int, Bounds(0, MAX_WHOLE_NUMBER)]

TopK = Annotated[int, "number of top results that count", Samples(1, 3, 10, 500)]
Rel = Annotated[int, "lowest grade that counts as relevant", Samples(1, 2), Fractions()]
Persistence = Annotated[
    float,
    Bounds(0, 1, open_low=True, open_high=True),
    "probability that a reader continues to the next result",
    Samples(0.9, 0.5),
]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure, read from the signature of the measure's function.

    `meaning` describes the parameter in a few words, for menus and help texts."""

    name: str
    kind: type
    default: Any
    required: bool
    optional: bool
    choices: tuple[str, ...] = ()
    bounds: Bounds = Bounds()
    meaning: str = ""
    samples: tuple[Any, ...] = ()
    fractions: bool = False

    def describe_allowed_values(self) -> str:
        """Return a description of the allowed values."""
        if self.choices:
            return f"one of {', '.join(repr(c) for c in self.choices)}"
        if self.kind is dict:
            return f"a gain for each grade, such as {{1:3,2:9}}, each {self.bounds}"
        if self.kind is tuple:
            return f"a list such as [0.2,0.5,0.8], each {self.bounds}"
        if self.kind in (bool, str):
            return "True or False" if self.kind is bool else "a name"
        if self.kind is int:
            most = (
                f" to {self.bounds.high:,.0f}"
                if self.bounds.high < MAX_WHOLE_NUMBER
                else " upwards"
            )
            fraction = " or a fraction above 0" if self.fractions else ""
            return f"a whole number from {self.bounds.low:g}{most}{fraction}"
        return str(self.bounds)

    def check(self, measure: str, value: Any) -> Any:
        """Convert the value to the type of the parameter. Raises a ParameterError that names the
        allowed values."""
        if value is None and self.optional:
            return None
        checked = self._convert(value)
        if checked is None:
            expected = self.describe_allowed_values()
            if self.kind in (int, float) and not _is_number(value):
                expected = "a number"
            suggestion = did_you_mean(value, self.choices) if isinstance(value, str) else ""
            raise ParameterError(
                f"{measure}: {self.name} must be {expected}, not {shorten_value(value)}.",
                f"{suggestion}{' Several measures are a list of names.' * (',' in str(value))}",
            )
        return checked

    def _convert(self, value: Any) -> Any:
        """Convert the value to the type of the parameter; None if the value is invalid."""
        if self.choices:
            return value if value in self.choices else None
        if self.kind is bool:
            return value if isinstance(value, bool) else None
        if self.kind is str:
            return value if isinstance(value, str) and value else None
        if self.kind is dict:
            return _convert_gain_table(value, self.bounds)
        if self.kind is tuple:
            return self._convert_numbers(value)
        if not _is_number(value):
            return None
        if self.fractions and 0 < value < self.bounds.high and value != int(value):
            return float(value)
        if not self.bounds.contains(value):
            return None
        if self.kind is float:
            return float(value)
        return int(value) if value == int(value) else None

    def _convert_numbers(self, value: Any) -> Numbers | None:
        if not isinstance(value, (list, tuple)) or not value:
            return None
        if not all(_is_number(n) and self.bounds.contains(n) for n in value):
            return None
        return tuple(sorted(float(n) for n in value))


def _is_number(value: Any) -> bool:
    # numpy's integers are Real as well; its booleans are not.
    return isinstance(value, Real) and not isinstance(value, bool)


def _convert_gain_table(value: Any, bounds: Bounds) -> GainTable | None:
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, (list, tuple)) or not pairs:
        return None
    if not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        return None
    if not all(_is_number(n) and _FINITE.contains(n) for pair in pairs for n in pair):
        return None
    if not all(bounds.contains(gain) for _, gain in pairs):
        return None
    return tuple(
        sorted((_plain_number(grade), _plain_number(gain)) for grade, gain in dict(pairs).items())
    )


def _plain_number(number: float) -> float:
    """Return a whole number as int, and any other number as float."""
    return int(number) if number == int(number) else float(number)


def format_parameter(value: Any) -> str:
    """Return a parameter's value in the form used in a measure's name."""
    if isinstance(value, tuple) and not isinstance(value[0], tuple):
        return "[" + ",".join(map(repr, value)) + "]"
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in value) + "}"
    return repr(value)


JUDGED_ONLY = Parameter(
    "judged_only",
    bool,
    False,
    required=False,
    optional=False,
    meaning="remove unjudged documents from the list first (condensed list)",
)


def read_parameters(kernel: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the keyword-only parameters of a kernel."""
    hints = get_type_hints(kernel, include_extras=True)
    return tuple(
        _read_parameter(p, hints[p.name])
        for p in inspect.signature(kernel).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    )


def _read_parameter(parameter: inspect.Parameter, hint: Any) -> Parameter:
    optional = get_origin(hint) in (Union, UnionType)
    if optional:
        hint = next(member for member in get_args(hint) if member is not type(None))
    metadata = getattr(hint, "__metadata__", ())
    bounds = next((b for b in metadata if isinstance(b, Bounds)), None)
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    required = parameter.default is inspect.Parameter.empty
    choices: tuple[str, ...] = ()
    if get_origin(plain) is Literal:
        plain, choices = str, get_args(plain)
    elif plain == GainTable:
        plain = dict
    elif plain == Numbers:
        plain = tuple
    return Parameter(
        name=parameter.name,
        kind=plain,
        default=None if required else parameter.default,
        required=required,
        optional=optional and parameter.default is None,
        choices=choices,
        bounds=bounds or (Bounds(1, MAX_WHOLE_NUMBER) if plain is int else Bounds()),
        meaning=next((text for text in metadata if isinstance(text, str)), ""),
        samples=next((tuple(samples) for samples in metadata if isinstance(samples, Samples)), ()),
        fractions=any(isinstance(entry, Fractions) for entry in metadata),
    )
