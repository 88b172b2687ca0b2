"""The lists of several runs for one query, side by side. Lines connect the positions of the same
document in two lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.movement import (
    NO_MOVE,
    Movement,
    describe_list_change,
    describe_movement,
    draw_movement_lines,
)
from dashboard.drawing.blocks.query import (
    Tile,
    document_column,
    first_words,
    query_grades,
    rank_tiles,
)
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.blocks.word_marks import make_excerpt, mark_words
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names, shorten
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.explaining.diagnosis import Diagnosis

Row = Mapping[str, Any]

_HEIGHTS = {"with-text": 86, "with-title": 52, "by-id": 34, "one-line": 24}
"""Height of a row in px, by the kind of row. The style sheet has the same values. All rows of both
lists have the same height, so that the lines end at the rows."""
_SHORT_RUN, _SHORT_TITLE, _SHORT_RELEVANT = 20, 54, 42
"""Maximum number of characters of a run's name and of a document's title, in lists with one line
per row. A relevant document has less space, because its movement is shown."""
_EXCERPT = 360
FIRST, FIRST_OF_SEVERAL = 5, 10
"""Number of rows of each list that are shown at first: `FIRST` for two lists, `FIRST_OF_SEVERAL`
for more lists, because their rows are less high."""
STEP = 100
"""Number of rows that each click on "more" adds after k rows are shown."""
_SQUARES, _MOST_SQUARES = 10, 30
"""Minimum and maximum number of squares above a list. The number is k if k is within these
limits."""

_JOINED = 2
"""Maximum number of lists that are connected by lines. With more lists, the lines would be
confusing."""

_render = Template("two_lists")


@dataclass(frozen=True)
class _View:
    """Data that the rows of all lists share. `documents` has title and text, indexed by doc_id."""

    documents: pd.DataFrame
    words: Collection[str]
    grades: Grades
    alone: bool
    several: bool
    one_line: bool
    changes_to: int = 0
    """For runs without judgments, the number of first ranks at which marks show the changes between
    the lists in place of grades. It is 0 for runs with judgments."""


@dataclass(frozen=True)
class _Item:
    """One document in a list. An empty `doc_id` means that the document is unjudged and its id is
    unknown, because the run was loaded as judged ranks, which contain only the ids of judged
    documents."""

    doc_id: str
    rank: int
    relevant: bool
    chip: Markup
    move: Movement
    title: str
    marked_title: Markup
    text: str
    excerpt: Markup


@dataclass(frozen=True)
class _List:
    """The list of one run. Every row is a separate CSS grid. To align the columns of the rows, the
    column with the movement has the width of the longest movement in every row."""

    side: str
    column: int
    style: RunStyle
    short_name: str
    score: float
    difference: float
    tiles: Sequence[Tile]
    items: Sequence[_Item]
    summary: str = ""
    """The text that is shown in place of the score if there are no judgments."""

    @property
    def widest(self) -> int:
        """The length in characters of the longest text that states a document's movement."""
        return max(item.move.length for item in self.items)


def draw_two_lists(
    diagnosis: Diagnosis,
    drawing: Drawing,
    documents: pd.DataFrame,
    query_words: Collection[str],
    grade_names: Mapping[float, str] | None = None,
    *,
    further_ids: Sequence[str] = (),
    n_rows: int = 0,
    note: str = "",
    one_line: bool = False,
) -> Markup:
    """Draw the first `n_rows` documents (k if `n_rows` is 0) of several lists side by side: the
    baseline, the run in focus, and the runs in `further_ids`. Above each list are its score and the
    grades of its first ranks. A single run has one list.

    Two lists are connected by lines. With more than two lists, a label says how each document moved
    from its position in the baseline. Without judgments, two equal lists are drawn as one.
    `documents` is indexed by doc_id; its columns title and text are optional. A click on a row
    opens the full text. `note` is shown above the lists. With `one_line`, a row is the title alone,
    large enough to be read from a distance, and the last row may be a relevant document further
    down that is among the first in the other list."""
    runs = list(dict.fromkeys([drawing.baseline, drawing.focus, *further_ids]))
    reach = n_rows or diagnosis.cutoff
    several = len(runs) > _JOINED
    others = [drawing.focus, *[drawing.baseline] * (len(runs) - 1)]
    row_lists = [
        diagnosis.align_rankings(run, other, reach, int(one_line))
        for run, other in zip(runs, others, strict=True)
    ]
    if not diagnosis.has_judgments and _are_same(row_lists):
        runs, row_lists = runs[1:], row_lists[1:]
    doc_ids = [row["doc_id"] for list_rows in row_lists for row in list_rows]
    if one_line:
        documents = _document_labels(documents, {str(doc_id) for doc_id in doc_ids if doc_id})
    texts = documents.reindex([doc_id for doc_id in doc_ids if doc_id])
    view = _View(
        documents,
        query_words,
        query_grades(diagnosis, grade_names),
        len(runs) == 1,
        several,
        one_line,
        0 if diagnosis.has_judgments else diagnosis.cutoff,
    )
    kind = "one-line" if one_line else _row_kind(texts)
    short = short_names(runs, _SHORT_RUN)
    lists = [
        _make_list(list_rows, diagnosis, run_style(drawing.styles, run), view, number, short[run])
        for number, (list_rows, run) in enumerate(zip(row_lists, runs, strict=True))
    ]
    joins = Markup()
    if len(row_lists) == _JOINED:
        joins = draw_movement_lines(row_lists[0], row_lists[1], _HEIGHTS[kind])
    if kind == "by-id" and len(texts) and not note:
        note = "No document file is loaded, so documents are shown by id."
    return _render(
        "two_lists",
        lists=lists,
        joins=joins,
        n_rows=max(map(len, row_lists)),
        columns=" var(--gap) ".join(["minmax(0, 1fr)"] * len(lists)),
        kind=kind,
        several=several,
        note=note,
        cutoff=diagnosis.cutoff,
    )


