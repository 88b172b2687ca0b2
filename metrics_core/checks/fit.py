"""Do the files fit together? What run, qrels, queries and documents share, and what they miss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from metrics_core.tables.arrays import column_of, texts_of
from metrics_core.tables.columns import cleaned_id, coded, is_plain
from metrics_core.tables.ranked_run import as_judged_ranks
from metrics_core.tables.spoilt_ids import EXPORT_AGAIN, SHORTENED

AnyTable = TypeVar("AnyTable", Run, Qrels, Queries, Documents)

_EXAMPLES = 3
_LOOKED_AT = 1_000
"""Rows that show whether ids are shortened: the column of a spreadsheet is."""

GAIN = 0.2
"""By how much of the ids that could match another reading must match more, to be proposed."""
FEW = 0.02
"""The share of the judged documents that a run must miss to be retrieved for other readings of
document ids to be looked for."""


@dataclass(frozen=True)
class FitLine:
    """One line of the report: `value` in words, whether all is well, and a remark if not."""

    label: str
    value: str
    ok: bool
    remark: str


def fit_report(
    runs: Sequence[Run],
    judged: Sequence[JudgedRanks],
    qrels: Qrels | None,
    queries: Queries | None,
    documents: Documents | None,
    *,
    cutoff: int = 10,
) -> list[FitLine]:
    """How the loaded tables fit; lines that need a table that is not loaded are left out.

    `judged` goes with `runs` by position, or is empty where there are no qrels.
    """
    lines = []
    if qrels is not None and queries is not None:
        lines.append(_judged_queries(qrels, queries))
    if judged:
        lines.append(_found_everywhere(judged))
        lines.append(_without_judgments(judged))
    if queries is not None and runs:
        lines.append(_with_text(runs, qrels, queries))
    named = [run for run in runs if run.complete]
    if documents is not None and named:
        lines.append(_documents_with_text(named, documents, cutoff, len(runs) - len(named)))
    return lines


def _judged_queries(qrels: Qrels, queries: Queries) -> FitLine:
    known = set(queries.frame["query_id"])
    judged = set(qrels.query_ids)
    both = len(known & judged)
    lacking = sorted(known - judged)
    remark = "all" if not lacking else f"without judgments: {_some(lacking)}"
    return FitLine("queries with judgments", f"{both:,} of {len(known):,}", not lacking, remark)


def _found_everywhere(judged: Sequence[JudgedRanks]) -> FitLine:
    total = judged[0].n_queries
    everywhere = np.logical_and.reduce([r.retrieved > 0 for r in judged])
    lacking = [
        f"{r.run_name} lacks {w.plural(len(r.missing_queries), 'query', 'queries')}"
        f" {_some(r.missing_queries)}"
        for r in judged
        if r.missing_queries
    ]
    remark = "; ".join(lacking) if lacking else "all"
    found = int(everywhere.sum())
    return FitLine(
        "judged queries with results in every run", f"{found:,} of {total:,}", not lacking, remark
    )


def _without_judgments(judged: Sequence[JudgedRanks]) -> FitLine:
    extra = sorted({q for r in judged for q in r.unjudged_queries})
    remark = f"left out: {_some(extra)}" if extra else "none"
    return FitLine("queries with results but no judgments", f"{len(extra):,}", not extra, remark)


def _with_text(runs: Sequence[Run], qrels: Qrels | None, queries: Queries) -> FitLine:
    used = {q for run in runs for q in run.query_ids} | set(qrels.query_ids if qrels else ())
    known = set(queries.frame["query_id"])
    lacking = sorted(used - known)
    remark = "all" if not lacking else f"shown by id: {_some(lacking)}"
    value = f"{len(used) - len(lacking):,} of {len(used):,}"
    return FitLine("queries with a text", value, not lacking, remark)


def _documents_with_text(
    runs: Sequence[Run], documents: Documents, cutoff: int, unknown: int
) -> FitLine:
    """`unknown` runs came as judged ranks, which do not name what nobody judged."""
    tops = [_top_documents(run.leading(cutoff), cutoff) for run in runs]
    shown = pa.chunked_array(tops).unique()
    found = int(documents.known(shown).sum())
    lacking = len(shown) - found
    remark = "all" if not lacking else f"{lacking:,} shown by id"
    if unknown:
        remark += f"; without {w.plural(unknown, 'the run', f'the {unknown:,} runs')} loaded as"
        remark += " judged ranks"
    label = f"documents in the top {cutoff} with a text"
    return FitLine(label, f"{found:,} of {len(shown):,}", not lacking, remark)


def _top_documents(run: Run, cutoff: int) -> pa.Array:
    return run.doc_ids.take(column_of(top_rows(run, cutoff))).unique()


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_EXAMPLES])
    return f"{shown} and {len(ids) - _EXAMPLES:,} more" if len(ids) > _EXAMPLES else shown


def with_clean_ids(table: AnyTable) -> AnyTable:
    """The same table with every id cleaned; raises TableError where two ids become
    one, and RanklensError for judged ranks."""
    if isinstance(table, Queries):
        clean = table.frame.assign(query_id=table.frame["query_id"].map(cleaned_id))
        return Queries.from_columns(dict(clean.items())).noting(*table.notes)
    if isinstance(table, Documents):
        own = dict(zip(table.table.column_names, table.table.columns, strict=True))
        cleaned = Documents.from_columns({**own, "doc_id": _clean_texts(own["doc_id"])})
        return cleaned.noting(*table.notes)
    if isinstance(table, Run) and not table.complete:
        raise RanklensError(
            f"{as_judged_ranks([table.name])}, so its ids can no longer be changed.",
            "Clean the ids of the run and the judgments, then make the judged ranks again.",
        )
    if isinstance(table, Run):
        rows = table.table
        clean = Run.from_columns(table.name, *_clean(rows), rows["score"], rank=table.given_ranks)
        return clean.noting(*table.notes)
    given = table.given
    subtopic = None if table.subtopics is None else given["subtopic"]
    fresh = Qrels.from_columns(*_clean(given), given["relevance"], subtopic)
    return fresh.noting(*table.notes)


def _clean(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """The cleaned query_id and doc_id of each row."""
    queries = coded(table["query_id"])
    names = texts_of([cleaned_id(q) for q in queries.dictionary.to_pylist()])
    return names.take(queries.indices), _clean_texts(table["doc_id"])


def _clean_texts(doc_ids: pa.ChunkedArray) -> pa.Array:
    odd = pc.match_substring_regex(doc_ids, r"[^\x21-\x7e]")
    own = doc_ids.filter(odd).unique().to_pylist()
    doc_ids = doc_ids.combine_chunks()
    if own:
        place = pc.index_in(doc_ids, value_set=texts_of(own))
        clean = texts_of([cleaned_id(i) for i in own]).take(place)
        doc_ids = pc.if_else(pc.is_valid(place), clean, doc_ids)
    return doc_ids


def queries_meet(run: Run, qrels: Qrels) -> bool:
    """Return whether enough query ids match: no other reading could match far more."""
    own, judged = set(run.query_ids), set(qrels.query_ids)
    return len(own & judged) > (1 - GAIN) * min(len(own), len(judged))


def misses_judged_documents(ranks: JudgedRanks) -> bool:
    """Return whether a run lacks nearly all judged documents of the queries that it lists."""
    lists = ranks.retrieved > 0
    judged = int(np.count_nonzero(lists[ranks.judged_query]))
    return len(ranks.relevance) < FEW * min(judged, int(ranks.retrieved.sum()))


def near_matches(run: Run, qrels: Qrels) -> tuple[Note, ...]:
    """Ids that match nothing as they stand, but would after `cleaned_id`: of queries, of documents;
    and ids that a spreadsheet shortened.

    Ids are compared as they stand; this only says what the user may have meant.
    """
    notes: list[Note] = []
    own, judged = _texts(run.query_ids), _texts(qrels.query_ids)
    found = [("query", _near_pairs(lambda: own, judged, plain=is_plain(own)))]
    notes += [*_shortened("query", "the run", own), *_shortened("query", "the judgments", judged)]
    if run.complete:  # judged ranks name only documents that match
        notes += _shortened("document", "the run", run.doc_ids)
        notes += _shortened("document", "the judgments", qrels.doc_ids)
        found += [("document", _near_pairs(lambda: run.doc_ids, qrels.doc_ids, plain=run.plain))]
    for what, pairs in found:
        if pairs:
            count = len(pairs)
            notes.append(
                Note(
                    f"near_{what}_ids",
                    f"{count:,} {what} {w.plural(count, 'id')} in the judgments would match after"
                    " cleaning: trim blanks, remove invisible characters, compose accents"
                    " (clean-ids)",
                    count,
                    tuple(f"{a!r} and {b!r}" for a, b in pairs[:_EXAMPLES]),
                    loud=True,
                )
            )
    return tuple(notes)


def _shortened(what: str, where: str, ids: pa.ChunkedArray) -> list[Note]:
    """The note on ids of which several may have become one; none if the first ones are whole."""
    if not pc.any(pc.match_substring_regex(ids.slice(0, _LOOKED_AT), SHORTENED)).as_py():
        return []
    odd = ids.filter(pc.match_substring_regex(ids, SHORTENED))
    different = odd.unique().to_pylist()
    message = (
        f"{w.count(len(odd))} of {w.count(len(ids))} {what} ids in {where} were shortened by a"
        f" spreadsheet or float ({w.count(len(different))} distinct): several ids may have become"
        f" one. {EXPORT_AGAIN}"
    )
    examples = tuple(different[:_EXAMPLES])
    return [Note(f"shortened_{what}_ids", message, len(odd), examples, loud=True)]


def _texts(ids: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([texts_of(list(ids))])


def _near_pairs(
    ids: Callable[[], pa.ChunkedArray], judged: pa.ChunkedArray, *, plain: bool
) -> list[tuple[str, str]]:
    # Only unusual ids can change by cleaning. Where there are none, as nearly always, a look at
    # the bytes spares a hash table of all ids.
    if plain and is_plain(judged):
        return []
    own, judged = ids(), pa.chunked_array([judged.unique()])
    unmatched = judged.filter(pc.invert(pc.is_in(judged, value_set=own.combine_chunks())))
    odd_own = own.filter(pc.match_substring_regex(own, r"[^\x21-\x7e]")).unique().to_pylist()
    cleaned_own = {cleaned_id(i): i for i in odd_own}
    odd_judged = unmatched.filter(pc.match_substring_regex(unmatched, r"[^\x21-\x7e]")).to_pylist()
    pairs = [(i, cleaned_id(i)) for i in odd_judged if cleaned_id(i) != i]
    plain = texts_of([clean for _, clean in pairs])
    there = pc.is_in(plain, value_set=own.combine_chunks()).to_pylist()
    found = [pair for pair, known in zip(pairs, there, strict=True) if known]
    found += [
        (i, cleaned_own[clean])
        for i in (unmatched.to_pylist() if cleaned_own else [])
        if (clean := cleaned_id(i)) in cleaned_own and cleaned_own[clean] != i
    ]
    return list(dict.fromkeys(found))
