"""Blocks that occur only in a report, and the HTML page that contains them; see
`drawing.report`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.collections import file_name
from dashboard.answers.queries import QueryList
from dashboard.answers.query_chips import RULES
from dashboard.answers.report import CASE_ROWS, Case, ReportMethods
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.ledger import LedgerEntry, ledger_contributions
from dashboard.drawing.blocks.markup import (
    Badge,
    Styles,
    run_style,
    sentence_pieces,
    shorten_run_names,
)
from dashboard.drawing.blocks.queries import column_texts, short_and_full_names
from dashboard.drawing.blocks.query import document_column, first_words
from dashboard.drawing.blocks.robustness_checks import mark_of_check
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.findings.robustness import Robustness
from metrics_core.findings.sentence import Sentence

_CHIPS = {
    "fixed": "fixed",
    "broken": "broken",
    "better": "▲ better",
    "worse": "▼ worse",
    "same": "same",
    "none": "every run at zero",
    "missing": "no results from {}:",
}
"""The lists of queries for which a report has a button, with the texts of the buttons. The button
of an empty list is omitted."""
_HIGHER_AND_LOWER = {"better": "higher", "worse": "lower"}

_render = Template("report")


def draw_report_page(
    title: str,
    head: Markup,
    contents: Sequence[tuple[str, str]],
    parts: Sequence[Markup],
    slides: Markup,
    generator: str,
    source: str,
    data: Markup,
) -> Markup:
    """Draw the whole HTML page of a report: title, style sheet and script, the top, the table of
    contents, the sections, the slides, and the embedded data. `generator` is the version of
    Ranklens; `source` is the last line, which says when and with which versions the report was
    made."""
    return _render(
        "document",
        title=title,
        head=head,
        contents=contents,
        parts=parts,
        slides=slides,
        generator=generator,
        source=source,
        data=data,
    )


def draw_data_note(title: str, size: str) -> Markup:
    """Draw a note which says that the report contains its collection and how to extract the
    collection."""
    return _render("data_here", name=f"{file_name(title)}.zip", size=size)


def draw_title_line(collection: str, pair: str, date: str, left_out_note: str, text: str) -> Markup:
    """Draw the collection and the runs, the date, what was left out, and the introduction that the
    user wrote."""
    return _render(
        "title_line", collection=collection, pair=pair, date=date, said=left_out_note, text=text
    )


def draw_report_section(
    key: str, title: str, lead: str | Sentence, content: Markup, styles: Styles
) -> Markup:
    """Draw a section of the report with its heading."""
    return _render("part", key=key, title=title, lead=sentence_pieces(lead, styles), inside=content)


def draw_slides(screens: Sequence[Markup], source: str) -> Markup:
    """Draw the findings as slides for a presentation, with their source. The result is empty if
    there are no slides."""
    return _render("slides", screens=screens, source=source) if screens else Markup()


def draw_slide(
    key: str,
    question: str,
    answer: str | Sentence,
    picture: Markup,
    styles: Styles,
    *,
    badge: Badge | None = None,
    note: str | Sentence = "",
    caption: str = "",
    rows: int = 0,
) -> Markup:
    """Draw one screen of the presentation: the question, the answer, a note, and one picture with a
    caption. `key` identifies the screen; `rows` is the number of rows of the picture."""
    return _render(
        "slide",
        key=key,
        question=question,
        answer=sentence_pieces(answer, styles),
        badge=badge,
        note=sentence_pieces(note, styles),
        picture=picture,
        caption=caption,
        rows=rows,
    )


def draw_check_reasons(robustness: Robustness, styles: Styles, *, is_brief: bool = False) -> Markup:
    """Draw each check of the verdict with its reason, or if `is_brief` is true with the range
    of the difference if there is one. If the verdict is inconclusive, the possible ways to make
    it conclusive are drawn instead of the checks."""
    unclear = bool(robustness.settling_checks)
    entries = {entry.part: entry for entry in robustness.all_checks}
    rows = []
    for check in robustness.checks:
        mark, kind, spoken = mark_of_check(check, is_inconclusive=unclear)
        entry = check if unclear else entries.get(check.part, check)
        word = check.brief if unclear else entry.word
        reason = entry.range_text or entry.reason if is_brief else entry.reason
        rows.append((mark, kind, spoken, check.title, word, shorten_run_names(reason, styles)))
    return _render("reasons", rows=rows)


def draw_panels(charts: Sequence[tuple[Markup, Markup]], legend: Markup, note: Markup) -> Markup:
    """Draw charts side by side with a common legend. Each chart has a heading and a drawing."""
    return _render("panels", charts=charts, legend=legend, note=note)


def draw_case(
    query_case: Case,
    drawing: Drawing,
    grades: Grades,
    anchor: str,
    *,
    is_open: bool,
) -> Markup:
    """Draw a query that got worse or better: its scores, the documents that caused the change, and
    both result lists. Everything below the scores is folded unless `is_open` is true. If a run has
    no results, a remark beside the name says so."""
    page, row = query_case.page, query_case.row
    parts: list[tuple[Markup, LedgerEntry]] = []
    more, rest = 0, 0.0
    if page.ledger is not None and not page.ledger.steps.empty:
        entries, most, rest = ledger_contributions(
            page.ledger.steps,
            page.ledger.scores,
            drawing,
            page.documents,
            document_link=lambda _: "",
        )
        first_entries = [
            e for e in entries[:most] if w.format_difference(e.part) != w.format_difference(0.0)
        ]
        parts = [
            (grades.chip(e.grade) if e.grade == e.grade else Markup(), e) for e in first_entries
        ]
        more = len(entries) - most
    return _render(
        "case",
        anchor=anchor,
        is_open=is_open,
        row=row,
        name=page.text,
        parts=parts,
        rest=rest,
        more=more,
        cause="" if row["unlisted_by"] else row["cause"],
        short=short_names(drawing.styles),
        lists=[
            _case_list(page.diagnosis, run, drawing, grades, page.documents)
            for run in (drawing.baseline, drawing.focus)
        ],
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )


_Line = tuple[int, Markup, str, bool]


def _case_list(
    diagnosis: Diagnosis, run: str, drawing: Drawing, grades: Grades, documents: pd.DataFrame
) -> tuple[object, list[_Line], str]:
    """Return the style of a run, the first ranks of its list, and a message. The message is ""
    unless the list is empty."""
    top = diagnosis.rankings[run].head(min(drawing.cutoff, CASE_ROWS))
    style = run_style(drawing.styles, run)
    if top.empty:
        return (
            style,
            [],
            f"No results for this query, so the score is {w.format_score(0.0)}.",
        )
    rows = []
    for record in top.to_dict("records"):
        doc_id = record["doc_id"] or ""
        text = document_column(documents, doc_id, "title").strip() or first_words(documents, doc_id)
        relevant = record["grade"] >= drawing.comparison.measure.relevant_from
        rows.append((record["rank"], grades.chip(record["grade"]), text or doc_id, relevant))
    return style, rows, ""


def draw_query_rows(
    query_list: QueryList,
    lists: Mapping[str, Mask],
    drawing: Drawing,
    query_link: Callable[[str], str],
    *,
    runs_without_results: str = "",
) -> Markup:
    """Draw every query with its scores. The script of the report lets readers search and sort the
    rows; if scripts are disabled, the whole table is shown.

    `lists` maps the key of each list of queries to a mask of the rows of `query_list.frame`,
    bool[query]. `query_link` returns the link of a query, or "" if the query has no link.
    `runs_without_results` names the compared runs that lack results for queries."""
    columns = sorted(query_list.columns, key=lambda column: column.kind != "text")
    keys = [key for key in _CHIPS if np.any(lists.get(key, False))]
    membership = pd.DataFrame({key: lists[key] for key in keys}, index=query_list.frame["query_id"])
    chips = [("", "all", len(query_list.rows), "")]
    names = _CHIPS if drawing.comparison.has_direction else _CHIPS | _HIGHER_AND_LOWER
    chips += [
        (k, names[k].format(runs_without_results), int(np.sum(lists[k])), RULES.get(k, ""))
        for k in keys
    ]
    return _render(
        "query_rows",
        heads=short_and_full_names(columns, (drawing.focus, drawing.baseline)),
        columns=columns,
        rows=query_list.rows.to_dict("records"),
        texts=column_texts(columns, query_list.rows),
        lists=[
            " ".join(compress(keys, row))
            for row in membership.loc[query_list.rows["query_id"]].to_numpy()
        ],
        coloured=query_list.has_outcomes,
        opened=query_link,
        chips=chips,
    )


def draw_missing_section_note(reason: str) -> Markup:
    """Draw a note that a section could not be made, with the reason if it is known."""
    return _render("left_out", why=reason)


def draw_query_notes(rows: pd.DataFrame) -> Markup:
    """Draw the notes on queries (query_id, text, tags, notes). The result is empty if there are
    none."""
    records = rows.to_dict("records")
    return _render("noted", rows=records) if records else Markup()


def draw_methods_section(
    methods: ReportMethods,
    formulas: Sequence[tuple[str, str, Markup]],
    paragraphs: Sequence[tuple[str, str]],
) -> Markup:
    """Draw the measures and methods, in enough detail to reproduce the numbers."""
    return _render("measured", found=methods, formulas=formulas, paragraphs=paragraphs)
