"""How a file is read: as what, and which of its columns is which, with its first rows beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.answers import file_columns as answers
from dashboard.answers.data import first_rows
from dashboard.answers.file_columns import FileColumns, Judgable
from dashboard.answers.file_numbers import OF_SEARCH, OF_USERS
from dashboard.app_pages.parts.file_numbers import numbers, relevance
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import data
from dashboard.files.files import File
from dashboard.session.actions.refused_files import Refusal
from dashboard.session.actions.uploaded_files import Original, original_of
from dashboard.session.actions.uploads import read_again, read_so
from metrics_core.base.errors import RanklensError
from metrics_core.formats import FirstRows
from metrics_core.formats.parsing.chosen_columns import chosen_columns
from metrics_core.formats.registry import Columns
from metrics_core.tables import Table

KINDS: dict[Judgable, str] = {"run": "a run", "qrels": "judgments"}

Read = Callable[[Judgable, Columns], None]


def of_refused(name: str, refusal: Refusal) -> None:
    """The choice for an uploaded file that could not be read as nobody knows its columns."""

    def read(kind: Judgable, columns: Columns) -> None:
        read_again(name, kind=kind, columns=dict(columns))

    if refusal.given is not None:
        original = Original(name, refusal.given, refusal.choices)
        _of_unread(original, f"refused_{refusal.key}", read)


def of_unread(file: File) -> None:
    """The same for a file of the open folder."""
    original = original_of(file)
    if original is not None:
        _of_unread(original, file.key, partial(read_so, original))


def _of_unread(original: Original, key: str, read: Read) -> None:
    found = original.first_rows()
    if found is None or not (answers.columns_unknown(found) or "columns" in original.choices):
        return
    with st.container(border=True, key=f"choose_{key}"):
        st.markdown(f"**Choose the columns of {literal(original.name)}**")
        _choice(original, found, original.choices.get("kind", "run"), key, read)


def asked(files: Sequence[File]) -> None:
    """A question for each file that is in use and of which nothing says what it is."""
    for file in files:
        original = original_of(file) if file.kind in KINDS and file.used else None
        if original is None or not original.guessed:
            continue
        with st.container(border=True, key=f"asked_{file.key}"):
            kind = KINDS["run" if file.kind == "run" else "qrels"]
            st.markdown(
                f"**Is {literal(file.file)} {kind}?** It was read so; neither its columns nor its"
                " name say it."
            )
            if not _of_read(file, original, f"asked_{file.key}"):
                chosen = _kind("run" if file.kind == "run" else "qrels", f"asked_{file.key}")
                st.html(data.preview(file.file, first_rows(file)))
                st.button(
                    "Read it so",
                    key=f"so_{file.key}",
                    type="primary",
                    on_click=read_so,
                    args=(original, chosen, {}),
                )


def changeable(file: File) -> Callable[[], object] | None:
    """What shows the choice for a file that was read, once the reader wants to see it; None till
    then, and where its columns have no names or the file is not at hand."""
    original = original_of(file) if file.kind in KINDS else None
    if original is None and file.kind in KINDS and ": " in file.read_as:
        st.caption("To choose its columns, add the file again: only its table is kept.")
    if original is None or original.first_rows() is None:
        return None
    wanted = st.toggle("Columns", key=f"columns_{file.key}")
    return partial(_of_read, file, original, f"look_{file.key}") if wanted else None


def _of_read(file: File, original: Original, key: str) -> bool:
    """The columns of a file that was read; False where it has none by name."""
    found = original.first_rows()
    if found is None:
        return False
    kind: Judgable = "run" if file.kind == "run" else "qrels"
    _choice(original, found, kind, key, partial(read_so, original))
    return True


def _choice(original: Original, found: FirstRows, kind: Judgable, key: str, read: Read) -> None:
    """What a file with columns is read as, and the button that reads it so."""
    before = chosen_columns(original.choices.get("columns", {}))
    of_users = session.address()["for"] == "recommender"
    with st.container(horizontal=True, key=f"roles_{key}"):
        kind = _kind(kind, key)
        shown = answers.file_columns(found, kind, before, of_users=of_users)
        columns = {word: _column(shown, word, key) for word in shown.labels}
        smallest = kind == "run" and _smallest(shown, columns["score"], before, key)
    as_read = answers.as_read(columns, smallest=smallest)
    wrong = answers.objection(columns, shown.labels)
    tables, wrong = _tables(original, kind, as_read, wrong)
    words = OF_USERS if shown.of_users else OF_SEARCH
    relevant_from = relevance(tables, words, key)
    st.html(data.first_rows(found.names, found.rows, answers.roles(shown, columns)))
    with st.container(horizontal=True, vertical_alignment="center", key=f"read_{key}"):
        st.button(
            "Read it so",
            key=f"so_{key}",
            type="primary",
            on_click=read,
            args=(kind, as_read),
            disabled=bool(wrong),
        )
        first = answers.first_row(shown, columns, relevant_from if tables else None)
        st.html(data.first_row(wrong or first))
    if tables:
        numbers(tables, original.name, words, relevant_from)


def _tables(
    original: Original, kind: Judgable, columns: Columns, wrong: str
) -> tuple[list[Table], str]:
    """What the file holds by these columns, and what is wrong with them."""
    if wrong:
        return [], wrong
    try:
        return original.tables_by(kind, columns), ""
    except RanklensError as error:
        return [], str(error)


def _kind(kind: Judgable, key: str) -> Judgable:
    kinds = list(KINDS)
    chosen: Judgable = st.selectbox(
        "Read as",
        kinds,
        index=kinds.index(kind),
        format_func=KINDS.__getitem__,
        key=f"kind_{key}",
        width=170,
    )
    return chosen


def _column(shown: FileColumns, word: str, key: str) -> str:
    names, likely = shown.offered(word), shown.likely.get(word, "")
    chosen: str | None = st.selectbox(
        shown.labels[word],
        names,
        index=names.index(likely) if likely else None,
        format_func=shown.described,
        key=f"{word}_{key}",
        placeholder="Choose a column",
        width=210,
    )
    return chosen or ""


def _smallest(shown: FileColumns, name: str, before: Columns, key: str) -> bool:
    """Whether the smallest score is the best; asked beside the score."""
    usual = answers.is_smallest_best(name, before)
    chosen: str = st.selectbox(
        "Best is",
        ["the largest", "the smallest"],
        index=int(usual),
        key=f"best_{name}_{key}",
        width=140,
    )
    return chosen == "the smallest"
