"""Interpolated precision: the best precision at or beyond a recall level."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.other_packages import Difference, InTrecEval
from metrics_core.measures.declaring.parameters import Bounds, Numbers, Rel, Samples, Share
from metrics_core.measures.declaring.registry import measure

ELEVEN = tuple(level / 10 for level in range(11))
"""The eleven recall levels in use since TREC-1."""

Level = Annotated[
    Share,
    "share of the relevant documents that must be found",
    Samples(0.5, 0.0, 0.1, 0.3, 0.55, 1.0),
]
Levels = Annotated[
    Numbers,
    Bounds(0, 1),
    "the recall levels to average over",
    Samples(ELEVEN, (0.2, 0.5, 0.8)),
]
Rounding = Annotated[
    Literal["nearest", "up"],
    "rounding of a recall level to whole documents: nearest (as in trec_eval 10), or"
    " up if the fraction is at least .1 (as in trec_eval 9)",
]


def count_documents_at_recall(recall: Floats, n_relevant: Ints, rounding: Rounding) -> Ints:
    """Return the number of relevant documents that each recall level requires, int64[query, level].

    `recall` is float64[level], `n_relevant` is int64[query]."""
    share = recall[None, :] * n_relevant[:, None]
    if rounding == "up":
        return np.trunc(share + 0.9).astype(np.int64)
    # Adding one half first would round 0.49999999999999994 up; C's lround does not.
    below = np.floor(share)
    return (below + (share - below >= 0.5)).astype(np.int64)


def interpolate_precision(
    ranks: JudgedRanks, recall: npt.ArrayLike, *, rel: int = 1, rounding: Rounding = "nearest"
) -> Floats:
    """Return the highest precision at or beyond each recall level, float64[query, level]. It is 0
    at levels that the run does not reach."""
    hits = ranks.relevant(rel)
    levels = np.asarray(recall, dtype=np.float64)
    needed = np.maximum(count_documents_at_recall(levels, ranks.n_relevant(rel), rounding), 1)
    edges = np.searchsorted(hits.query, np.arange(ranks.n_queries + 1))
    first, end = edges[:-1, None] + needed - 1, np.broadcast_to(edges[1:, None], needed.shape)
    reached = first < end
    scores = np.zeros(needed.shape)
    if reached.any():
        # The last slice may end after the last hit, an index that reduceat rejects.
        precision = np.append(hits.ordinals() / hits.rank, 0.0)
        slices = np.stack([first[reached], end[reached]], axis=1).ravel()
        scores[reached] = np.maximum.reduceat(precision, slices)[::2]
    return scores


@measure(
    "IPrec",
    aliases=("interpolated precision",),
    title="Interpolated precision",
    gloss="precision from a recall level on",
    trec_eval=InTrecEval("iprec_at_recall_{recall}", ELEVEN),
    # ir_measures runs trec_eval 9.0.8, which rounds a share of documents up from a tenth.
    ir_measures={"rounding": "up"},
    formula=r"\max_{j \ge c} \frac{j}{i_j},\quad c = \mathrm{round}(recall \cdot R)",
    reference="Salton and McGill, Introduction to Modern Information Retrieval, 1983; trec_eval,"
    " m_iprec_at_recall.c",
    worked={
        "IPrec@0.5": "3 / 6",
        "IPrec@1.0": "0",
        "IPrec@0.6": "3 / 6",
        "IPrec(rounding='up')@0.8": "0",
        "IPrec(rel=2)@1.0": "2 / 6",
    },
    at="recall",
    ideal=1.0,
    residual="normalised",
    differences=Difference(
        "pytrec_eval",
        "A recall level may require one document fewer than in pytrec_eval.",
        "Since version 10.0, trec_eval rounds r·R to the nearest whole number. Version 9.0.8, which"
        " pytrec_eval and ir_measures run, took the integer part of r·R + 0.9. Ranklens follows"
        " 9.0.8 with rounding='up' and in its provider for ir_measures.",
    ),
)
def interpolated_precision(
    ranks: JudgedRanks, *, recall: Level, rel: Rel = 1, rounding: Rounding = "nearest"
) -> Floats:
    """Highest precision at any rank at which at least this share of the relevant documents is
    found; 0 if the results never reach it. In trec_eval 10, the share is rounded to the nearest
    whole document. trec_eval 9, and thus ir_measures, rounds up if the fractional part is at
    least 0.1."""
    return interpolate_precision(ranks, [recall], rel=rel, rounding=rounding)[:, 0]


@measure(
    "IPrecAvg",
    aliases=("11-pt avg", "eleven point average precision"),
    title="Eleven-point average",
    gloss="precision over recall levels",
    trec_eval=InTrecEval("11pt_avg", ELEVEN, takes="numbers"),
    formula=r"\frac{1}{|L|}\sum_{recall \in L} IPrec@recall",
    reference="Salton and McGill, Introduction to Modern Information Retrieval, 1983; trec_eval,"
    " m_11pt_avg.c",
    worked={
        "IPrecAvg": "(9 * (1 / 2)) / 11",
        "IPrecAvg(points=[0.2,0.5,0.8])": "(1 / 2 + 1 / 2 + 1 / 2) / 3",
    },
    ideal=1.0,
    residual="normalised",
)
def interpolated_average(
    ranks: JudgedRanks, *, rel: Rel = 1, rounding: Rounding = "nearest", points: Levels = ELEVEN
) -> Floats:
    """Interpolated precision averaged over the recall levels 0, 0.1, … 1, or over other levels.
    An old estimate of the area under the curve of precision against recall."""
    values = interpolate_precision(ranks, points, rel=rel, rounding=rounding)
    # From the highest level down, as trec_eval adds them.
    return np.cumsum(values[:, ::-1], axis=1)[:, -1] / len(points)
