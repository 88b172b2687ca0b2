"""Queries that the user picked in a chart. A few queries are stored in the address; if there are
many, they are stored in the session."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

_IN_ADDRESS = 20
_KEPT = 20
_MARK = "~"


def selection_field_value(query_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the value of the address field for a selection of queries: their ids or, if there are
    many, a name under which only this session knows the selection."""
    ids = tuple(query_ids)
    if len(ids) <= _IN_ADDRESS:
        return ids
    name = _MARK + hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12]
    selections: dict[str, tuple[str, ...]] = st.session_state.setdefault("_picked", {})
    selections[name] = ids
    while len(selections) > _KEPT:
        selections.pop(next(iter(selections)))
    return (name,)


def ids_in_selection(field_value: Sequence[str]) -> tuple[str, ...]:
    """Return the queries that the address field selects. The result is empty if the field names a
    selection of another session."""
    selections: dict[str, tuple[str, ...]] = st.session_state.get("_picked", {})
    if len(field_value) == 1 and field_value[0].startswith(_MARK):
        return selections.get(field_value[0], ())
    return tuple(field_value)
