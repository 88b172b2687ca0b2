"""Ids are compared as they stand, as texts; this says which text an id of Python is, and what an id
would be without what nobody sees in it."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"
WRITE_TEXTS = "Write the ids as texts: a float, for example, has lost how it was written."

_NOTHING = dict.fromkeys(map(ord, _INVISIBLE))


def cleaned_id(text: str) -> str:
    """An id in NFC, without blanks around it and without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(_NOTHING)).strip()


def id_text(value: Any) -> str | None:
    """A text as it stands, a whole number as its digits, so that 1 and "1" are one id; None where a
    value is neither."""
    if isinstance(value, str):
        return value
    if not isinstance(value, (int, np.integer)) or isinstance(value, (bool, np.timedelta64)):
        return None
    try:
        return str(value)
    except ValueError:  # of more digits than Python writes
        return None
