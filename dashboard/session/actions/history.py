"""What the History page asks of the session: the order that was given by hand, and collections
beside the open one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.session.address import change
from dashboard.session.open_collection import (
    all_collections,
    collection_id,
    collection_judgments,
    load_library,
    workspace,
)
from dashboard.study.layered_study import with_layers
from dashboard.study.library import Library


def store_order(key: str, default_order: Sequence[str]) -> None:
    """Take the order of the versions that the component of this key tells, for its callback; the
    address does not hold it where it is the `default_order` one."""
    order = st.session_state[key].get("order")
    if order:
        names = tuple(str(name) for name in order)
        change(versions=() if names == tuple(default_order) else names)


def sharing_queries(query_ids: Sequence[str]) -> dict[str, int]:
    """The other collections that judge any of these queries: id -> how many of them."""
    identity, ids = collection_id(), set(query_ids)
    others = (entry.id for entry in all_collections().list_collections() if entry.id != identity)
    judged_ids = {
        other: {q for table in collection_judgments(other) for q in table.query_ids if q in ids}
        for other in others
    }
    return {other: len(shared) for other, shared in judged_ids.items() if shared}


def other_library(identity: str) -> Library | None:
    """Another collection as it opens by itself: by its own judgments, with the layers that were
    judged there; None where there is none of this id."""
    if not all_collections().has_collection(identity):
        return None
    library = load_library(identity)
    if library.study is None:
        return library
    layers = [layer for layer in workspace().layers.list_layers(identity) if layer.judged]
    return replace(library, study=with_layers(library.study, layers))
