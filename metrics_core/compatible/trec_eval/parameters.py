"""What stands behind the point of `-m name.…`: lists of cutoffs, levels, numbers and pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from metrics_core.compatible.trec_eval.ending import FILES, Ended
from metrics_core.compatible.trec_eval.numbers import atof, atol
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.compatible.trec_eval.table import Row, Version, measures_called, rows_of

Pairs = tuple[tuple[str, float], ...]

_SHARED_GAINS = ("dcg", "ideal_dcg", "ndcg")
"""trec_eval keeps one table of gains for these: who is given one gives it to all."""


@dataclass(frozen=True)
class Asked:
    """A measure with its parameters: the names its lines bear, and the cutoffs, levels or numbers;
    `pairs` where it takes pairs."""

    row: Row
    names: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    pairs: Pairs = ()


def asked_for(options: Options) -> list[Asked]:
    """The measures to calculate, in the order of the table. Ends where parameters are wrong."""
    asked: list[Asked] = []
    shared: Asked | None = None
    wanted = options.measures or measures_called("official", options.version)
    for row in rows_of(options.version):
        if row.name not in wanted:
            continue
        one = _asked(row, options.parameters.get(row.name))
        if row.name in _SHARED_GAINS:
            shared = one if row.name in options.parameters else shared
            if shared is not None:
                suffix = shared.names[0].removeprefix(shared.row.name)
                one = Asked(row, (row.name + suffix,), pairs=shared.pairs)
        asked.append(one)
    if shared is None:
        return asked
    gains = shared.pairs
    return [Asked(a.row, a.names, pairs=gains) if a.row.name in _SHARED_GAINS else a for a in asked]


def _asked(row: Row, given: str | None) -> Asked:
    match row.takes:
        case "cutoffs":
            cutoffs = _distinct(row, map(atol, given.split(",")) if given else row.default)
            if cutoffs[0] <= 0:
                raise _wrong(row, "negative cutoff detected")
            return Asked(row, tuple(f"{row.name}_{int(k)}" for k in cutoffs), cutoffs)
        case "levels":
            levels = _distinct(row, map(atof, given.split(",")) if given else row.default)
            return Asked(row, tuple(_with_level(row.name, x) for x in levels), levels)
        case "numbers":
            numbers = tuple(map(atof, given.split(","))) if given else row.default
            return Asked(row, (_named(row, given),), numbers)
        case "pairs":
            return Asked(row, (_named(row, given),), pairs=_pairs(row, given) if given else ())
        case "nothing":
            return Asked(row, (row.name,))


def _named(row: Row, given: str | None) -> str:
    return f"{row.name}_{given}" if given else row.name


def _with_level(name: str, level: float) -> str:
    # trec_eval keeps eight characters for the number and cuts a longer one off.
    return f"{name}_{level:3.2f}"[: len(name) + 9]


def _distinct(row: Row, numbers: Iterable[float]) -> tuple[float, ...]:
    ascending = sorted(numbers)
    if len(set(ascending)) < len(ascending):
        raise _wrong(row, "duplicate cutoffs detected")
    return tuple(ascending)


def _pairs(row: Row, given: str) -> Pairs:
    """name=number,…: an = in each part, and no part without."""
    parts = [part.split("=") for part in given.split(",")]
    if any(len(part) != 2 for part in parts):
        raise _wrong(row, f"malformed pair parameters in '{given}'")
    return tuple((name, atof(value)) for name, value in parts)


def _wrong(row: Row, what: str) -> Ended:
    return Ended(FILES, f"trec_eval: {what}", f"trec_eval: Cannot initialize measure '{row.name}'")


def gains_of(pairs: Pairs, version: Version) -> list[tuple[int, float]]:
    """The gain of each level that is given one, in the order given."""
    if version == "10.0":
        pairs = tuple(p for p in pairs if re.fullmatch(r"[+-]?[0-9]+", p[0]))
    return [(atol(name), gain) for name, gain in pairs]


def persistence_of(pairs: Pairs) -> float:
    """rbp's p; the last one given, 0.9 where none is."""
    return next((value for name, value in reversed(pairs) if name == "p"), 0.9)
