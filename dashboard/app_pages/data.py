"""Data: what is loaded, does it fit?"""

from typing import Any

import streamlit as st

from dashboard import answers, intake, parts, session
from dashboard.answers import FileRow
from dashboard.blocks import data, markup
from dashboard.literal import literal
from dashboard.page import Page
from dashboard.session import Opened
from metrics_core import wording as w
from metrics_core.notes import Note

PAGE = Page("data", "Data", place=6, needs_study=False)


def render() -> None:
    """The files, what is odd about them, and the way to add more."""
    library = session.library()
    here = session.opened()
    cutoff, measure = answers.looked_at(here.comparison if here else None)
    shown = answers.data(library, len(session.refusals()), measure, cutoff)
    st.html(markup.sentence(shown.finding, {}))
    intake.refused()
    for error in shown.errors:
        st.html(data.error_card(error))
    if shown.files:
        parts.heading("Files", "What Ranklens read, and what it noticed.")
        rows = [_described(row, shown.notes, here) for row in shown.files]
        st.html(data.file_table(rows, cutoff))
        _look_and_remove(shown.files)
    left, right = st.columns(2, gap="large")
    with left:
        parts.heading(
            "Add files",
            "Runs, judgments, queries or documents; several at once. The kind is recognised from"
            " the content. Nothing leaves this computer.",
        )
        intake.uploader()
        _collection()
    with right:
        if shown.fit:
            parts.heading(
                "Do the files fit together?",
                "Identifiers are compared as they stand, letter for letter.",
            )
            st.html(data.fit_table(shown.fit))


def _described(row: FileRow, all_notes: tuple[Note, ...], here: Opened | None) -> dict[str, Any]:
    styles = here.look.styles if here else {}
    own = [n for n in all_notes if row.run and row.run in n.examples]
    return {
        "file": row.file.file,
        "kind": row.kind,
        "read_as": row.file.read_as,
        "rows": row.rows,
        "queries": row.file.queries,
        "judged": row.judged,
        "notes": (*row.notes, *own),
        "style": styles.get(row.run or ""),
        "is_baseline": here is not None and row.run == here.comparison.baseline,
    }


def _look_and_remove(rows: list[FileRow]) -> None:
    """A look at a file's first rows; removal of what was uploaded, in one click."""
    with st.expander("Look into a file, or remove it"):
        for row in rows:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{literal(row.file.file)}**")
                if row.file.origin == "upload":
                    st.button(
                        "Remove",
                        key=f"remove_{row.file.key}",
                        on_click=session.remove,
                        args=(row.file.key,),
                        type="tertiary",
                    )
            st.html(data.preview(row.kind, answers.first_rows(row.file)))


def _collection() -> None:
    """The way to the example and back, and from one set of judgments to another."""
    sample = session.collection() == session.SAMPLE
    with st.container(horizontal=True):
        if sample:
            label = "Back to my files" if session.own_files() else "Start with my own files"
            st.button(label, on_click=session.open_collection, args=(session.OWN,))
        else:
            st.button("Open the example", on_click=session.open_collection, args=(session.SAMPLE,))
            if session.workspace().entries():
                st.button("Remove all uploaded files", on_click=session.workspace().clear)
    several = session.library().of_kind("qrels")
    if len(several) > 1:
        used = next((f.key for f in several if f.used), several[-1].key)
        names = {f.key: f"{f.file} ({w.count(f.queries)} queries)" for f in several}
        session.widget(
            st.selectbox,
            "Judgments used",
            "qrels",
            value=used,
            store=lambda key: {"qrels": key},
            options=list(names),
            format_func=lambda key: names[key],
        )


if __name__ == "__main__":
    render()
