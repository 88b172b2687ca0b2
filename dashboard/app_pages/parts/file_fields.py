"""The fields of a file: one row per field with its meaning and the evidence for it, a preview of
the first rows, and, for a file that could be two kinds of table, both readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.answers.data import first_rows
from dashboard.answers.field_evidence import FieldEvidence, find_loaded_ids
from dashboard.answers.file_fields import (
    KIND_WORDS,
    FieldTable,
    field_table,
    has_unknown_columns,
    offered_kinds,
)
from dashboard.answers.file_numbers import SEARCH_WORDS, USER_WORDS
from dashboard.answers.file_preview import describe_contents, file_preview, preview_as_kind
from dashboard.app_pages.parts.file_numbers import ask_lowest_relevant_grade, show_numbers
from dashboard.drawing.blocks import data, file_fields
from dashboard.files.files import File
from dashboard.session.actions.refused_files import dismiss_refusals, refusals
from dashboard.session.actions.remembered_shapes import (
    forget_shape_choices,
    is_shape_remembered,
    same_shape_files,
)
from dashboard.session.actions.uploaded_files import Original, find_original
from dashboard.session.actions.uploads import reread_file, reread_refused_file
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
)
from metrics_core.base.errors import FileFormatError, LineProblem, RanklensError
from metrics_core.formats.registry import Kind
from metrics_core.tables import Table

RANKED: tuple[Kind, ...] = ("run", "qrels")
"""Kinds of table that can look the same."""

_LONG = "This file is long. Its rows are read when you import it."


@dataclass(frozen=True)
class FileCheck:
    """A file for which the user should check how it is read. `key` is the prefix of its widget
    keys, `read` reads the file with the user's choices, and `kind` is its likely kind. If
    `of_two_kinds` is true, the file could be either a run or judgments; `is_guessed` is true if it
    was read as the more likely kind. `names` are the names of the refused files with the same
    fields. `why` is the first problem if the file could not be read because of its format,
    otherwise None."""

    original: Original
    key: str
    read: Callable[..., None]
    kind: Kind = "run"
    of_two_kinds: bool = False
    is_guessed: bool = False
    names: Sequence[str] = ()
    why: LineProblem | None = None


def find_file_checks(files: Sequence[File]) -> list[FileCheck]:
    """Return the checks that the user is asked to make: one for each file that could not be read,
    and one for each file of the collection whose kind was only guessed."""
    checks: list[FileCheck | None] = []
    seen_names = set[str]()
    for name, refusal in refusals().items():
        if refusal.upload is not None and name not in seen_names:
            seen_names |= {*same_shape_files(name)}
            original = Original(name, refusal.upload, refusal.choices)
            read, key = partial(reread_refused_file, name), f"refused_{refusal.key}"
            checks.append(
                _make_check(
                    original,
                    refusal.error,
                    key,
                    read,
                    same_shape_files(name),
                )
            )
    for file in files:
        original_file = find_original(file) if file.error or file.kind in RANKED else None
        if original_file is None:
            continue
        read = partial(reread_file, original_file)
        if file.error is not None:
            checks.append(_make_check(original_file, file.error, file.key, read))
        elif file.used and original_file.is_guessed:
            key = f"asked_{file.key}"
            checks.append(FileCheck(original_file, key, read, _table_kind(file), True, True))
    return [check for check in checks if check is not None]


def _make_check(
    original: Original,
    error: RanklensError,
    key: str,
    read_again: Callable[..., None],
    names: Sequence[str] = (),
) -> FileCheck | None:
    """Return the check for a file that could not be read. Returns None if the error has nothing to
    do with the fields of the file."""
    fields, kind = original.fields(), original.choices.get("kind", "run")
    of_two_kinds = all(f"kind={kind_name}" in error.hint for kind_name in RANKED)
    is_unknown = fields is not None and (
        has_unknown_columns(fields) or "columns" in original.choices
    )
    if not of_two_kinds and (not is_unknown or "doc=retrieved_contexts" in error.hint):
        return None
    why = error.problems[0] if isinstance(error, FileFormatError) else None
    return FileCheck(original, key, read_again, kind, of_two_kinds, False, names, why)


def _table_kind(file: File) -> Kind:
    return "run" if file.kind == "run" else "qrels"


def show_checks(checks: Sequence[FileCheck]) -> None:
    """Show a card for each file that the user should check."""
    for check in checks:
        with st.container(border=True, key=f"fields_{check.key}"):
            if check.of_two_kinds:
                _show_both_kinds(check)
            else:
                _show_fields(check)


def field_editor(file: File) -> Callable[[], object] | None:
    """Show a switch that opens the fields of a file that was read. If the switch is on, return a
    function that shows the fields. Return None if it is off. If the columns have no names or the
    file is not available, show no switch and return None."""
    original = find_original(file) if file.kind in RANKED else None
    if original is None and file.kind in RANKED and ": " in file.read_as:
        st.caption("To choose columns, upload the file again.")
    fields = None if original is None else original.fields()
    if original is None or fields is None:
        return None
    is_open = st.toggle("Columns", key=f"columns_{file.key}")
    check = FileCheck(
        original, f"look_{file.key}", partial(reread_file, original), _table_kind(file)
    )
    return partial(show_checks, [check]) if is_open else None


def _show_fields(check: FileCheck) -> None:
    """Show a row for each field, in which the user can choose what the field contains, and a
    preview of what the file then contains."""
    original = check.original
    key = check.key
    library = current_library()
    fields = check.original.fields()
    if fields is None:
        return
    evidence = FieldEvidence(fields, find_loaded_ids(fields, library, original.name))
    with st.container(horizontal=True, vertical_alignment="center", key=f"check_{key}"):
        others = len(check.names) - 1
        st.html(file_fields.draw_check_heading(original.name, fields.rows, check.why, others))
        kind = _choose_kind(check.kind, offered_kinds(fields), key)
    of_users = session.address()["for"] == "recommender"
    columns_before = original.choices.get("columns") or {}
    table = field_table(evidence, kind, columns_before, is_user_data=of_users)
    word_by_field, smallest = _show_rows(table, f"{kind}_{key}")
    all_relevant = (
        kind == "qrels"
        and "grade" not in word_by_field.values()
        and _ask_if_all_are_relevant(table, key)
    )
    choices = table.reading_choices(
        word_by_field, smallest_is_best=smallest, all_relevant=all_relevant
    )
    problem = table.find_field_problem(word_by_field, all_relevant=all_relevant)
    tables, problem = ([], problem) if problem else _read_tables(original, choices)
    words = USER_WORDS if table.is_user_data else SEARCH_WORDS
    relevant_from = ask_lowest_relevant_grade(tables, words, key)
    message, can_be_read = problem or _LONG, not problem or _is_fixable_by_choice(problem)
    if tables:
        preview = file_preview(tables[0], library, original.name) if kind in RANKED else None
        st.html(
            data.draw_preview(KIND_WORDS[kind], first_rows(tables[0]))
            if preview is None
            else file_fields.draw_preview(preview, table.words)
        )
        settings = all_collections().record(current_collection_id()).settings
        message = describe_contents(tables, original.name, library, settings)
    _import_button(
        check, kind, choices, message=message, is_error=bool(problem), is_disabled=not can_be_read
    )
    if tables and kind == "qrels":
        show_numbers(tables, original.name, words, relevant_from)
    if is_shape_remembered(fields):
        with st.container(horizontal=True, vertical_alignment="center", key=f"shape_{key}"):
            st.caption("New files with these fields are read with the same choices.")
            st.button(
                "Ask again next time",
                key=f"forget_{key}",
                on_click=forget_shape_choices,
                args=(fields,),
                type="tertiary",
            )


def _show_rows(table: FieldTable, key: str) -> tuple[dict[str, str], bool]:
    """Show the rows. Return the chosen meaning of each field, and whether the smallest score is
    best."""
    shown_names, folded = table.shown_and_folded_fields
    word_by_field: dict[str, str] = {}
    reasons = {}
    best: list[bool] = []

    def show_row(number: int, name: str) -> None:
        with st.container(key=f"field_{number}_{key}"):
            meaning, field, because = st.columns([24, 27, 33], vertical_alignment="center")
            with meaning, st.container(horizontal=True, key=f"means_{number}_{key}"):
                word_by_field[name] = _choose_meaning(table, name, f"{number}_{key}")
                if word_by_field[name] == "score":
                    best.append(
                        _ask_if_smallest_is_best(table, name, word_by_field, f"{number}_{key}")
                    )
            field.html(
                file_fields.draw_field(table.field_title(name), table.fields.fields[name].samples)
            )
            reasons[name] = because.empty()

    st.html(file_fields.draw_column_headings())
    for number, name in enumerate(shown_names):
        show_row(number, name)
    if folded:
        with st.expander(f"and {len(folded)} more fields, not used"):
            for number, name in enumerate(folded, len(shown_names)):
                show_row(number, name)
    meanings = {word: name for name, word in word_by_field.items()}
    for name, area in reasons.items():
        area.html(
            file_fields.draw_field_evidence(
                table.explain_meaning(name, word_by_field[name], meanings)
            )
        )
    return word_by_field, any(best)


def _choose_meaning(table: FieldTable, name: str, key: str) -> str:
    meanings = table.offered_meanings
    meaning: str = st.selectbox(
        f"Meaning of {table.field_title(name)}",
        meanings,
        index=meanings.index(table.likely_meaning(name)),
        format_func=table.meaning_label,
        key=f"meaning_{key}",
        label_visibility="collapsed",
        width=140,
    )
    return meaning


def _ask_if_smallest_is_best(
    table: FieldTable, name: str, meaning_by_field: Mapping[str, str], key: str
) -> bool:
    """Ask, beside the field that contains the scores, whether the smallest score is the best, and
    return the answer."""
    meanings = {word: field for field, word in meaning_by_field.items()}
    best: str = st.selectbox(
        "Best is",
        ["largest is best", "smallest is best"],
        index=int(table.is_smallest_best(name, meanings)),
        key=f"best_{key}",
        label_visibility="collapsed",
        width=160,
    )
    return best == "smallest is best"


def _ask_if_all_are_relevant(table: FieldTable, key: str) -> bool:
    """Ask whether every document in the file is relevant, and return the answer. The question is
    needed if no field contains grades."""
    default = "grade" not in table.proposed_fields
    return st.checkbox("All listed documents are relevant", value=default, key=f"all_{key}")


def _choose_kind(kind: Kind, kinds: list[Kind], key: str) -> Kind:
    selected: Kind = st.selectbox(
        "Read as",
        kinds,
        index=kinds.index(kind),
        format_func=KIND_WORDS.__getitem__,
        key=f"kind_{key}",
        width=224,
    )
    return selected


def _import_button(
    check: FileCheck,
    kind: Kind,
    choices: Mapping[str, Any],
    *,
    message: str = "",
    is_error: bool = False,
    is_disabled: bool = False,
) -> None:
    """Show the button that imports the file, with `message` beside it. The message says what the
    file contains or, if `is_error` is true, why the file cannot be read."""
    is_likely = not check.of_two_kinds or (check.is_guessed and kind == check.kind)
    with st.container(horizontal=True, vertical_alignment="center", key=f"read_{kind}_{check.key}"):
        st.button(
            f"Import as {KIND_WORDS[kind]}",
            key=f"so_{kind}_{check.key}",
            type="primary" if is_likely else "secondary",
            on_click=check.read,
            kwargs=dict(choices),
            disabled=is_disabled,
        )
        if check.names and not check.of_two_kinds:
            _dismiss_button(check)
        if message:
            st.html(file_fields.draw_message(message, is_error=is_error))


def _dismiss_button(check: FileCheck) -> None:
    st.button(
        "Dismiss", key=f"dismiss_{check.key}", on_click=dismiss_refusals, args=tuple(check.names)
    )


def _show_both_kinds(check: FileCheck) -> None:
    """Show how a file could be read as a run or as judgments. The more likely kind comes first."""
    original, fields = check.original, check.original.fields()
    library = current_library()
    settings = all_collections().record(current_collection_id()).settings
    number = "" if fields is None else fields.inferred["run"].get("score", "")
    st.html(file_fields.draw_kind_question(original.name))
    kinds = sorted(RANKED, key=lambda kind: kind != check.kind)
    with st.container(key=f"readings_{check.key}"):
        columns = st.columns(2, gap="medium")
    for column, kind in zip(columns, kinds, strict=True):
        tables, _ = _read_tables(original, {"kind": kind})
        with column:
            if tables:
                reading = preview_as_kind(tables, original.name, library, settings, number)
                is_likely = check.is_guessed and kind == check.kind
                st.html(file_fields.draw_kind_preview(reading, is_likely=is_likely))
            _import_button(check, kind, {"kind": kind})
    with st.container(horizontal=True, key=f"other_{check.key}"):
        if check.names:
            _dismiss_button(check)
        is_choosing = fields is not None and st.toggle(
            "Choose the fields", key=f"choose_{check.key}"
        )
    if is_choosing:
        _show_fields(replace(check, key=f"chosen_{check.key}", of_two_kinds=False, names=()))


def _is_fixable_by_choice(error: str) -> bool:
    """Return whether an error suggests another way of reading the file. Such an error does not
    prevent the import, because the page then offers the other way as a button."""
    return any(f"{choice}=" in error for choice in ("duplicates", "grades", "encoding"))


def _read_tables(original: Original, choices: Mapping[str, Any]) -> tuple[list[Table], str]:
    """Return the tables of the file, read with these choices, and an error message. If the file
    cannot be read, there are no tables; otherwise the message is empty."""
    try:
        return original.read_tables_with(choices), ""
    except RanklensError as error:
        return [], str(error)
