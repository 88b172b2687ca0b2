"""Blocks of the Files page: files, notes, and errors of files that could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.answers.score_columns import ScoreColumn
from dashboard.drawing.blocks.markup import Styles, sentence_pieces
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.base.notes import Note
from metrics_core.checks.fit import FitLine
from metrics_core.findings.verdicts import VerdictFinding

Row = Mapping[str, Any]

_render = Template("data")
_NAMED_FILES = 4
"""Maximum number of files that the message about an upload lists by name."""


def draw_result(
    verdict: VerdictFinding | None, styles: Styles, link: str, *, is_single_run: bool = False
) -> Markup:
    """Draw the result for the loaded files, with a link to the comparison. For a single run
    (`is_single_run`), the link leads to its scores. If `verdict` is None, draw an empty box of the
    same size."""
    return _render(
        "result",
        verdict=verdict,
        pieces=sentence_pieces(verdict.title, styles) if verdict else [],
        leads_to="scores" if is_single_run else "comparison",
        link=link,
    )


def draw_error_card(error: RanklensError) -> Markup:
    """Draw an error in a file: the problem, what was expected, and how to fix it. A traceback is
    never shown."""
    if not isinstance(error, FileFormatError):
        return _render("error_card", error=error)
    offer = error.offer if error.offer and error.offer not in error.hint else ""
    return _render(
        "file_error_card",
        error=error,
        first=error.problems[0],
        offer=offer,
        beyond=error.count - len(error.problems),
    )


def draw_action_message(message: str, hint: str = "", *, is_warning: bool = False) -> Markup:
    """Draw a message about the result of an action. If `is_warning` is true, it is drawn as a
    warning."""
    return _render("receipt", message=message, hint=hint, alarming=is_warning)


def draw_uploaded_files(loaded_files: Sequence[tuple[str, str]], link: str) -> Markup:
    """Draw a list of the files that an upload added. `loaded_files` has (name, kind) of each file;
    `link` opens the list of all files."""
    kinds = Counter(kind for _, kind in loaded_files)
    runs = kinds.pop("run", 0)
    kinds_text = [f"{w.number_word(runs)} {w.plural(runs, 'run')}"] if runs else []
    few, many = w.sentence_case(w.number_word(len(loaded_files))), len(loaded_files)
    return _render(
        "arrived",
        files=loaded_files,
        head=f"{few} {w.plural(many, 'file')} {w.plural(many, 'is', 'are')} loaded",
        said=w.join_words([*kinds_text, *kinds]) if many > _NAMED_FILES else "",
        link=link,
    )


def draw_file_table(rows: Sequence[Row], cutoff: int = 10, *, is_user_data: bool = False) -> Markup:
    """Draw a table of all loaded files.

    A row has file, kind, use ("baseline", "not in use", or ""), read_as, rows, queries (or None),
    judged (judged share of the top `cutoff`, or None), notes, preview (a link), style (None unless
    the file is a run). With `is_user_data`, the table says that queries are users."""
    drawn = [{**row, "notes": [_split_note(note) for note in row["notes"]]} for row in rows]
    queries = "Users (queries)" if is_user_data else "Queries"
    return _render("file_table", rows=drawn, cutoff=cutoff, queries=queries)


def _split_note(note: Note) -> dict[str, Any]:
    """Return the parts of a note for display: its first line, and its details (the rest of the
    message, and the examples)."""
    line, _, more = note.message.partition("; ")
    if line.count("`") % 2:
        line, more = note.message, ""
    first = "first: " if note.count > len(note.examples) else ""
    examples = f"{first}{', '.join(note.examples)}" if note.examples else ""
    details = [text for text in (w.sentence_case(more), w.sentence_case(examples)) if text]
    return {
        "line": line,
        "details": details,
        "hint": ". ".join([line, *details]),
        "loud": note.loud,
    }


def draw_upload_note(max_size: str) -> Markup:
    """Draw a note that says which files the uploader accepts. `max_size` is the maximum size of a
    file."""
    return _render("how_large", most=max_size)


def draw_file_fit_table(lines: Sequence[FitLine]) -> Markup:
    """Draw a table that shows whether the files belong together. `lines` is the result of
    `fit_report`."""
    return _render("fit_table", lines=lines)


AUDIENCES = {"search": "Search", "rag": "RAG", "recommender": "Recommender"}
"""The audiences. Keys are the words for them in an address, values are the kinds of system that
they evaluate."""

Step = tuple[str, str, str]
"""A step in loading files: its title, the line below the title, and the beginning of an example
file. The example is "" if the step needs no file."""

STEPS: Mapping[str, tuple[Step, ...]] = {
    "search": (
        (
            "Judgments",
            "How relevant each document is to a query. Grade 0 means not relevant.",
            "query_id,doc_id,grade\nq1,doc12,2\nq1,doc40,0",
        ),
        (
            "Runs, two or more",
            "The results of each system, in one file per system.",
            "query_id,doc_id,score\nq1,doc12,14.2\nq1,doc40,13.9",
        ),
        (
            "Queries (optional)",
            "Their texts, and columns to group them by.",
            "query_id,text,category\nq1,gift refund,Returns\nq2,reset hub,Devices",
        ),
        (
            "Documents (optional)",
            "Their titles and texts, for the ranked lists.",
            "doc_id,title,text\ndoc12,Refunds,We pay …\ndoc40,Returns,Send …",
        ),
    ),
    "rag": (
        (
            "Questions with retrieved documents",
            "With the expected documents, in one file per version.",
            '{"question": "How to reset it?",\n "retrieved": ["kb-12", "kb-40"],\n'
            ' "expected": ["kb-12"]}',
        ),
        (
            "Ragas with ids, or plain lists",
            "No conversion is needed. Plain lists also need judgments. Chunk kb-12#3 can count as"
            " kb-12.",
            '{"user_input": "How to reset?",\n "retrieved_context_ids":\n   ["kb-12", "kb-40"],\n'
            ' "reference_context_ids":\n   ["kb-12"]}',
        ),
        (
            "Are your relevance labels complete?",
            "If so, switch on “My judgments are complete” under Files. Documents that are not in"
            " the gold set then count as not relevant.",
            "",
        ),
    ),
    "recommender": (
        (
            "Held-out interactions",
            "Users, items and ratings of the test set.",
            "userId,movieId,rating\n1,296,5.0\n1,306,3.0",
        ),
        (
            "Recommendations, two or more",
            "Users, items and scores, in one file per model.",
            "user_id,item_id,prediction\n1,296,7.42\n1,1193,7.01",
        ),
        (
            "Which ratings are relevant?",
            "Choose next to the rating columns, or in the measure: rel=4 means ratings"
            " of 4 or more.",
            "R@10         any rating above 0\nR(rel=4)@10  4 or more\n"
            "nDCG@10      the rating as gain",
        ),
    ),
}
"""The steps in loading files, by audience."""


def audience_or_default(word: str) -> str:
    """Return `word` if it is the key of an audience, otherwise the first audience."""
    return word if word in AUDIENCES else next(iter(AUDIENCES))


def draw_getting_started(name: str, tools: Sequence[str], formats_link: str) -> Markup:
    """Draw the list of files to load, in the terms of the audience `name`, with the beginning of an
    example of each file. `tools` are the tools whose files can be read without conversion.
    `formats_link` leads to the list of file formats."""
    tools_text = w.join_words(tools)
    return _render("first_run_steps", steps=STEPS[name], tools=tools_text, formats=formats_link)


def draw_file_numbers(counts: Sequence[tuple[str, str]], warning: str) -> Markup:
    """Draw the numbers that describe a file, given as pairs (number, description). `warning` is
    about unjudged documents; it is "" if there is no warning."""
    return _render("file_numbers", counts=counts, lacking=warning)


def draw_missing_grade_parameter_note(
    measure: str, judgments: str, other_measure: str, link: str
) -> Markup:
    """Draw a note that the measure has no parameter for the lowest relevant grade. The link selects
    the measure `other_measure`, which has such a parameter."""
    return _render(
        "without_limit", measure=measure, judgments=judgments, other=other_measure, link=link
    )


def draw_preview(kind: str, rows: pd.DataFrame) -> Markup:
    """Draw the first rows of a file as a small table. `kind` is the kind of the file."""
    values = rows.itertuples(index=False, name=None)
    label = f"{kind}, first {w.format_with_noun(len(rows), 'row')}"
    return _render("first_rows", label=label, names=rows.columns, rows=values, caption=label)


def direction_question(names: Sequence[str]) -> str:
    """Return the question that asks whether higher or lower values of these measures are better."""
    few = len(names) < 3
    listing = w.join_words(names) if few else f"{w.number_word(len(names))} measures"
    return f"is higher or lower better for {listing}?"


def draw_score_file_heading(file: str, names: Sequence[str]) -> Markup:
    """Draw the heading of the card of a file of scores. `names` are the measures in it for which no
    direction is declared."""
    return _render("score_file", file=file, question=direction_question(names) if names else "")


def draw_score_column(name: str, role: str) -> Markup:
    """Draw the name of a column of scores, and what the column contains."""
    return _render("score_column", name=name, role=role)


def draw_cells(column: ScoreColumn) -> Markup:
    """Draw the first cells of a column of scores, and the summary of all its cells."""
    return _render("cells", column=column)
