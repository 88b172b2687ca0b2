"""Scores of retrieval runs against relevance judgments, and conclusions from them.

    files ──► tables ──► judged ranks ──► per-query scores ──► aggregates, curves,
              Run        query, rank,     Scores: run ×        breakdowns, comparisons,
              Qrels      relevance of     query × measure      diagnoses, findings
              Queries    every judged
              Documents  retrieved doc

    >>> evaluate("bm25.run", "qrels.txt", ["nDCG@10"])  # doctest: +SKIP
    >>> compare(["bm25.run", "dense.run"], "qrels.txt", "nDCG@10")  # doctest: +SKIP

    >>> precision_at_k(["a", "b", "c"], {"a", "c"}, 2)
    0.5

`breakdown`, `curves`, `all_pairs` and `explain` take runs and judgments in the same forms as
`evaluate`, which `formats.in_memory` lists. The packages are the stages: `formats` reads files,
`judging` joins runs with judgments, `measures` has one function per measure, `scoring`,
`comparing`, `slicing` and `explaining` analyse, and `findings` puts the results into sentences."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics_core.base.version import __version__ as __version__

if TYPE_CHECKING:  # `as` makes a name public for type checkers
    from metrics_core.base.errors import RanklensError as RanklensError  # noqa: I001
    from metrics_core.base.notes import Note as Note
    from metrics_core.formats import (
        read as read,
        read_documents as read_documents,
        read_judged_ranks as read_judged_ranks,
        read_qrels as read_qrels,
        read_queries as read_queries,
        read_run as read_run,
        read_runs as read_runs,
        read_scores as read_scores,
        read_set as read_set,
        write as write,
    )
    from metrics_core.judging import JudgedRanks as JudgedRanks, join_judgments as join_judgments
    from metrics_core.judging.ranking import ranked_documents as ranked_documents
    from metrics_core.lists import *  # noqa: F403
    from metrics_core.measures import (
        Measure as Measure,
        declarations as declarations,
        parse_measure as parse_measure,
    )
    from metrics_core.python_gate import gate as gate
    from metrics_core.python_gate import gate_scores as gate_scores
    from metrics_core.python_interface import (
        all_pairs as all_pairs,
        breakdown as breakdown,
        compare as compare,
        compare_scores as compare_scores,
        curves as curves,
        explain as explain,
    )
    from metrics_core.python_lists import list_changes as list_changes
    from metrics_core.scoring.evaluate import evaluate as evaluate
    from metrics_core.scoring.means import aggregate as aggregate
    from metrics_core.scoring.scores import Scores as Scores
    from metrics_core.tables import (
        Documents as Documents,
        Qrels as Qrels,
        Queries as Queries,
        Run as Run,
    )

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
        "read_scores",
        "read_set",
        "write",
    ),
    "python_gate": ("gate", "gate_scores"),
    "python_lists": ("list_changes",),
    "judging": ("JudgedRanks", "join_judgments"),
    "judging.ranking": ("ranked_documents",),
    "lists": (
        "arhr",
        "auc",
        "average_precision",
        "cg_at_k",
        "dcg_at_k",
        "graded_list",
        "hit_rate",
        "judged_list",
        "mean_scores",
        "money_precision_at_k",
        "money_recall_at_k",
        "ndcg_at_k",
        "precision",
        "precision_at_k",
        "r_precision",
        "recall",
        "recall_at_k",
        "reciprocal_rank",
        "score_list",
        "set_f",
        "success_at_k",
    ),
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
    return [*__all__, "__version__"]
