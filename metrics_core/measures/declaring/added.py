"""Kernels of plug-ins: what they give is looked at before it is a score."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import guarded
from metrics_core.judging import JudgedRanks

Kernel = Callable[..., npt.NDArray[np.float64]]


def checked(kernel: Kernel, name: str, by: str) -> Kernel:
    """The kernel of the measure of that name. It raises RanklensError where the one of the package
    `by` fails, or does not give a number for each query and, of several, each cutoff."""
    called = guarded(kernel, name, by)

    @wraps(kernel)
    def scores(ranks: JudgedRanks, **values: Any) -> npt.NDArray[np.float64]:
        made = np.asarray(called(ranks, **values))
        cutoff = values.get("cutoff")
        cutoffs = cutoff.shape if isinstance(cutoff, np.ndarray) else ()
        wanted = (ranks.n_queries, *cutoffs)
        if made.shape != wanted or made.dtype.kind not in "biuf":
            raise RanklensError(
                f"{name} of {by} gives {_in_words(made.shape)} of {made.dtype} where it owes"
                f" {_in_words(wanted)} of float64.",
                "It owes a score for each query, and for each cutoff where it is given an array.",
            )
        return made.astype(np.float64, copy=False)

    return scores


def _in_words(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{n:,}" for n in shape) or "one number"
