"""Files: ids that do not meet, the reading of them that would match, and what it would give."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.study.library import Library, id_maps
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.checks.id_mismatch import Mismatch, document_mismatch, query_mismatch
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
    for name, run in {**study.runs, **refused}.items():
        own_ones = study.kept(_mismatches, name) if name in study.runs else _of_refused(study, run)
        for own in own_ones:
            found.setdefault((own.what, own.reading.name), []).append((name, own))
    settings = study.settings
    return [
        IdOffer(
            f"{w.named([name for name, _ in of])}: {of[0][1].text}.",
            f"Such as {w.listing(of[0][1].examples)}.",
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


def _mismatches(study: Study, name: str) -> tuple[Mismatch, ...]:
    run = study.runs[name]
    found = query_mismatch(run, study.qrels), document_mismatch(run, study.qrels)
    return tuple(own for own in found if own is not None)


def _of_refused(study: Study, run: Run) -> tuple[Mismatch, ...]:
    found = query_mismatch(run, study.qrels)
    return (found,) if found else ()
