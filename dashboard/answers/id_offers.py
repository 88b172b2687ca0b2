"""Files: ids that do not meet, the reading of them that would match, and what it would give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from dashboard.study.library import Library, id_maps
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.checks.id_mismatch import Mismatch, document_mismatches, query_mismatches
from metrics_core.tables import Run


@dataclass(frozen=True)
class IdOffer:
    """A reading of ids that would match far more: for which runs, as a sentence and three pairs of
    ids. `queries` and `docs` are how the collection would read its ids then."""

    text: str
    examples: str
    queries: str
    docs: str


def id_offers(library: Library) -> list[IdOffer]:
    """What may be offered; none where every id meets, or nothing would help."""
    study = library.study
    if study is None:
        return []
    refused = {
        f.table.name: f.table
        for f in library.files
        if isinstance(f.table, Run) and f.used and f.table.name in study.refused
    }
    found: dict[tuple[str, str], list[tuple[str, Mismatch]]] = {}
    for mismatches in (*study.kept(_mismatches), query_mismatches(refused, study.qrels)):
        for name, own in mismatches.items():
            found.setdefault((own.what, own.reading.name), []).append((name, own))
    settings = study.settings
    return [
        IdOffer(
            f"{w.named([name for name, _ in of])}: {of[0][1].text}.",
            f"For example {w.listing(of[0][1].examples)}.",
            _after(settings.map_queries, reading if what == "query" else ""),
            _after(settings.map_docs, reading if what == "document" else ""),
        )
        for (what, reading), of in found.items()
    ]


def maps_said(study: Study) -> str:
    """How ids are read, where that is not as they stand; else ""."""
    return id_maps(study.settings).said


def _after(now: str, more: str) -> str:
    """A map with another reading behind it; one of sides replaces what is there."""
    return ", ".join(filter(None, (now, more))) if ": " not in now + more else more or now


def _mismatches(study: Study) -> tuple[dict[str, Mismatch], dict[str, Mismatch]]:
    """Mismatches of the query ids and of the document ids, by run."""
    lists = {name: (study.judged[name], partial(_itself, run)) for name, run in study.runs.items()}
    return query_mismatches(study.runs, study.qrels), document_mismatches(lists, study.qrels)


def _itself(run: Run) -> Run:
    # A long run loads no more than the lists that are looked at.
    return run
