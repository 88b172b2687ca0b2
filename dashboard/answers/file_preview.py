"""The Files page: a preview of the first rows of a file with some numbers, and the possible
readings of a file that could be two kinds of table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dashboard.answers.file_numbers import (
    SEARCH_WORDS,
    FileNumbers,
    combine_with_loaded_tables,
    file_numbers,
    judged_share,
)
from dashboard.study.library import Library
from dashboard.workspace import Settings
from metrics_core.base import wording as w
from metrics_core.explaining.one_query import find_grade, find_grades
from metrics_core.judging.ranking import ranked_documents
from metrics_core.tables import Documents, Qrels, Queries, Run, Table

_ROWS = 5
_FEW_GRADES = 6
_MANY_TIES = 0.5
_CUTOFF = 10


@dataclass(frozen=True)
class PreviewRow:
    """One row of a preview. It has the query and the document with their texts ("" if unknown), the
    rank in a run, the score or grade as text, and the document's grade in the loaded judgments."""

    query: str
    doc: str
    number: str
    rank: int | None = None
    query_text: str = ""
    title: str = ""
    judged: str = ""


@dataclass(frozen=True)
class FilePreview:
    """The first rows of a table as it would be read. `judgments` is the name of the loaded file
    from which the grades come. It is "" if there is none, or if the table itself has judgments."""

    kind: Literal["run", "qrels"]
    rows: Sequence[PreviewRow]
    judgments: str = ""


@dataclass(frozen=True)
class KindReading:
    """A preview of a file read as one of the kinds of table that it could be. It has the evidence
    for this kind, the first rows, some numbers, and the consequence of reading the file this way.
    If `is_harmful` is true, the consequence is a warning."""

    preview: FilePreview
    evidence: Sequence[str]
    numbers: FileNumbers
    consequence: str
    is_harmful: bool


def file_preview(table: Table, library: Library, file: str) -> FilePreview:
    """Return a preview of the first rows of a table. For a run, the preview begins with the top of
    its first list."""
    texts = _query_texts(library)
    if isinstance(table, Qrels):
        head = table.table.slice(0, _ROWS)
        columns = (head[name].to_pylist() for name in ("query_id", "doc_id", "relevance"))
        records = list(zip(*columns, strict=True))
        titles = _document_titles(library, [doc for _, doc, _ in records])
        rows = [
            PreviewRow(q, d, w.format_grade(grade), None, texts.get(q, ""), titles.get(d, ""))
            for q, d, grade in records
        ]
        return FilePreview("qrels", rows)
    assert isinstance(table, Run)
    judgments = combine_with_loaded_tables([table], file, library, Settings()).qrels
    judgments_file = library.judgments
    rows = []
    for query in table.query_ids[:_ROWS]:
        top_documents = ranked_documents(table, query, depth=_ROWS).head(_ROWS - len(rows))
        titles = _document_titles(library, top_documents["doc_id"].tolist())
        grades = {} if judgments is None else find_grades(judgments, query)
        for rank, doc, score in zip(
            *(top_documents[c] for c in ("rank", "doc_id", "score")), strict=True
        ):
            grade = find_grade(grades, doc)
            judgment = f"grade {w.format_grade(grade)}" if grade == grade else "not judged"
            rows.append(
                PreviewRow(
                    query,
                    doc,
                    w.format_plain_number(score),
                    int(rank),
                    texts.get(query, ""),
                    titles.get(doc, ""),
                    judgment if judgments is not None else "",
                )
            )
    return FilePreview(
        "run",
        rows,
        judgments_file.file if judgments_file is not None and judgments is not None else "",
    )


def _query_texts(library: Library) -> dict[str, str]:
    file = library.used_file("queries")
    if file is None or not isinstance(file.table, Queries):
        return {}
    frame = file.table.frame
    return dict(zip(frame["query_id"], frame["text"], strict=True))


def _document_titles(library: Library, doc_ids: Sequence[str]) -> dict[str, str]:
    file = library.used_file("documents")
    if file is None or not isinstance(file.table, Documents):
        return {}
    titles: dict[str, str] = file.table.lookup(doc_ids)["title"].to_dict()
    return titles


