"""What a file says by the columns that are chosen: from which grade documents are relevant, what no
grade means, and the numbers that follow."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import session
from dashboard.address.measure_key import Chosen, limit_of, read_measure, with_limit
from dashboard.answers.file_fields import grade_offered
from dashboard.answers.file_numbers import Words, file_numbers, grades_offered, pair_with
from dashboard.drawing.blocks import data
from dashboard.session.actions.judgments import take_as_complete
from dashboard.session.open_collection import all_collections, collection, library_here
from dashboard.workspace import Settings
from metrics_core.tables import Qrels, Table

_USUAL_K = 10


def relevance(tables: Sequence[Table], words: Words, key: str) -> float:
    """From which grade a document is relevant, asked where the tables are judgments, and there also
    what no grade means. The measure of the address has the grade; one that has none leaves it to
    what is counted here."""
    chosen = _looked_at()
    now, qrels = limit_of(chosen), tables[0] if tables else None
    if not isinstance(qrels, Qrels):
        return 1.0 if now is None else now
    offered = grades_offered(qrels, now)

    def called(grade: float) -> str:
        return grade_offered(grade, offered, words.grade)

    with st.container(horizontal=True, key=f"relevance_{key}"):
        if now is None:
            picked: float = st.pills(
                "Relevant from",
                offered,
                default=offered[0],
                required=True,
                format_func=called,
                key=f"relevant_{key}",
            )
        else:
            picked = session.widget(
                st.pills,
                "Relevant from",
                f"limit_{key}",
                value=now,
                store=lambda grade: {"m": with_limit(chosen, grade)},
                options=offered,
                required=True,
                format_func=called,
            )
        if library_here().files:
            _unjudged(words, key)
    return picked


def _unjudged(words: Words, key: str) -> None:
    """Whether the judgments are complete, which is a setting of the collection."""
    session.widget(
        st.pills,
        f"Not {words.judged}",
        f"unjudged_{key}",
        value=_settings().complete,
        store=lambda complete: take_as_complete(bool(complete)),
        options=[False, True],
        required=True,
        format_func=lambda complete: "not relevant" if complete else "unknown",
    )


def numbers(tables: Sequence[Table], file: str, words: Words, relevant_from: float) -> None:
    """What the tables of a file say beside what is loaded."""
    chosen, settings = _looked_at(), _settings()
    cutoff = chosen.measure.cutoff or _USUAL_K
    pair = pair_with(tables, file, library_here(), settings)
    found = file_numbers(pair, words, cutoff, relevant_from)
    st.html(data.file_numbers(found.counts, "" if settings.complete else found.lacking))
    own = tables[0]
    if limit_of(chosen) is not None or not isinstance(own, Qrels):
        return
    if relevant_from > grades_offered(own, None)[0]:
        other = with_limit(read_measure("R@k", cutoff), relevant_from)
        link = session.href("overview", m=other)
        st.html(data.without_limit(str(chosen.measure), words.judgments, other, link))


def _looked_at() -> Chosen:
    """The measure of the address, also where nothing is compared yet."""
    here = session.opened()
    return here.comparison.chosen if here else read_measure(session.address()["m"], _USUAL_K)


def _settings() -> Settings:
    return all_collections().settings_of(collection())
