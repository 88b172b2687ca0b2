"""Ids are compared as they stand; this says what an id would be without what nobody sees in it."""

from __future__ import annotations

import unicodedata

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"
_NOTHING = dict.fromkeys(map(ord, _INVISIBLE))


def cleaned_id(text: str) -> str:
    """An id in NFC, without blanks around it and without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(_NOTHING)).strip()