def _document_labels(documents: pd.DataFrame, doc_ids: Collection[str]) -> pd.DataFrame:
    """Return one line of text per document, indexed by doc_id. The line is the document's title.
    Without a title, it is the first words of the document's text. Without a text either, it is the
    id."""
    lines = {
        doc_id: document_column(documents, doc_id, "title").strip()
        or first_words(documents, doc_id)
        or doc_id
        for doc_id in doc_ids
    }
    return pd.DataFrame({"title": lines})


def _are_same(row_lists: Sequence[Sequence[Row]]) -> bool:
    """Whether there are two lists with the same documents in the same order."""
    ids = [[row["doc_id"] for row in rows] for rows in row_lists]
    return len(ids) == _JOINED and ids[0] == ids[1]


def draw_list_links(
    shown_count: int,
    total: int,
    cutoff: int,
    n_default_ranks: int,
    *,
    rows_link: Callable[[int], str],
    beside_link: tuple[str, str] | None = None,
) -> Markup:
    """Draw links that show more or fewer ranks of the lists. The link `beside_link` (text and URL)
    shows additional lists beside them. `rows_link` returns the link that shows a given number of
    ranks."""
    links = []
    if shown_count < total:
        step = shown_count // STEP * STEP + STEP
        more = min(n for n in (cutoff, step, total) if n > shown_count)
        links.append(
            (f"Ranks {w.format_count(shown_count + 1)} to {w.format_count(more)}", rows_link(more))
        )
        if more < total:
            links.append((f"All {w.format_count(total)}", rows_link(total)))
    if shown_count > n_default_ranks and total > n_default_ranks:
        links.append((f"First {w.number_word(n_default_ranks)}", rows_link(n_default_ranks)))
    if beside_link:
        links.append(beside_link)
    return _render("ways", links=links)


def _row_kind(texts: pd.DataFrame) -> str:
    def has_text_in(column: str) -> bool:
        return column in texts and any(isinstance(v, str) and v.strip() for v in texts[column])

    if has_text_in("text"):
        return "with-text"
    return "with-title" if has_text_in("title") else "by-id"


def _make_list(
    rows: Sequence[Row],
    diagnosis: Diagnosis,
    style: RunStyle,
    view: _View,
    number: int,
    short_name: str,
) -> _List:
    side = "right" if number else "left"
    if view.changes_to:
        other = diagnosis.focus if side == "left" else diagnosis.baseline
        top = diagnosis.align_rankings(style.name, other, view.changes_to)
        marks = [(row, describe_list_change(row, side, view.changes_to)) for row in top]
        n_marked = sum(name != "stays" for _, (name, _, _) in marks)
        summary = f"{w.format_count(n_marked)} {'new' if number else 'gone'}"
        tiles = [
            Tile(
                name,
                f"rank {row['rank']}: {name}",
                row["doc_id"],
                # A document that stays has its rank in the other list.
                w.format_count(int(row["other_rank"])) if sign == "=" else sign,
            )
            for row, (name, sign, _) in marks
        ]
        items = [_make_item(row, view, side) for row in rows]
        column = 2 * number + 1
        return _List(side, column, style, short_name, np.nan, np.nan, tiles, items, summary)
    standing = diagnosis.standings.set_index("run").loc[style.name]
    ranks = max(_SQUARES, min(diagnosis.cutoff, _MOST_SQUARES))
    return _List(
        side,
        2 * number + 1,
        style,
        short_name,
        standing["score"],
        standing["difference"],
        [] if view.one_line else rank_tiles(diagnosis, style.name, view.grades, ranks),
        [_make_item(row, view, side) for row in rows],
    )


def _make_item(row: Row, view: _View, side: str) -> _Item:
    doc_id = row["doc_id"] or ""
    chip, move = view.grades.chip(row["grade"]), describe_movement(row, side)
    if view.changes_to:
        name, sign, move = describe_list_change(row, side, view.changes_to)
        chip = _render("mark", name=name, sign=sign)
    title = document_column(view.documents, doc_id, "title").strip()
    text = document_column(view.documents, doc_id, "text").strip()
    if view.one_line:
        length = _SHORT_RELEVANT if row["relevant"] else _SHORT_TITLE
        title = shorten(title, length, between_words=True)
    # With several lists there is little space besides the word itself.
    shorter = {"max_before": 0} if view.several else {}
    return _Item(
        doc_id=doc_id,
        rank=row["rank"],
        relevant=row["relevant"],
        chip=chip,
        move=NO_MOVE if view.alone or (view.several and side == "left") else move,
        title=title,
        marked_title=mark_words(title, view.words),
        text=text,
        excerpt=mark_words(make_excerpt(text, view.words, _EXCERPT, **shorter), view.words),
    )
