"""The Files page: ids that do not match, and the mapping that would make them match."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from dashboard.study.library import Library, id_maps
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.checks.id_mismatch import (
    Mismatch,
    find_document_mismatches,
    find_query_mismatches,
)
from metrics_core.tables import Run


@dataclass(frozen=True)
class IdOffer:
    """An id mapping that is offered because far more ids would match with it. `text` names the runs
    and the mapping; `examples` gives up to three pairs of ids that match only with the mapping.
    `queries` and `docs` are the collection's id maps after the mapping is added."""

    text: str
    examples: str
    queries: str
    docs: str


def find_offered_id_maps(library: Library) -> list[IdOffer]:
    """Return the id mappings to offer to the user. The result is empty if all ids match or no
    mapping helps."""
    study = library.study
    if study is None or study.is_unjudged:
        return []
    refused = {
        f.table.name: f.table
        for f in library.files
        if isinstance(f.table, Run) and f.used and f.table.name in study.refused
    }
    grouped: dict[tuple[str, str], list[tuple[str, Mismatch]]] = {}
    for mismatches in (
        *study.cached_answer(_find_id_mismatches),
        find_query_mismatches(refused, study.qrels),
    ):
        for name, mismatch in mismatches.items():
            grouped.setdefault((mismatch.what, mismatch.reading.name), []).append((name, mismatch))
    settings = study.settings
    return [
        IdOffer(
            f"{w.shorten_list([name for name, _ in members])}: {members[0][1].text}.",
            f"For example {w.join_words(members[0][1].examples)}.",
            _append_id_map(settings.map_queries, reading if id_kind == "query" else ""),
            _append_id_map(settings.map_docs, reading if id_kind == "document" else ""),
        )
        for (id_kind, reading), members in grouped.items()
    ]


def id_maps_sentence(study: Study) -> str:
    """Return a sentence that describes the id maps in use, "" if there are none."""
    return id_maps(study.settings).description


def _append_id_map(current_map: str, new_map: str) -> str:
    """Append a mapping to an id map. An id map with ": " maps the ids of runs and the ids of
    judgments differently. If either argument contains ": ", the new mapping replaces the id map."""
    return (
        ", ".join(filter(None, (current_map, new_map)))
        if ": " not in current_map + new_map
        else new_map or current_map
    )


def _find_id_mismatches(study: Study) -> tuple[dict[str, Mismatch], dict[str, Mismatch]]:
    """Find the mismatches of query ids and of document ids. Both results are keyed by run."""
    lists = {
        name: (study.judged[name], partial(_load_run, run)) for name, run in study.runs.items()
    }
    return find_query_mismatches(study.runs, study.qrels), find_document_mismatches(
        lists, study.qrels
    )


def _load_run(run: Run) -> Run:
    # A long run loads only the lists that are inspected.
    return run
