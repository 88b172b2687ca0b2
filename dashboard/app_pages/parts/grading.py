"""Judging in place: the part of the Query page, a queue one by one, layers as files, notes."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.answers import grading as answers
from dashboard.app_pages.parts import add_files, section
from dashboard.app_pages.parts.literal import literal
from dashboard.components.judge import graded_by_keys
from dashboard.drawing.blocks import data, layers, markup, side
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.words import pieces, query_words
from dashboard.session import Opened
from dashboard.session.actions.grading import (
    acts_kept,
    hear_acts,
    judge_name,
    layer_file,
    layer_href,
    layers_here,
    layers_on,
    own_layer,
    remove_layer,
    skipped,
    switch_layer,
    take_in_layer,
)
from dashboard.session.actions.notes import (
    accept_missing,
    damaged_lines,
    drop_lines,
    keep_remark,
    missing_of_journals,
    notes_here,
    take_note_back,
    take_tag_off,
)
from dashboard.session.actions.uploaded_files import expect_files, release, uploaded
from dashboard.session.open_collection import collection, workspace
from dashboard.workspace import Layer, Noted
from dashboard.workspace.disk.journal import NOTES
from metrics_core.base import wording as w
from metrics_core.tables.ranked_run import as_judged_ranks

_WINDOW = 40
"""Documents of a queue that the browser has at hand, so that no key waits for the server."""
_LONGEST_TEXT = 3_000
_MOST_DAMAGED = 20


def query_part(here: Opened, query_id: str) -> None:
    """The documents of a query that nobody judged, to be judged by keys, and what that changed."""
    view, rows = here.comparison, answers.to_judge(here.study, here.comparison, query_id)
    unknown = here.study.nameless(view.runs)
    lists = f"the top {view.cutoff} of the {'other' if unknown else 'shown'} lists"
    said = _said_of_keys(here, "↓ next") if len(rows) else f"Every document in {lists} is judged."
    if len(unknown) == len(view.runs):
        said = ""
    with st.container(key="side_judge"):
        st.html(side.head("Judge"))
        if len(rows):
            many = f"{w.count(len(rows))} unjudged"
            st.html(side.told(f"{many} in the top {w.count(view.cutoff)}"))
            known = _grades(here)
            pairs = zip(rows["query_id"], rows["doc_id"], strict=True)
            _keys(here, rows, total=len(rows), judged=sum(pair in known for pair in pairs))
            _effect(here, query_id)
        _own_layer(here, f"{said} {_unknown(unknown)}".strip())
        st.html(layers.onward(session.href("judge"), "Keep judging across all queries"))


def _own_layer(here: Opened, said: str) -> None:
    """What is said of judging here, with the reader's layer and its switch."""
    own = own_layer()
    is_on = own in here.layers
    link = layer_href("query", own, on=not is_on) if own else ""
    st.html(layers.own(said, own, is_on=is_on, link=link))
    with add_files.above_the_uploader():
        add_files.told()


def queue_part(here: Opened) -> None:
    """The queue of the comparison, one document at a time."""
    view, every = here.comparison, answers.queue(here.study, here.comparison)
    unknown = _unknown(here.study.nameless((view.focus, view.baseline)))
    back = session.href("queries") if view.alone else session.href("firm", part="unjudged")
    named = "All queries" if view.alone else "Robustness"
    st.html(layers.onward(back, f"← {named}"))
    if unknown:
        st.html(markup.answer("What is unjudged is not known", unknown, here.look.styles))
        return
    found = answers.to_judge_now(here.study, view)
    st.html(markup.answer(found.title, found.lead, here.look.styles))
    with add_files.above_the_uploader():
        add_files.told()
    known = _grades(here)
    left = answers.window(here.study, every, {*known, *skipped()}, _WINDOW)
    pairs = list(zip(every["query_id"], every["doc_id"], strict=True))
    settling = set(pairs[: found.settle or 0])
    if pairs:
        judged = sum(pair in known for pair in (settling or pairs))
        _keys(here, left, total=found.unjudged, judged=judged, settling=settling)
    if left.empty:
        st.html(layers.onward(back, f"What it changed: {named}"))
    if own_layer():
        _heading(here, "judge", "Your grades", "Kept beside the uploaded judgments.")
    _effect(here)


