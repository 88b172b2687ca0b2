"""Measures that treat each subtopic as a separate query and average over subtopics, and subtopic
recall. The module `diversity` explains which subtopics count."""

from __future__ import annotations

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import expand_per_query, ratio
from metrics_core.measures.declaring.parameters import Rel, TopK
from metrics_core.measures.declaring.registry import measure
from metrics_core.measures.diversity import NEEDS, UNJUDGED, require_subtopics


@measure(
    "AP_IA",
    aliases=("MAP_IA", "MAP-IA", "intent-aware average precision"),
    title="Intent-aware average precision",
    gloss="AP of each subtopic, averaged",
    ir_measures=True,
    formula=r"\frac{1}{S}\sum_s AP_s",
    reference="Agrawal et al., Diversifying search results, WSDM 2009; as ndeval computes it",
    worked={
        "AP_IA": "((1/2 + 2/4) / 3 + (1/2 + 2/6) / 2 + 1/6) / 3",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def ap_ia(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Average precision for each subtopic as if it were a separate query, averaged over the
    subtopics that have a relevant document."""
    judgments = require_subtopics(ranks)
    coverage = judgments.coverage(rel)
    total = coverage.hits.total(coverage.repeat / coverage.hits.rank / coverage.n_relevant)
    return ratio(total, judgments.n_subtopics(rel))


@measure(
    "P_IA",
    aliases=("P-IA", "intent-aware precision"),
    title="Intent-aware precision",
    gloss="top {k} relevant, by subtopic",
    ir_measures=True,
    formula=r"\frac{1}{S}\sum_s P_s@k",
    reference="Agrawal et al., Diversifying search results, WSDM 2009; as ndeval computes it",
    worked={
        "P_IA@5": "(2/5 + 1/5 + 0) / 3",
        "P_IA(rel=2)@10": "(1/10 + 1/10) / 2",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def p_ia(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> Floats:
    """Share of the first k results that are relevant to a subtopic, averaged over the subtopics
    that have a relevant document."""
    judgments = require_subtopics(ranks)
    divisor = cutoff * expand_per_query(judgments.n_subtopics(rel), cutoff)
    return ratio(judgments.coverage(rel).hits.count(cutoff), divisor)


@measure(
    "StRecall",
    aliases=("STREC", "subtopic recall", "S-recall"),
    title="Subtopic recall",
    gloss="subtopics covered by top {k}",
    ir_measures=True,
    formula=r"\frac{|\bigcup_{i \le k} subtopics(i)|}{S}",
    reference="Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003",
    worked={
        "StRecall@5": "2 / 3",
        "StRecall": "3 / 3",
        "StRecall(rel=2)@5": "1 / 2",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def subtopic_recall(ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1) -> Floats:
    """Share of the query's subtopics with a relevant document among the first k results."""
    judgments = require_subtopics(ranks)
    coverage = judgments.coverage(rel)
    first = coverage.hits.select(coverage.repeat == 1)
    return ratio(first.count(cutoff), expand_per_query(judgments.n_subtopics(rel), cutoff))
