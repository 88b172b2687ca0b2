"""Check how well the files match: the ids that run, qrels, queries and documents share, and the ids
that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import top_rows
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.arrays import as_column, as_text_column
from metrics_core.tables.columns import clean_id, encode_ids, is_printable
from metrics_core.tables.damaged_ids import EXPORT_AGAIN, SHORTENED
from metrics_core.tables.ranked_run import judged_ranks_clause

AnyTable = TypeVar("AnyTable", Run, Qrels, Queries, Documents)

_EXAMPLES = 3
_IDS_CHECKED = 1_000
"""Number of rows that are checked for shortened ids. A small number is enough, because a
spreadsheet shortens a whole column."""

GAIN = 0.2
"""Minimum gain of a proposed id mapping: additional matches as a share of the ids that could
match."""
FEW = 0.02
"""Document id mappings are searched only if a run retrieves less than this share of the judged
documents."""


@dataclass(frozen=True)
class FitLine:
    """One line of the report on matching files: a label, a value in words, and a remark on what is
    missing ("" if nothing is), with a line for each run."""

    label: str
    value: str
    remark: str


def fit_report(
    runs: Sequence[Run],
    judged_ranks: Sequence[JudgedRanks],
    qrels: Qrels | None,
    queries: Queries | None,
    documents: Documents | None,
    *,
    cutoff: int = 10,
) -> list[FitLine]:
    """Report how well the loaded tables match. Lines about tables that are not loaded are omitted.

    `judged_ranks` is in the order of `runs`; it is empty if there are no qrels."""
    lines = []
    if qrels is not None and queries is not None:
        ids = set(queries.frame["query_id"])
        label, remark = "queries with judgments", "without judgments"
        lines.append(_coverage_line(label, ids, qrels.query_ids, remark))
    if judged_ranks:
        lines.append(_shared_queries_line(judged_ranks))
        lines += _unjudged_queries_lines(judged_ranks)
    if queries is not None and runs:
        lines.append(_query_texts_line(runs, qrels, queries))
    full_runs = [run for run in runs if run.complete]
    if documents is not None and full_runs:
        lines.append(_document_texts_line(full_runs, documents, cutoff, len(runs) - len(full_runs)))
    return lines


def _coverage_line(label: str, ids: set[str], known_ids: Iterable[str], remark: str) -> FitLine:
    """Return the report line on how many of these ids are known. `remark` introduces the others."""
    lacking = sorted(ids.difference(known_ids))
    value = f"{len(ids) - len(lacking):,} of {len(ids):,}"
    return FitLine(label, value, f"{remark}: {_shorten_ids(lacking)}" if lacking else "")


def _shared_queries_line(judged_ranks: Sequence[JudgedRanks]) -> FitLine:
    total = judged_ranks[0].n_queries
    is_shared = np.logical_and.reduce([r.retrieved > 0 for r in judged_ranks])
    lacking = [
        f"{r.run_name}: no results for {w.format_query_count(len(r.missing_queries))}"
        f" ({_shorten_ids(r.missing_queries)})"
        for r in judged_ranks
        if r.missing_queries
    ]
    value = f"{int(is_shared.sum()):,} of {total:,}"
    label = "judged queries with results in every run"
    if len(lacking) > _EXAMPLES:
        lacking[_EXAMPLES:] = [f"{len(lacking) - _EXAMPLES:,} more runs"]
    return FitLine(label, value, "\n".join(lacking))


def _unjudged_queries_lines(judged_ranks: Sequence[JudgedRanks]) -> list[FitLine]:
    extra = sorted({q for r in judged_ranks for q in r.unjudged_queries})
    label, remark = "queries with results but no judgments", f"left out: {_shorten_ids(extra)}"
    return [FitLine(label, f"{len(extra):,}", remark)] if extra else []


def _query_texts_line(runs: Sequence[Run], qrels: Qrels | None, queries: Queries) -> FitLine:
    used_ids = {q for run in runs for q in run.query_ids} | set(qrels.query_ids if qrels else ())
    return _coverage_line("queries with text", used_ids, queries.frame["query_id"], "shown by id")


def _document_texts_line(
    runs: Sequence[Run], documents: Documents, cutoff: int, n_excluded_runs: int
) -> FitLine:
    """Return the report line on the number of documents in the top `cutoff` that have a text.

    `n_excluded_runs` is the number of runs loaded as judged ranks (the ranks of judged documents).
    These runs are excluded, because they lack the ids of unjudged documents."""
    tops = [
        top.doc_ids.take(as_column(top_rows(top, cutoff))).unique()
        for top in (run.select_top(cutoff) for run in runs)
    ]
    top_ids = pa.chunked_array(tops).unique()
    n_with_text = int(documents.are_known(top_ids).sum())
    lacking = len(top_ids) - n_with_text
    remarks = [f"{lacking:,} shown by id"] if lacking else []
    if n_excluded_runs:
        remarks.append(
            f"excludes {w.plural(n_excluded_runs, 'the run', f'the {n_excluded_runs:,} runs')}"
            " loaded as ranks of judged documents"
        )
    label = f"top {cutoff} documents with text"
    value = f"{n_with_text:,} of {len(top_ids):,}"
    return FitLine(label, value, "; ".join(remarks))


def _shorten_ids(ids: Sequence[str]) -> str:
    listed = ", ".join(ids[:_EXAMPLES])
    return f"{listed} and {len(ids) - _EXAMPLES:,} more" if len(ids) > _EXAMPLES else listed


def clean_ids(table: AnyTable) -> AnyTable:
    """Return the table with every id cleaned. Raises TableError if two ids become equal, and
    RanklensError for a run loaded as judged ranks."""
    if isinstance(table, Queries):
        clean = table.frame.assign(query_id=table.frame["query_id"].map(clean_id))
        return Queries.from_columns(dict(clean.items())).with_notes(*table.notes)
    if isinstance(table, Documents):
        columns = dict(zip(table.table.column_names, table.table.columns, strict=True))
        cleaned = Documents.from_columns({**columns, "doc_id": _clean_doc_ids(columns["doc_id"])})
        return cleaned.with_notes(*table.notes)
    if isinstance(table, Run) and not table.complete:
        raise RanklensError(
            f"{judged_ranks_clause([table.name])}, so its ids can no longer be changed.",
            "Clean the ids of the run and the judgments, then create the ranks of judged documents"
            " again.",
        )
    if isinstance(table, Run):
        rows = table.table
        clean = Run.from_columns(
            table.name, *_clean_rows(rows), rows["score"], rank=table.given_ranks
        )
        return clean.with_notes(*table.notes)
    given_rows = table.input_table
    subtopic = None if table.subtopics is None else given_rows["subtopic"]
    fresh = Qrels.from_columns(*_clean_rows(given_rows), given_rows["relevance"], subtopic)
    return fresh.with_notes(*table.notes)


def _clean_rows(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Return the cleaned query_id and doc_id of each row."""
    queries = encode_ids(table["query_id"])
    names = as_text_column([clean_id(q) for q in queries.dictionary.to_pylist()])
    return names.take(queries.indices), _clean_doc_ids(table["doc_id"])