def _unknown(runs: list[str]) -> str:
    """What cannot be judged here, where runs came as judged ranks."""
    if not runs:
        return ""
    return (
        f"{as_judged_ranks(runs)}: which unjudged documents {w.plural(len(runs), 'it', 'they')}"
        f" {w.plural(len(runs), 'lists', 'list')} is not known, and while a further document is"
        f" judged here {w.plural(len(runs), 'it', 'they')} cannot be scored."
    )


def _said_of_keys(here: Opened, arrow: str) -> str:
    highest = answers.grades_offered(here.study)[-1]
    keys = f"Keys 0{w.DASH}{highest} grade, {arrow}, Z undoes."
    return f"{keys} Uploaded judgments stay as they are."


def _heading(here: Opened, page: str, title: str, said: str) -> None:
    own = own_layer()
    is_on = own in here.layers
    link = layer_href(page, own, on=not is_on) if own else ""
    st.html(layers.heading(title, said, own, is_on=is_on, link=link))
    with add_files.above_the_uploader():
        add_files.told()


def _grades(here: Opened) -> dict[tuple[str, str], float]:
    """What was given here: in the layers that are on, and in the reader's own, on or off."""
    own = own_layer()
    grades: dict[tuple[str, str], float] = {}
    for layer in (*here.layers, *([own] if own else [])):
        grades |= layer.grades
    return grades


def _keys(
    here: Opened,
    rows: pd.DataFrame,
    *,
    total: int,
    judged: int,
    settling: AbstractSet[tuple[str, str]] | None = None,
) -> None:
    """The rows, judged by keys or by clicks: the browser's part. Those of a queue stand there one
    at a time; of those that are `settling` the order, if any are, `judged` counts."""
    one = settling is not None
    view = here.comparison
    known, offered = _grades(here), answers.grades_offered(here.study)
    tints = Grades.of(here.study.bare.grades)
    asked = here.study.texts
    words = {query: query_words(asked.get(query, "")) for query in set(rows["query_id"])}
    told: list[dict[str, Any]] = [
        {
            "query_id": row["query_id"],
            "doc_id": row["doc_id"],
            "rank": w.count(row["rank"]),
            "where": row["where"],
            "title": pieces(row["title"], words[row["query_id"]]),
            "text": pieces(row["text"][:_LONGEST_TEXT], words[row["query_id"]]),
            "query": row.get("query", ""),
            "grade": known.get((row["query_id"], row["doc_id"])),
            "settles": (row["query_id"], row["doc_id"]) in (settling or ()),
        }
        for row in rows.to_dict("records")
    ]
    key = "judge_queue" if one else "judge_query"
    query_id = "" if one else str(rows["query_id"].iloc[0])
    graded_by_keys(
        key,
        {
            **acts_kept(),
            "rows": told,
            "one": one,
            "place": [collection(), query_id, *view.runs, view.name, view.cutoff],
            "grades": offered,
            "names": answers.grade_names(here.study),
            "settle": len(settling) if settling else 0,
            "tints": {str(grade): tints.tint(grade) for grade in offered},
            "name": judge_name(),
            "total": total,
            "judged": judged,
            "nothing": "Nothing is left to judge here: all is judged or skipped.",
        },
        partial(hear_acts, key, query_id),
    )


def _effect(here: Opened, query_id: str = "") -> None:
    if not any(len(layer) for layer in here.layers):
        return
    view = here.comparison
    found = answers.effect(here.study, view, query_id)
    pair = (view.focus, view.baseline)
    st.html(
        layers.effect(found.scores, found.difference, pair, of=view.name, queries=found.queries)
    )


# Layers as files


def layers_part() -> None:
    """The layers of the open collection: on or off, as files, removed; and one taken in."""
    every, on = layers_here(), layers_on()
    for layer in every:
        _layer(layer, is_on=layer in on)
    lost = len(workspace().notes.damaged(collection()))
    if lost:
        counted = section.counted(lost, "line is damaged", "lines are damaged")
        with st.container(horizontal=True, vertical_alignment="center", key="damaged_notes"):
            st.html(data.receipt(f"Notes and tags: {counted}; the rest is whole."))
            _damaged(NOTES, "the notes and tags")
    for journal, said in missing_of_journals().items():
        _missing(journal, said)
    expect_files()
    with st.popover("Take in a layer"):
        given = st.file_uploader(
            "A file of judgments, kept apart from those of the files",
            key=f"layer_{session.generation('layer')}",
        )
    if given is not None:
        file = uploaded(given)
        take_in_layer(file, given.file_id)
        session.forget("layer")
        release([file])
        st.rerun()


