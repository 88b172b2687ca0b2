"""Scores of retrieval runs against relevance judgments, and what they mean.

    files ──► tables ──► judged ranks ──► per-query scores ──► aggregates, curves,
              Run        query, rank,     Scores: run ×        breakdowns, comparisons,
              Qrels      relevance of     query × measure      diagnoses, findings
              Queries    every judged
              Documents  retrieved doc

    >>> evaluate("bm25.run", "qrels.txt", ["nDCG@10"])  # doctest: +SKIP

The packages are the stages: `formats` read, `judging` joins, a measure is one function in
`measures`, `scoring`, `comparing`, `slicing`, `explaining`, and `findings` say it in a sentence.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metrics_core.comparing.curves import mean_curves
    from metrics_core.comparing.pairs import compare, differences
    from metrics_core.errors import RanklensError
    from metrics_core.explaining.diagnosis import diagnose
    from metrics_core.formats import (
        read,
        read_documents,
        read_judged_ranks,
        read_qrels,
        read_queries,
        read_run,
        read_set,
        write,
    )
    from metrics_core.judging import JudgedRanks, judge
    from metrics_core.judging.ranking import ranked_documents
    from metrics_core.measures import Measure, declarations, parse_measure
    from metrics_core.notes import Note
    from metrics_core.scoring.curves import curve, precision_recall
    from metrics_core.scoring.evaluate import evaluate
    from metrics_core.scoring.intervals import mean_interval
    from metrics_core.scoring.means import aggregate
    from metrics_core.scoring.scores import Scores
    from metrics_core.slicing.breakdowns import breakdown
    from metrics_core.slicing.crossed import cross_breakdown
    from metrics_core.tables import Documents, Qrels, Queries, Run

__version__ = "0.1.0"

__all__ = [
    "Documents",
    "JudgedRanks",
    "Measure",
    "Note",
    "Qrels",
    "Queries",
    "RanklensError",
    "Run",
    "Scores",
    "aggregate",
    "breakdown",
    "compare",
    "cross_breakdown",
    "curve",
    "declarations",
    "diagnose",
    "differences",
    "evaluate",
    "judge",
    "mean_curves",
    "mean_interval",
    "parse_measure",
    "precision_recall",
    "ranked_documents",
    "read",
    "read_documents",
    "read_judged_ranks",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_set",
    "write",
]

_PLACES = {
    "comparing.curves": ("mean_curves",),
    "comparing.pairs": ("compare", "differences"),
    "errors": ("RanklensError",),
    "explaining.diagnosis": ("diagnose",),
    "formats": (
        "read",
        "read_documents",
        "read_judged_ranks",
        "read_qrels",
        "read_queries",
        "read_run",
        "read_set",
        "write",
    ),
    "judging": ("JudgedRanks", "judge"),
    "judging.ranking": ("ranked_documents",),
    "measures": ("Measure", "declarations", "parse_measure"),
    "notes": ("Note",),
    "scoring.curves": ("curve", "precision_recall"),
    "scoring.evaluate": ("evaluate",),
    "scoring.intervals": ("mean_interval",),
    "scoring.means": ("aggregate",),
    "scoring.scores": ("Scores",),
    "slicing.breakdowns": ("breakdown",),
    "slicing.crossed": ("cross_breakdown",),
    "tables": ("Documents", "Qrels", "Queries", "Run"),
}


def __getattr__(name: str) -> Any:
    """What is asked for, from its module: loaded then, so that nobody waits for what they do not
    use."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"metrics_core.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
