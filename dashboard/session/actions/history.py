"""State of the History page: the order of versions chosen by the user, and versions of other
collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.session.address import change_address
from dashboard.session.open_collection import (
    all_collections,
    collection_judgments,
    current_collection_id,
    load_library,
    workspace,
)
from dashboard.study.layered_study import with_layers
from dashboard.study.library import Library


def store_version_order(key: str, default_order: Sequence[str]) -> None:
    """Store the order that the component with this key has sent. This is the component's callback.

    If the order equals the `default_order`, the address does not contain it."""
    order = st.session_state[key].get("order")
    if order:
        names = tuple(str(name) for name in order)
        change_address(versions=() if names == tuple(default_order) else names)


def count_shared_queries(query_ids: Sequence[str]) -> dict[str, int]:
    """Return, for each other collection, how many of these queries are judged in it. Keys are
    collection ids. Collections in which none of the queries is judged are omitted."""
    identity, ids = current_collection_id(), set(query_ids)
    others = (entry.id for entry in all_collections().list_collections() if entry.id != identity)
    judged_ids = {
        other: {q for table in collection_judgments(other) for q in table.query_ids if q in ids}
        for other in others
    }
    return {other: len(shared) for other, shared in judged_ids.items() if shared}


def other_library(collection_id: str) -> Library | None:
    """Return another collection as it opens by default: with its own judgments and the layers that
    were made in it. Returns None if there is no collection with this id."""
    if not all_collections().has_collection(collection_id):
        return None
    library = load_library(collection_id)
    if library.study is None:
        return library
    layers = [layer for layer in workspace().layers.list_layers(collection_id) if layer.judged]
    return replace(library, study=with_layers(library.study, layers))