def _clean_doc_ids(doc_ids: pa.ChunkedArray) -> pa.Array:
    odd_ids = _unusual_ids(doc_ids)
    doc_ids = doc_ids.combine_chunks()
    if odd_ids:
        positions = pc.index_in(doc_ids, value_set=as_text_column(odd_ids))
        clean = as_text_column([clean_id(i) for i in odd_ids]).take(positions)
        doc_ids = pc.if_else(pc.is_valid(positions), clean, doc_ids)
    return doc_ids


def _unusual_ids(ids: pa.ChunkedArray) -> list[str]:
    """Return the distinct ids that cleaning could change."""
    return ids.filter(pc.match_substring_regex(ids, r"[^\x21-\x7e]")).unique().to_pylist()


def do_queries_match(run: Run, qrels: Qrels) -> bool:
    """Return whether most query ids already match. If they do, no mapping of ids could match many
    more."""
    run_ids, judged = set(run.query_ids), set(qrels.query_ids)
    return len(run_ids & judged) > (1 - GAIN) * min(len(run_ids), len(judged))


def lacks_judged_documents(ranks: JudgedRanks) -> bool:
    """Whether a run lacks almost all judged documents of the queries for which it has results."""
    lists = ranks.retrieved > 0
    judged = int(np.count_nonzero(lists[ranks.judged_query]))
    return len(ranks.relevance) < FEW * min(judged, int(ranks.retrieved.sum()))


