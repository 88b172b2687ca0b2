"""The parts of the Data page: what was read, what was noticed, what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import Styles, sentence_pieces
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.checks.fit import FitLine
from metrics_core.findings.verdicts import VerdictFinding

Row = Mapping[str, Any]

_render = Template("data")
_NAMED_FILES = 4
"""Files of an upload that are named one by one in the line that tells of it."""


def result(
    verdict: VerdictFinding | None, styles: Styles, link: str, *, alone: bool = False
) -> Markup:
    """What the loaded files say, with the way to the comparison, or to the scores of a run that is
    `alone`; without it, its room."""
    if verdict is None:
        return _render("result", pieces=[], lead=[], badge="", tone="", leads_to="", link="")
    return _render(
        "result",
        pieces=sentence_pieces(verdict.title, styles),
        lead=sentence_pieces(verdict.lead, styles),
        badge=verdict.badge,
        tone=verdict.tone,
        leads_to="scores" if alone else "comparison",
        link=link,
    )


def error_card(error: RanklensError) -> Markup:
    """What is wrong with a file, what was expected, and how to mend it; never a stack trace."""
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


def receipt(message: str, hint: str = "", *, alarming: bool = False) -> Markup:
    """What became of something that was done; `alarming` where it went wrong."""
    return _render("receipt", message=message, hint=hint, alarming=alarming)


def arrived_files(loaded: Sequence[tuple[str, str]], link: str) -> Markup:
    """The files that an upload loaded, each with what it holds; the link leads to all files."""
    kinds = Counter(kind for _, kind in loaded)
    runs = kinds.pop("run", 0)
    kinds_text = [f"{w.number_word(runs)} {w.plural(runs, 'run')}"] if runs else []
    few, many = w.sentence_case(w.number_word(len(loaded))), len(loaded)
    return _render(
        "arrived",
        files=loaded,
        head=f"{few} {w.plural(many, 'file')} {w.plural(many, 'is', 'are')} loaded",
        said=w.join_words([*kinds_text, *kinds]) if many > _NAMED_FILES else "",
        link=link,
    )


def file_table(rows: Sequence[Row], cutoff: int = 10) -> Markup:
    """Every loaded file. A row has file, kind, use ("in use", "" where that goes without saying),
    read_as, correctable (it may be taken for something else), rows, queries (None where it has
    none), judged (share of the top `cutoff`, or None), notes, style (of a run, or None),
    is_baseline."""
    return _render("file_table", rows=rows, cutoff=cutoff)


def upload_note(most: str) -> Markup:
    """What an uploader takes; `most` is the size that a file may have."""
    return _render("how_large", most=most)


def fit_table(lines: Sequence[FitLine]) -> Markup:
    """Whether the files belong together; `lines` are those of `fit_report`."""
    return _render("fit_table", lines=lines)


AUDIENCES = {"search": "Search", "rag": "RAG", "recommender": "Recommender"}
"""Who brings files: the word that an address has for them, and what they evaluate."""

Step = tuple[str, str, str]
"""A title, a line below it, and how such a file begins, "" of what is no file."""

STEPS: Mapping[str, tuple[Step, ...]] = {
    "search": (
        (
            "Judgments",
            "query, (ignored), document, grade · TREC qrels, CSV, TSV",
            "q1 0 doc12 2\nq1 0 doc40 0\nq2 0 doc07 1",
        ),
        (
            "Runs, two or more",
            "one file for each system · TREC, CSV, JSON Lines, Parquet",
            "q1 Q0 doc12 1 14.2 bm25\nq1 Q0 doc40 2 13.9 bm25\nq2 Q0 doc07 1 11.8 bm25",
        ),
        (
            "Queries (optional)",
            "texts, and any columns to group by",
            "query_id,text,category\nq1,refund for a gift,Returns\nq2,reset the sensor,Devices",
        ),
    ),
    "rag": (
        (
            "Questions with retrieved documents",
            "and expected documents; one file for each version",
            '{"question": "How to reset it?",\n "retrieved": ["kb-12", "kb-40"],\n'
            ' "expected": ["kb-12"]}',
        ),
        (
            "Ragas with ids, or plain lists",
            "no conversion needed; lists also need judgments, and kb-12#3 can count as kb-12",
            '{"user_input": "How to reset?",\n "retrieved_context_ids":\n   ["kb-12", "kb-40"],\n'
            ' "reference_context_ids":\n   ["kb-12"]}',
        ),
        (
            "Are your relevance labels complete?",
            "if so, switch on “My judgments are complete” under Files: documents not in"
            " the gold set then count as not relevant",
            "",
        ),
    ),
    "recommender": (
        (
            "Held-out interactions",
            "user, item, rating of the test set",
            "userId,movieId,rating\n1,296,5.0\n1,306,3.0",
        ),
        (
            "Recommendations, two or more",
            "user, item, score; one file for each model",
            "user_id,item_id,prediction\n1,296,7.42\n1,1193,7.01",
        ),
        (
            "Which ratings are relevant?",
            "choose next to the rating columns, or in the measure: rel=4 means ratings"
            " of 4 and more",
            "R@10         any rating above 0\nR(rel=4)@10  4 and more\n"
            "nDCG@10      the rating as gain",
        ),
    ),
}
"""The files that each audience brings."""


def audience(word: str) -> str:
    """Who is spoken to: whom an address asks for, else the first."""
    return word if word in AUDIENCES else next(iter(AUDIENCES))


def first_run_steps(name: str, tools: Sequence[str]) -> Markup:
    """What to load, as this audience calls it, with the beginning of each file; and the `tools`
    whose files are read as they are."""
    return _render("first_run_steps", steps=STEPS[name], tools=w.join_words(tools))


def all_formats(link: str) -> Markup:
    """The way to what files can be read."""
    return _render("all_formats", link=link)


def file_numbers(counts: Sequence[tuple[str, str]], warning: str) -> Markup:
    """What a file says beside what is loaded: each number with what it counts, and `warning`, what
    is to be known of documents without a grade, "" where nothing is."""
    return _render("file_numbers", counts=counts, lacking=warning)


def without_limit(measure: str, judgments: str, other: str, link: str) -> Markup:
    """That the measure has no grade from which documents are relevant; the link leads to an `other`
    that has."""
    return _render("without_limit", measure=measure, judgments=judgments, other=other, link=link)


def preview(kind: str, rows: pd.DataFrame) -> Markup:
    """The first rows of a file as a small table; `kind` says what the file holds."""
    values, label = rows.itertuples(index=False, name=None), f"First rows: {kind}"
    return _render("first_rows", label=label, names=rows.columns, rows=values, caption=label)
