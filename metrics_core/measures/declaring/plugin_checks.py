"""Functions of plug-ins' measures: each is guarded, and what it gives is looked at before it is
used."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import guarded
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits

Kernel = Callable[..., Floats]

_LOOKED_AT = 5
"""Cutoffs at which the scores for an array are compared with those for one."""


def checked(kernel: Kernel, name: str, by: str) -> Kernel:
    """The kernel of the measure of that name. It raises RanklensError where the one of the package
    `by` fails, or does not give a number for each query. Where it cannot take an array of cutoffs,
    it is called once for each."""
    called = guarded(kernel, name, by)

    def one(ranks: JudgedRanks, **values: Any) -> Floats:
        made = np.asarray(called(ranks, **values))
        if made.shape != (ranks.n_queries,) or not _holds_numbers(made):
            raise RanklensError(
                f"{name} of {by} returned {_in_words(made.shape)} of {made.dtype}, expected"
                f" {_in_words((ranks.n_queries,))} of float64.",
                "It must return a score for each query.",
            )
        return made.astype(np.float64, copy=False)

    @wraps(kernel)
    def scores(ranks: JudgedRanks, **values: Any) -> Floats:
        cutoffs = values.get("cutoff")
        if not isinstance(cutoffs, np.ndarray):
            return one(ranks, **values)
        wanted, ks = (ranks.n_queries, len(cutoffs)), cutoffs.tolist()

        def at(cutoff: int) -> Floats:
            return one(ranks, **{**values, "cutoff": cutoff})

        with suppress(RanklensError):
            every = np.asarray(called(ranks, **values))
            if every.shape == wanted and _holds_numbers(every):
                # What is made for one cutoff may take an array and mistake it.
                some = {round(place) for place in np.linspace(0, len(ks) - 1, _LOOKED_AT)}
                if all(_alike(every[:, place], at(ks[place])) for place in some if ks):
                    return every.astype(np.float64, copy=False)
        return np.ascontiguousarray(np.array([at(k) for k in ks]).reshape(wanted[::-1]).T)

    return scores


def guarded_part(part: str, value: Any, name: str, by: str) -> Any:
    """A `part` of the declaration of the measure of that name, such as its kernel or its terms, by
    the package `by`. Its functions raise RanklensError where they fail; ours ("") are as they are.
    """
    if not by or value is None:
        return value
    if part == "kernel":
        return checked(value, name, by)
    what = f"{name}: {part}"
    if part == "terms":
        return _of_hits(guarded(value, what, by), what, by)
    if callable(value):
        return guarded(value, what, by)
    whole = getattr(value, "whole", None)  # a Share, which gives a function in its turn
    return value if whole is None else replace(value, whole=_guarded_twice(whole, what, by))


def _of_hits(terms: Callable[..., Any], what: str, by: str) -> Callable[..., Hits]:
    @wraps(terms)
    def found(ranks: JudgedRanks, **values: Any) -> Hits:
        made = terms(ranks, **values)
        if not isinstance(made, Hits):
            raise RanklensError(
                f"{what} of {by} returned {type(made).__name__}, expected Hits.",
                "It must return the documents that the score is the sum of.",
            )
        return made

    return found


def _guarded_twice(whole: Callable[..., Any], what: str, by: str) -> Callable[..., Any]:
    @wraps(whole)
    def called(*given: Any, **named: Any) -> Any:
        return guarded(guarded(whole, what, by)(*given, **named), what, by)

    return called


def _alike(scores: npt.NDArray[Any], others: Floats) -> bool:
    return np.allclose(scores, others, equal_nan=True)


def _holds_numbers(made: npt.NDArray[Any]) -> bool:
    return made.dtype.kind in "biuf"


def _in_words(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{n:,}" for n in shape) or "one number"
