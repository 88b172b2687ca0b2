"""Measures of the context that retrieval passes to a language model, computed from judgments of
documents."""

from __future__ import annotations

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.parameters import Rel, TopK
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.precision_recall import (
    average_precision,
    precision_weights,
    recall,
    relevant_weights,
)


@measure(
    "ContextPrecision",
    aliases=("context precision",),
    title="Context precision",
    gloss="relevant context comes first",
    elsewhere={"ragas": "context_precision, with judgments in place of the model's verdicts"},
    formula=r"\frac{\sum_{i \le k} [rel_i \ge rel]\, P@i}{\sum_{i \le k} [rel_i \ge rel]}",
    reference="Es et al., Ragas: automated evaluation of retrieval augmented generation, EACL 2024,"
    " and the Ragas documentation of context precision",
    worked={
        "ContextPrecision@5": "(1 / 2 + 2 / 4) / 2",
        "ContextPrecision": "(1 / 2 + 2 / 4 + 3 / 6) / 3",
    },
    ideal=1.0,
)
def context_precision(ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1) -> Floats:
    """How high the relevant documents are ranked in the context: precision at the rank of each
    relevant result, averaged over the relevant results in the context. This is AP divided by the
    number of relevant documents retrieved, so documents that were not retrieved have no effect."""
    return average_precision(ranks, cutoff=cutoff, rel=rel, denominator="retrieved")


@measure(
    "ContextRecall",
    aliases=("context recall",),
    title="Context recall",
    gloss="share of needed context found",
    elsewhere={"ragas": "id_based_context_recall"},
    formula=r"\frac{\sum_{i \le k} [rel_i \ge rel]}{R}",
    reference="Ragas documentation, ID-based context recall",
    worked={
        "ContextRecall@5": "2 / 4",
        "ContextRecall(rel=2)@5": "1 / 2",
    },
    residual="recall",
)
def context_recall(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> Floats:
    """Share of the documents needed for the answer that are in the context. This is the recall of
    the first k results, based on judgments instead of the claims of a reference answer."""
    return recall(ranks, cutoff=cutoff, rel=rel)


weights("ContextPrecision")(precision_weights)
weights("ContextRecall")(relevant_weights)