def _layer(layer: Layer, *, is_on: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"layer_row_{layer.id}"):
        st.html(layers.row(layer, is_on=is_on))
        st.button(
            "Switch off" if is_on else "Switch on",
            key=f"switch_{layer.id}",
            on_click=switch_layer,
            args=(layer, not is_on),
        )
        st.download_button(
            f"Download :gray[{literal(layer.name)}]",
            data=partial(layer_file, layer),
            file_name=f"{section.safe_name(f'layer-{layer.name}')}.qrels",
            mime="text/plain",
            key=f"layer_file_{layer.id}",
            on_click="ignore",
            disabled=not len(layer),
        )
        if layer.lost:
            _damaged(layer.journal, f"the layer “{layer.name}”")
        st.button(
            "Remove",
            key=f"remove_layer_{layer.id}",
            on_click=remove_layer,
            args=(layer,),
            type="tertiary",
        )


def _damaged(journal: str, called: str) -> None:
    """The damaged lines of a journal as they stand there, to keep elsewhere and to drop."""
    lines = damaged_lines(journal)
    with st.popover(f"Damaged {w.plural(len(lines), 'line')}"):
        st.markdown(
            f"{section.counted(len(lines), 'line', 'lines')} of {literal(called)}"
            f" {w.plural(len(lines), 'is not as it was', 'are not as they were')} written, and not"
            " read. What is still legible can be copied from here. Dropping leaves every other line"
            " as it is, and cannot be undone."
        )
        for line in lines[:_MOST_DAMAGED]:
            st.code(line[:_LONGEST_TEXT].decode(errors="backslashreplace"), None, wrap_lines=True)
        st.download_button(
            f"Download :gray[{section.counted(len(lines), 'line', 'lines')}]",
            data=b"\n".join(lines),
            file_name=f"{section.safe_name(f'damaged-{journal}')}.txt",
            mime="application/octet-stream",
            key=f"damaged_file_{journal}",
            on_click="ignore",
        )
        st.button(
            f"Drop :gray[{section.counted(len(lines), 'damaged line', 'damaged lines')} for good]",
            key=f"drop_{journal}",
            on_click=drop_lines,
            args=(journal, called, lines),
        )


def _missing(journal: str, said: str) -> None:
    """What is gone of a journal, until that is taken for how it is."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"missing_{journal}"):
        st.html(data.receipt(said))
        with st.popover("What to do"):
            st.markdown(
                "A file of this collection was cut, taken away, or copied while it was written."
                " Bring the collection back from a backup, or take this note away: then what is"
                " here counts as all there is."
            )
            st.button(
                "Take this note away",
                key=f"accept_{journal}",
                on_click=accept_missing,
                args=(journal,),
            )


# Notes


def notes_part(query_id: str) -> None:
    """Notes and tags of a query, and the ways to add some."""
    found = notes_here().get(query_id, Noted())
    with st.container(key="side_note"):
        st.html(side.head("Note"))
        _noted(query_id, found)
        # The browser would empty the fields at the first of two clicks, and a server that is busy
        # gets both at once, with what the second sent: they are emptied once they are kept.
        with st.form(f"note_{query_id}", border=False):
            fields = (f"note_text_{query_id}", f"note_tag_{query_id}")
            st.text_area(
                "Note",
                key=fields[0],
                height=68,
                placeholder="Why does it fail?",
                label_visibility="collapsed",
            )
            with st.container(horizontal=True, key="note_foot", vertical_alignment="bottom"):
                st.text_input(
                    "Tag",
                    key=fields[1],
                    placeholder="Tag, as cause: stemming",
                    label_visibility="collapsed",
                )
                st.form_submit_button("Save", on_click=keep_remark, args=(query_id, *fields))


def _noted(query_id: str, found: Noted) -> None:
    """What is noted of a query, each with its way back."""
    if found.notes:
        st.html(layers.noted(found))
    for note in found.notes:
        st.button(
            f"Undo :gray[the note of {literal(note.by)}, {literal(note.at[11:16])}]",
            key=f"unnote_{note.id}",
            on_click=take_note_back,
            args=(query_id, note.id),
            type="tertiary",
        )
    if not found.tags:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="tags"):
        for tag in found.tags:
            st.button(
                f"{literal(tag)} ✕",
                key=f"tag_{query_id}_{tag}",
                on_click=take_tag_off,
                args=(query_id, tag),
                help="Take this tag off.",
            )
