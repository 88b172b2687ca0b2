"""How much memory an answer takes, so that as many are kept as there is room for.

What two answers share counts for both, but for the texts of long lists, which are the tables' own.
No Streamlit here.
"""

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
"""Bytes of what has no length of its own, with what refers to it."""

_REFERENCE = 8

_FEW_CELLS, _CELL = 2_000, 16
"""Of a frame of so few cells each counts as so many bytes: to look at its columns takes longer than
what comes of it."""

_SAMPLED = 16
"""So many values of a long list are weighed; the others are taken to be like them."""


_PLAIN_TYPES = {int, float, bool, type(None), np.float64, np.int64, np.bool_}
"""Kinds of most values, which need no second look."""


def estimate_size(answer: Any) -> int:
    """About how many bytes an answer takes."""
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
    """The weight of a list, by some of its values from all over it."""
    sample = values[:: max(1, len(values) // _SAMPLED)]
    sample_size = sum(estimate_size(value) for value in sample if not isinstance(value, str))
    return _REFERENCE * len(values) + sample_size * len(values) // max(len(sample), 1)


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))
