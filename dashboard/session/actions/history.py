"""What the History page asks of the session: the order that was given by hand, and collections
beside the open one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.session.address import change
from dashboard.session.open_collection import (
    all_collections,
    collection,
    judgments_of,
    library_of,
    workspace,
)
from dashboard.study.layered import with_layers
from dashboard.study.library import Library


def hear_order(key: str, usual: Sequence[str]) -> None:
    """Take the order of the versions that the component of this key tells, for its callback; the
    address does not hold it where it is the `usual` one."""
    told = st.session_state[key].get("order")
    if told:
        names = tuple(str(name) for name in told)
        change(versions=() if names == tuple(usual) else names)


def sharing_queries(query_ids: Sequence[str]) -> dict[str, int]:
    """The other collections that judge any of these queries: id -> how many of them."""
    here, asked = collection(), set(query_ids)
    others = (listed.id for listed in all_collections().listed() if listed.id != here)
    judged = {
        other: {q for table in judgments_of(other) for q in table.query_ids if q in asked}
        for other in others
    }
    return {other: len(shared) for other, shared in judged.items() if shared}


def library_beside(identity: str) -> Library | None:
    """Another collection as it opens by itself: by its own judgments, with the layers that were
    judged there; None where there is none of this id."""
    if not all_collections().has(identity):
        return None
    made = library_of(identity)
    if made.study is None:
        return made
    judged = [layer for layer in workspace().layers.of(identity) if layer.judged]
    return replace(made, study=with_layers(made.study, judged))