def describe_contents(
    tables: Sequence[Table], file: str, library: Library, settings: Settings
) -> str:
    """Return a sentence that describes the content of a file: its runs, or its number of
    judgments."""
    first = tables[0]
    if isinstance(first, Qrels):
        return (
            f"This gives {w.format_with_noun(len(first), 'judgment')} of"
            f" {w.format_query_count(len(first.query_ids))}."
        )
    if not isinstance(first, Run):
        count = len(first)
        queries, query_word = isinstance(first, Queries), w.plural(count, "query", "queries")
        return (
            f"This gives {w.format_count(count)}"
            f" {query_word if queries else w.plural(count, 'document')}."
        )
    runs = [table for table in tables if isinstance(table, Run)]
    run_names = w.join_words([f"`{run.name}`" for run in runs[:_ROWS]])
    runs_text = "the run" if len(runs) == 1 else f"{w.number_word(len(runs))} runs:"
    pair = combine_with_loaded_tables(tables, file, library, settings)
    share = None if pair.qrels is None else judged_share(runs, pair.qrels, _CUTOFF)
    judged_text = (
        f", {w.format_share(share)} of the top {_CUTOFF} judged" if share is not None else ""
    )
    return f"Gives {runs_text} {run_names}: {_describe_lists(runs)}{judged_text}."


def _describe_lists(runs: Sequence[Run]) -> str:
    """Return a phrase that says how many lists the runs have, and how long they are."""
    lengths = np.concatenate([np.bincount(run.query_codes) for run in runs])
    shortest, longest = w.format_count(int(lengths.min())), w.format_count(int(lengths.max()))
    between = longest if shortest == longest else f"{shortest} to {longest}"
    lists = w.format_with_noun(len(lengths), "list")
    return f"{lists} of {between} {w.plural(int(lengths.max()), 'document')}"


def preview_as_kind(
    tables: Sequence[Table],
    file: str,
    library: Library,
    settings: Settings,
    number_field: str = "",
) -> KindReading:
    """Return a preview of a file that is read as `tables`, which are all of the same kind.
    `number_field` is the name of the field with numbers. The preview can show this name as evidence
    that the file is a run."""
    table = tables[0]
    pair = combine_with_loaded_tables(tables, file, library, settings)
    preview = file_preview(table, library, file)
    numbers = file_numbers(pair, SEARCH_WORDS, _CUTOFF, 1)
    if isinstance(table, Run):
        tied_rows = _describe_tied_rows(table)
        missing = pair.qrels is None
        consequence = "Most ranks would be decided by document id. " if tied_rows[1] else ""
        consequence += "Judgments would still be missing." if missing else ""
        counts = (*numbers.counts, (tied_rows[0], "rows have tied scores"))
        name_evidence = [f"the column of numbers is named `{number_field}`"] if number_field else []
        by_order = [note.message for note in table.notes if note.kind == "rank"]
        evidence = [*(by_order or name_evidence), _describe_lists([table])]
        return KindReading(
            preview, evidence, FileNumbers(counts), consequence.strip(), tied_rows[1] or missing
        )
    assert isinstance(table, Qrels)
    grades = np.unique(table.relevance).tolist()
    few = len(grades) <= _FEW_GRADES
    grades_text = f"only {w.join_words(map(w.format_grade, grades))}" if few else "whole numbers"
    grades_text = (
        "every listed document is relevant" if grades == [1] else f"{grades_text}, like grades"
    )
    loaded_pair = combine_with_loaded_tables([], file, library, settings)
    judgments_text = (
        "no judgments are loaded yet" if loaded_pair.qrels is None else "other judgments are in use"
    )
    runs = len(loaded_pair.runs)
    consequence = (
        "" if runs < 2 else f"With these judgments, the {w.number_word(runs)} runs can be compared."
    )
    return KindReading(preview, [grades_text, judgments_text], numbers, consequence, False)


def _describe_tied_rows(run: Run) -> tuple[str, bool]:
    """Return a phrase that says how many rows of a run are tied, that is, have the same score as
    another row of their list, and whether these are more than half of the rows."""
    pairs = np.stack([run.query_codes.astype(np.float64), run.scores], axis=1)
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    tied = int(counts[counts > 1].sum())
    return f"{w.format_count(tied)} of {w.format_count(len(run))}", tied > _MANY_TIES * len(run)
