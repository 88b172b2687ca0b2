"""Kernels of plug-ins: what they give is looked at before it is a score."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import guarded
from metrics_core.judging import JudgedRanks

Kernel = Callable[..., npt.NDArray[np.float64]]

_LOOKED_AT = 5
"""Cutoffs at which the scores for an array are compared with those for one."""


def checked(kernel: Kernel, name: str, by: str) -> Kernel:
    """The kernel of the measure of that name. It raises RanklensError where the one of the package
    `by` fails, or does not give a number for each query. Where it cannot take an array of cutoffs,
    it is called once for each."""
    called = guarded(kernel, name, by)

    def one(ranks: JudgedRanks, **values: Any) -> npt.NDArray[np.float64]:
        made = np.asarray(called(ranks, **values))
        if made.shape != (ranks.n_queries,) or not _holds_numbers(made):
            raise RanklensError(
                f"{name} of {by} gives {_in_words(made.shape)} of {made.dtype} where it owes"
                f" {_in_words((ranks.n_queries,))} of float64.",
                "It owes a score for each query.",
            )
        return made.astype(np.float64, copy=False)

    @wraps(kernel)
    def scores(ranks: JudgedRanks, **values: Any) -> npt.NDArray[np.float64]:
        cutoffs = values.get("cutoff")
        if not isinstance(cutoffs, np.ndarray):
            return one(ranks, **values)
        wanted, ks = (ranks.n_queries, len(cutoffs)), cutoffs.tolist()

        def at(cutoff: int) -> npt.NDArray[np.float64]:
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


def _alike(scores: npt.NDArray[Any], others: npt.NDArray[np.float64]) -> bool:
    return np.allclose(scores, others, equal_nan=True)


def _holds_numbers(made: npt.NDArray[Any]) -> bool:
    return made.dtype.kind in "biuf"


def _in_words(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{n:,}" for n in shape) or "one number"
