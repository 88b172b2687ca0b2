"""Scores of retrieval runs against relevance judgments, and conclusions from them.

    files ──► tables ──► judged ranks ──► per-query scores ──► aggregates, curves,
              Run        query, rank,     Scores: run ×        breakdowns, comparisons,
              Qrels      relevance of     query × measure      diagnoses, findings
              Queries    every judged
              Documents  retrieved doc

    >>> evaluate("bm25.run", "qrels.txt", ["nDCG@10"])  # doctest: +SKIP
    >>> compare(["bm25.run", "dense.run"], "qrels.txt", "nDCG@10")  # doctest: +SKIP

`breakdown`, `curves`, `all_pairs` and `explain` take runs and judgments in the same forms as
`evaluate`; `formats.in_memory` lists these. The packages are the stages: `formats` reads files,
`judging` joins runs with judgments, `measures` has one function per measure, `scoring`,
`comparing`, `slicing` and `explaining` analyse, and `findings` puts the results into sentences.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics_core.base.version import __version__ as __version__

if TYPE_CHECKING:  # `as` makes a name public for type checkers
    from metrics_core.base.errors import RanklensError as RanklensError
    from metrics_core.base.notes import Note as Note
    from metrics_core.formats import read as read
    from metrics_core.formats import read_documents as read_documents
    from metrics_core.formats import read_judged_ranks as read_judged_ranks
    from metrics_core.formats import read_qrels as read_qrels
    from metrics_core.formats import read_queries as read_queries
    from metrics_core.formats import read_run as read_run
    from metrics_core.formats import read_runs as read_runs
    from metrics_core.formats import read_set as read_set
    from metrics_core.formats import write as write
    from metrics_core.judging import JudgedRanks as JudgedRanks
    from metrics_core.judging import join_judgments as join_judgments
    from metrics_core.judging.ranking import ranked_documents as ranked_documents
    from metrics_core.measures import Measure as Measure
    from metrics_core.measures import declarations as declarations
    from metrics_core.measures import parse_measure as parse_measure
    from metrics_core.python_gate import gate as gate
    from metrics_core.python_interface import all_pairs as all_pairs
    from metrics_core.python_interface import breakdown as breakdown
    from metrics_core.python_interface import compare as compare
    from metrics_core.python_interface import compare_scores as compare_scores
    from metrics_core.python_interface import curves as curves
    from metrics_core.python_interface import explain as explain
    from metrics_core.scoring.evaluate import evaluate as evaluate
    from metrics_core.scoring.means import aggregate as aggregate
    from metrics_core.scoring.scores import Scores as Scores
    from metrics_core.tables import Documents as Documents
    from metrics_core.tables import Qrels as Qrels
    from metrics_core.tables import Queries as Queries
    from metrics_core.tables import Run as Run

_PLACES = {
    "base.errors": ("RanklensError",),
    "base.notes": ("Note",),
    "python_interface": (
        "all_pairs",
        "breakdown",
        "compare",
        "compare_scores",
        "curves",
        "explain",
    ),
    "formats": (
        "read",
        "read_documents",
        "read_judged_ranks",
        "read_qrels",
        "read_queries",
        "read_run",
        "read_runs",
        "read_set",
        "write",
    ),
    "python_gate": ("gate",),
    "judging": ("JudgedRanks", "join_judgments"),
    "judging.ranking": ("ranked_documents",),
    "measures": ("Measure", "declarations", "parse_measure"),
    "scoring.evaluate": ("evaluate",),
    "scoring.means": ("aggregate",),
    "scoring.scores": ("Scores",),
    "tables": ("Documents", "Qrels", "Queries", "Run"),
}

__all__ = sorted(name for names in _PLACES.values() for name in names)


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use, so that unused modules cost nothing."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"metrics_core.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
