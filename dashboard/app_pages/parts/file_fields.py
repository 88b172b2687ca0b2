"""How a file is read: a row for each of its fields with what it means and why, the first rows as
they would be read, and the two readings of a file that may be two kinds of table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.answers.data import first_rows
from dashboard.answers.field_evidence import FieldEvidence, loaded_ids
from dashboard.answers.file_fields import (
    KIND_WORDS,
    FieldTable,
    columns_unknown,
    field_table,
    kinds_offered,
)
from dashboard.answers.file_numbers import OF_SEARCH, OF_USERS
from dashboard.answers.file_preview import file_preview, gives, kind_reading
from dashboard.app_pages.parts.file_numbers import numbers, relevance
from dashboard.drawing.blocks import data, file_fields
from dashboard.files.files import File
from dashboard.session.actions.refused_files import dismiss, refusals
from dashboard.session.actions.uploaded_files import Original, original_of
from dashboard.session.actions.uploads import (
    alike,
    forget_shape,
    is_remembered,
    read_again,
    read_so,
)
from dashboard.session.open_collection import all_collections, collection, library_here
from metrics_core.base.errors import FileFormatError, LineProblem, RanklensError
from metrics_core.formats.registry import Kind
from metrics_core.tables import Table

RANKED: tuple[Kind, ...] = ("run", "qrels")
"""Kinds of table that may look alike."""

_LONG = "This file is long. Its rows are read when you import it."


@dataclass(frozen=True)
class FileCheck:
    """A file whose reading is to be checked: the key of its widgets, what reads it by the reader's
    choices, and what it likely is. Of a file `of_two_kinds` nothing says which; `names` are those
    of refused files of its shape, `why` is what was wrong."""

    original: Original
    key: str
    read: Callable[..., None]
    kind: Kind = "run"
    of_two_kinds: bool = False
    is_guessed: bool = False
    names: Sequence[str] = ()
    why: LineProblem | None = None


def checks(files: Sequence[File]) -> list[FileCheck]:
    """The refused files and those of the collection that the reader is asked about: their fields
    are unknown, or nothing says what kind of table they are."""
    found: list[FileCheck | None] = []
    seen = set[str]()
    for name, own in refusals().items():
        if own.given is not None and name not in seen:
            seen |= {*alike(name)}
            original = Original(name, own.given, own.choices)
            read, key = partial(read_again, name), f"refused_{own.key}"
            found.append(_check(original, own.error, key, read, alike(name)))
    for file in files:
        original_file = original_of(file) if file.error or file.kind in RANKED else None
        if original_file is None:
            continue
        read = partial(read_so, original_file)
        if file.error is not None:
            found.append(_check(original_file, file.error, file.key, read))
        elif file.used and original_file.guessed:
            key = f"asked_{file.key}"
            found.append(FileCheck(original_file, key, read, _kind_of(file), True, True))
    return [check for check in found if check is not None]


def _check(
    original: Original,
    error: RanklensError,
    key: str,
    read: Callable[..., None],
    names: Sequence[str] = (),
) -> FileCheck | None:
    """What is asked about a file that could not be read; None if its fields are no matter."""
    fields, kind = original.fields(), original.choices.get("kind", "run")
    of_two_kinds = all(f"kind={own}" in error.hint for own in RANKED)
    is_unknown = fields is not None and (columns_unknown(fields) or "columns" in original.choices)
    if not of_two_kinds and (not is_unknown or "doc=retrieved_contexts" in error.hint):
        return None
    why = error.problems[0] if isinstance(error, FileFormatError) else None
    return FileCheck(original, key, read, kind, of_two_kinds, False, names, why)


def _kind_of(file: File) -> Kind:
    return "run" if file.kind == "run" else "qrels"


def ask(found: Sequence[FileCheck]) -> None:
    """A card for each file that the reader is asked about."""
    for check in found:
        with st.container(border=True, key=f"fields_{check.key}"):
            if check.of_two_kinds:
                _two_readings(check)
            else:
                _table_of_fields(check)


def changeable(file: File) -> Callable[[], object] | None:
    """What shows the fields of a file that was read, once the reader wants to see them; None till
    then, and if its columns have no names or the file is not at hand."""
    original = original_of(file) if file.kind in RANKED else None
    if original is None and file.kind in RANKED and ": " in file.read_as:
        st.caption("To choose columns, upload the file again.")
    fields = None if original is None else original.fields()
    if original is None or fields is None:
        return None
    wanted = st.toggle("Columns", key=f"columns_{file.key}")
    check = FileCheck(original, f"look_{file.key}", partial(read_so, original), _kind_of(file))
    return partial(ask, [check]) if wanted else None


def _table_of_fields(check: FileCheck) -> None:
    """A row for each field, and what the file gives by the meanings that are chosen."""
    original, key, library, fields = (
        check.original,
        check.key,
        library_here(),
        check.original.fields(),
    )
    if fields is None:
        return
    evidence = FieldEvidence(fields, loaded_ids(fields, library, original.name))
    with st.container(horizontal=True, vertical_alignment="center", key=f"check_{key}"):
        others = len(check.names) - 1
        st.html(file_fields.head(original.name, fields.rows, check.why, others))
        kind = _kind(check.kind, kinds_offered(fields), key)
    of_users = session.address()["for"] == "recommender"
    before = original.choices.get("columns") or {}
    table = field_table(evidence, kind, before, of_users=of_users)
    chosen, smallest = _rows(table, f"{kind}_{key}")
    all_relevant = kind == "qrels" and "grade" not in chosen.values() and _all_relevant(table, key)
    choices = table.choices(chosen, smallest=smallest, all_relevant=all_relevant)
    wrong = table.objection(chosen, all_relevant=all_relevant)
    tables, wrong = ([], wrong) if wrong else _tables(original, choices)
    words = OF_USERS if table.of_users else OF_SEARCH
    relevant_from = relevance(tables, words, key)
    told, can_be_read = wrong or _LONG, not wrong or _may_be_mended(wrong)
    if tables:
        shown = file_preview(tables[0], library, original.name) if kind in RANKED else None
        st.html(
            data.preview(KIND_WORDS[kind], first_rows(tables[0]))
            if shown is None
            else file_fields.preview(shown, table.words)
        )
        settings = all_collections().settings_of(collection())
        told = gives(tables, original.name, library, settings)
    _import(check, kind, choices, told=told, wrong=bool(wrong), disabled=not can_be_read)
    if tables and kind == "qrels":
        numbers(tables, original.name, words, relevant_from)
    if is_remembered(fields):
        with st.container(horizontal=True, vertical_alignment="center", key=f"shape_{key}"):
            st.caption("Files with these fields are read this way.")
            st.button(
                "Ask again next time",
                key=f"forget_{key}",
                on_click=forget_shape,
                args=(fields,),
                type="tertiary",
            )


def _rows(table: FieldTable, key: str) -> tuple[dict[str, str], bool]:
    """The meaning that is chosen for each field, and whether the smallest score is the best."""
    shown, folded = table.shown
    chosen: dict[str, str] = {}
    reasons = {}
    best: list[bool] = []

    def row(number: int, name: str) -> None:
        with st.container(key=f"field_{number}_{key}"):
            meaning, field, because = st.columns([24, 27, 33], vertical_alignment="center")
            with meaning, st.container(horizontal=True, key=f"means_{number}_{key}"):
                chosen[name] = _meaning(table, name, f"{number}_{key}")
                if chosen[name] == "score":
                    best.append(_smallest(table, name, chosen, f"{number}_{key}"))
            field.html(file_fields.field(table.title(name), table.fields.fields[name].samples))
            reasons[name] = because.empty()

    st.html(file_fields.heads())
    for number, name in enumerate(shown):
        row(number, name)
    if folded:
        with st.expander(f"and {len(folded)} more fields, not used"):
            for number, name in enumerate(folded, len(shown)):
                row(number, name)
    meanings = {word: name for name, word in chosen.items()}
    for name, place in reasons.items():
        place.html(file_fields.reason(table.because(name, chosen[name], meanings)))
    return chosen, any(best)


def _meaning(table: FieldTable, name: str, key: str) -> str:
    offered = table.offered
    meaning: str = st.selectbox(
        f"Meaning of {table.title(name)}",
        offered,
        index=offered.index(table.meaning(name)),
        format_func=table.called,
        key=f"meaning_{key}",
        label_visibility="collapsed",
        width=140,
    )
    return meaning


def _smallest(table: FieldTable, name: str, chosen: Mapping[str, str], key: str) -> bool:
    """Whether the smallest score is the best; asked beside the score."""
    meanings = {word: own for own, word in chosen.items()}
    best: str = st.selectbox(
        "Best is",
        ["largest is best", "smallest is best"],
        index=int(table.is_smallest_best(name, meanings)),
        key=f"best_{key}",
        label_visibility="collapsed",
        width=160,
    )
    return best == "smallest is best"


def _all_relevant(table: FieldTable, key: str) -> bool:
    """Whether every document of the file is relevant, asked if no field is a grade."""
    proposed = "grade" not in table.proposed
    return st.checkbox("All listed documents are relevant", value=proposed, key=f"all_{key}")


def _kind(kind: Kind, kinds: list[Kind], key: str) -> Kind:
    chosen: Kind = st.selectbox(
        "Read as",
        kinds,
        index=kinds.index(kind),
        format_func=KIND_WORDS.__getitem__,
        key=f"kind_{key}",
        width=224,
    )
    return chosen


def _import(
    check: FileCheck,
    kind: Kind,
    choices: Mapping[str, Any],
    *,
    told: str = "",
    wrong: bool = False,
    disabled: bool = False,
) -> None:
    """The button that reads the file, and what it gives, or why it cannot be read."""
    is_likely = not check.of_two_kinds or (check.is_guessed and kind == check.kind)
    with st.container(horizontal=True, vertical_alignment="center", key=f"read_{kind}_{check.key}"):
        st.button(
            f"Import as {KIND_WORDS[kind]}",
            key=f"so_{kind}_{check.key}",
            type="primary" if is_likely else "secondary",
            on_click=check.read,
            kwargs=dict(choices),
            disabled=disabled,
        )
        if check.names and not check.of_two_kinds:
            _dismiss(check)
        if told:
            st.html(file_fields.told(told, wrong=wrong))


def _dismiss(check: FileCheck) -> None:
    st.button("Dismiss", key=f"dismiss_{check.key}", on_click=dismiss, args=tuple(check.names))


def _two_readings(check: FileCheck) -> None:
    """A file that may be two kinds of table: what it would be as each, the likelier first."""
    original, fields = check.original, check.original.fields()
    library, settings = library_here(), all_collections().settings_of(collection())
    number = "" if fields is None else fields.inferred["run"].get("score", "")
    st.html(file_fields.question(original.name))
    kinds = sorted(RANKED, key=lambda kind: kind != check.kind)
    with st.container(key=f"readings_{check.key}"):
        places = st.columns(2, gap="medium")
    for place, kind in zip(places, kinds, strict=True):
        tables, _ = _tables(original, {"kind": kind})
        with place:
            if tables:
                own = kind_reading(tables, original.name, library, settings, number)
                is_likely = check.is_guessed and kind == check.kind
                st.html(file_fields.reading(own, is_likely=is_likely))
            _import(check, kind, {"kind": kind})
    with st.container(horizontal=True, key=f"other_{check.key}"):
        if check.names:
            _dismiss(check)
        wanted = fields is not None and st.toggle("Choose the fields", key=f"choose_{check.key}")
    if wanted:
        _table_of_fields(replace(check, key=f"chosen_{check.key}", of_two_kinds=False, names=()))


def _may_be_mended(error: str) -> bool:
    """Whether an error names a choice of reading, so that trying it offers that as a button."""
    return any(f"{choice}=" in error for choice in ("duplicates", "grades", "encoding"))


def _tables(original: Original, choices: Mapping[str, Any]) -> tuple[list[Table], str]:
    """What the file holds by these choices, and why it cannot be read by them."""
    try:
        return original.tables_by(choices), ""
    except RanklensError as error:
        return [], str(error)
