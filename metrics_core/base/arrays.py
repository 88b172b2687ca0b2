"""Types of numpy arrays, named by their content. The shapes are in the docstrings of functions."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
AnyInts = npt.NDArray[np.integer[Any]]
Hashes = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Objects = npt.NDArray[np.object_]
AnyArray = npt.NDArray[Any]

SingleOrDouble = TypeVar("SingleOrDouble", npt.NDArray[np.float32], npt.NDArray[np.float64])
