"""Guard the functions of plug-in measures: failures become a RanklensError, and results are
validated before use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import guard_function
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits

Kernel = Callable[..., Floats]

_CHECKED_CUTOFFS = 5
"""Number of cutoffs for which a kernel's scores for an array of cutoffs are checked against its
scores for single cutoffs."""


def check_kernel(
    kernel: Kernel, name: str, package: str, value_range: tuple[float, float]
) -> Kernel:
    """Return a guarded kernel for the measure `name` of a plug-in package. The kernels of built-in
    measures (package "") are returned unchanged.

    The guarded kernel raises RanklensError if the plug-in's kernel fails or does not return a
    number per query in the measure's range, on which verdicts and bounds rely. If the plug-in's
    kernel does not support an array of cutoffs, it is called once for each cutoff."""
    if not package:
        return kernel
    guarded_kernel = guard_function(
        lambda ranks, **values: np.asarray(kernel(ranks, **values), dtype=np.float64), name, package
    )

    def score(ranks: JudgedRanks, **values: Any) -> Floats:
        result = guarded_kernel(ranks, **values)
        if result.shape != (ranks.n_queries,) or not np.allclose(
            result, result.clip(*value_range), equal_nan=True
        ):
            raise RanklensError(
                f"{name} of {package} returned {_describe_scores(result)}, expected"
                f" {ranks.n_queries:,} score{'s' * (ranks.n_queries > 1)} from"
                f" {value_range[0]:g} to {value_range[1]:g}.",
                "It must return a score for each query. Another range is declared in @measure:"
                " range=(low, high), and higher_is_better=False if lower is better.",
            )
        return result

    @wraps(kernel)
    def score_at_cutoffs(ranks: JudgedRanks, **values: Any) -> Floats:
        cutoffs = values.get("cutoff")
        if not isinstance(cutoffs, np.ndarray):
            return score(ranks, **values)
        shape, ks = (ranks.n_queries, len(cutoffs)), cutoffs.tolist()

        def score_at(cutoff: int) -> Floats:
            return score(ranks, **{**values, "cutoff": cutoff})

        with suppress(RanklensError):
            together = guarded_kernel(ranks, **values)
            if together.shape == shape:
                # A kernel written for one cutoff may accept an array and misinterpret it.
                samples = {round(index) for index in np.linspace(0, len(ks) - 1, _CHECKED_CUTOFFS)}
                if all(
                    np.allclose(together[:, index], score_at(ks[index]), equal_nan=True)
                    for index in samples
                    if ks
                ):
                    return together
        return np.ascontiguousarray(np.array([score_at(k) for k in ks]).reshape(shape[::-1]).T)

    return score_at_cutoffs


def guard_part(part: str, value: Any, name: str, package: str) -> Any:
    """Return a part of a measure's declaration, such as its terms, with every function in it
    guarded: if the function fails, RanklensError is raised. `package` is the plug-in that declares
    the measure. Parts of built-in measures (package "") are returned unchanged."""
    if not package or value is None:
        return value
    what = f"{name}: {part}"
    if part == "terms":
        return _guard_terms(guard_function(value, what, package), what, package)
    if callable(value):
        return guard_function(value, what, package)
    find = getattr(value, "find_layers", None)  # a Share
    return (
        value if find is None else replace(value, find_layers=guard_function(find, what, package))
    )


def _guard_terms(terms: Callable[..., Any], role: str, package: str) -> Callable[..., Hits]:
    @wraps(terms)
    def guarded_terms(ranks: JudgedRanks, **values: Any) -> Hits:
        result = terms(ranks, **values)
        if not isinstance(result, Hits):
            raise RanklensError(
                f"{role} of {package} returned {type(result).__name__}, expected Hits.",
                "It must return the documents whose contributions add up to the score.",
            )
        return result

    return guarded_terms


def _describe_scores(scores: Floats) -> str:
    shape_text = " × ".join(f"{n:,}" for n in scores.shape) or "one number"
    return (
        f"{shape_text} from {np.fmin.reduce(scores, None, initial=np.nan):g} to"
        f" {np.fmax.reduce(scores, None, initial=np.nan):g}"
    )