def find_near_matches(run: Run, qrels: Qrels) -> tuple[Note, ...]:
    """Return notes on query and document ids that would match only after `clean_id`, and on ids
    that a spreadsheet shortened.

    The notes only suggest changes: ids that are not equal are never matched automatically."""
    run_ids, judged = _to_text_column(run.query_ids), _to_text_column(qrels.query_ids)
    kinds = [("query", run_ids, judged, is_printable(run_ids))]
    if run.complete:  # judged ranks name only documents that match
        kinds.append(("document", run.doc_ids, qrels.doc_ids, run.plain))
    notes: list[Note] = []
    for what, own_ids, judged_ids, _ in kinds:
        notes += _shortened_id_notes(what, "the run", own_ids)
        notes += _shortened_id_notes(what, "the judgments", judged_ids)
    for what, own_ids, judged_ids, are_plain in kinds:
        # Only unusual ids can change by cleaning. There are almost never any, and checking the
        # bytes avoids a hash table of all ids.
        pairs = [] if are_plain and is_printable(judged_ids) else _near_pairs(own_ids, judged_ids)
        if pairs:
            count = len(pairs)
            notes.append(
                Note(
                    f"near_{what}_ids",
                    f"{count:,} {what} {w.plural(count, 'id')} in the judgments would match the"
                    " run after cleaning with clean-ids (blanks trimmed, invisible characters"
                    " removed, accents composed)",
                    count,
                    tuple(f"{a!r} and {b!r}" for a, b in pairs[:_EXAMPLES]),
                    loud=True,
                )
            )
    return tuple(notes)


def _shortened_id_notes(id_noun: str, source: str, ids: pa.ChunkedArray) -> list[Note]:
    """Return a note on ids that were shortened by a spreadsheet. Shortening may have made different
    ids identical.

    Returns no note if none of the first `_IDS_CHECKED` ids is shortened."""
    if not pc.any(pc.match_substring_regex(ids.slice(0, _IDS_CHECKED), SHORTENED)).as_py():
        return []
    odd = ids.filter(pc.match_substring_regex(ids, SHORTENED))
    different = odd.unique().to_pylist()
    message = (
        f"{w.format_count(len(odd))} of {w.format_count(len(ids))} {id_noun} ids"
        f" ({w.format_count(len(different))} distinct) in {source} were shortened by a spreadsheet"
        f" or by conversion to a float, so different ids may have become identical. {EXPORT_AGAIN}"
    )
    examples = tuple(different[:_EXAMPLES])
    return [Note(f"shortened_{id_noun}_ids", message, len(odd), examples, loud=True)]


def _to_text_column(ids: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([as_text_column(list(ids))])


def _near_pairs(run_ids: pa.ChunkedArray, judged_ids: pa.ChunkedArray) -> list[tuple[str, str]]:
    judged_ids = pa.chunked_array([judged_ids.unique()])
    unmatched = judged_ids.filter(
        pc.invert(pc.is_in(judged_ids, value_set=run_ids.combine_chunks()))
    )
    cleaned_own = {clean_id(i): i for i in _unusual_ids(run_ids)}
    pairs = [(i, clean_id(i)) for i in _unusual_ids(unmatched) if clean_id(i) != i]
    clean_texts = as_text_column([clean for _, clean in pairs])
    presence = pc.is_in(clean_texts, value_set=run_ids.combine_chunks()).to_pylist()
    near_pairs = [pair for pair, is_present in zip(pairs, presence, strict=True) if is_present]
    near_pairs += [
        (i, cleaned_own[clean])
        for i in (unmatched.to_pylist() if cleaned_own else [])
        if (clean := clean_id(i)) in cleaned_own and cleaned_own[clean] != i
    ]
    return list(dict.fromkeys(near_pairs))
