"""Estimate the memory of a cached result, so that the cache keeps as many results as fit.

An object that two results share is counted for both. The texts in lists and object arrays are not
counted, because they belong to the loaded tables. This module does not depend on Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

_PLAIN = 64
"""Assumed size in bytes of a value without a length, including the reference to the value."""

_REFERENCE = 8

_FEW_CELLS, _CELL = 2_000, 16
"""Small frames are not measured column by column, because that takes too long: a frame with at most
`_FEW_CELLS` cells is assumed to take `_CELL` bytes per cell."""

_SAMPLED = 16
"""Number of values of a long list that are measured; the remaining values are assumed to be
similar."""


_PLAIN_TYPES = {int, float, bool, type(None), np.float64, np.int64, np.bool_}
"""The most frequent types, which are checked first."""


def estimate_size(answer: Any) -> int:
    """Estimate the size of a result in bytes."""
    if type(answer) in _PLAIN_TYPES:
        return _PLAIN
    if isinstance(answer, np.ndarray):
        return _PLAIN + (
            _estimate_list_size(answer.ravel()) if answer.dtype == object else answer.nbytes
        )
    if isinstance(answer, (pa.Array, pa.ChunkedArray, pa.Table)):
        return _PLAIN + int(answer.nbytes)
    if isinstance(answer, pd.DataFrame) and answer.size <= _FEW_CELLS:
        return _PLAIN + _CELL * answer.size
    if isinstance(answer, pd.DataFrame):
        return _PLAIN + sum(estimate_size(column) for _, column in answer.items())
    if isinstance(answer, (pd.Series, pd.Index)):
        return _PLAIN + estimate_size(answer.array if answer.dtype != object else answer.to_numpy())
    if isinstance(answer, pd.Categorical):
        return _PLAIN + answer.codes.nbytes + estimate_size(answer.categories)
    if isinstance(answer, pd.api.extensions.ExtensionArray):
        return _PLAIN + answer.nbytes
    if isinstance(answer, (str, bytes)):
        return _PLAIN + len(answer)
    if isinstance(answer, (dict, Mapping)):
        return _PLAIN + _estimate_list_size(list(chain.from_iterable(answer.items())))
    if isinstance(answer, (list, tuple, set, frozenset)):
        return _PLAIN + _estimate_list_size(
            answer if isinstance(answer, (list, tuple)) else list(answer)
        )
    if is_dataclass(answer) and not isinstance(answer, type):
        return _PLAIN + sum(
            estimate_size(getattr(answer, name)) for name in _field_names(type(answer))
        )
    return _PLAIN


def _estimate_list_size(values: Any) -> int:
    """Estimate the size of a list in bytes, from a sample of its values. Strings count as 0
    bytes."""
    sample = values[:: max(1, len(values) // _SAMPLED)]
    sample_size = sum(estimate_size(value) for value in sample if not isinstance(value, str))
    return _REFERENCE * len(values) + sample_size * len(values) // max(len(sample), 1)


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))
