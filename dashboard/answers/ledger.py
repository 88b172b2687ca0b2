"""One query's scores taken apart: the difference by document, what could still be gained, and what
kind of failure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.explaining.kinds import kinds
from metrics_core.explaining.ledger import DifferenceLedger, difference, has_ledger
from metrics_core.explaining.one_query import alone

_MOST_STEPS = 12
"""Bars of a ledger; of more documents those that bring least are one bar."""
_NOTHING = 1e-12


@dataclass(frozen=True)
class QueryLedger:
    """How a query's two scores come about.

    whole     every document with a part of either score: doc_id, grade, rank, baseline_rank (NaN:
              not listed), part
    steps     those with a part of the difference as bars, with `documents` (1, or how many are one
              bar); what is lost first where something is lost, else what is gained
    by        "terms", "shapley" or "order": how the parts were found; "" without a ledger
    ends      the baseline's score and that of the run in focus
    headroom  of the run in focus; None where a better order is not what raises the measure
    kind      of failure, a name of `KINDS`
    """

    whole: pd.DataFrame
    steps: pd.DataFrame
    by: str
    ends: tuple[float, float]
    headroom: Headroom | None
    kind: str


_COLUMNS = ("doc_id", "grade", "rank", "baseline_rank", "part")


def query_ledger(study: Study, shown: Comparison, query_id: str) -> QueryLedger | None:
    """The ledger of a query; None where nobody judged it."""
    if query_id not in study.query_ids:
        return None
    own, other = (alone(study.judged[name], query_id) for name in (shown.focus, shown.baseline))
    measure, cutoff = shown.measure, shown.cutoff
    if shown.alone:
        # Of one run the score itself is taken apart: against a list that holds nothing.
        other = other.without_documents()
    found = difference(own, other, measure) if has_ledger(measure) else None
    whole = _documents(study, found)
    if found is not None:
        before, after = float(found.baseline_score[0]), float(found.score[0])
        empty, by = float(found.empty[0]), str(found.by[0])
    else:
        before, after = (float(measure.score(ranks)[0]) for ranks in (other, own))
        empty, by = 0.0, ""
    room = headroom(own, measure, cutoff) if has_headroom(measure) else None
    return QueryLedger(
        whole=whole,
        steps=_steps(whole, empty, after - before),
        by=by,
        ends=(before, after),
        headroom=room,
        kind=str(kinds(own, measure, cutoff, room=room)[0]),
    )


def _documents(study: Study, found: DifferenceLedger | None) -> pd.DataFrame:
    if found is None:
        return pd.DataFrame(columns=list(_COLUMNS))
    doc_ids = study.qrels.doc_ids.take(pa.array(found.qrels_row)).to_pylist()
    columns = (doc_ids, found.grade, found.rank, found.baseline_rank, found.part)
    return pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True)))


def _steps(whole: pd.DataFrame, empty: float, total: float) -> pd.DataFrame:
    """The bars of a ledger: what speaks for the difference first, the largest first; then what it
    would be without any of the documents."""
    parts = whole[whole["part"].abs() > _NOTHING].assign(documents=1)
    if len(parts) > _MOST_STEPS:
        size = parts["part"].abs().rank(ascending=False, method="first")
        rest = parts[size >= _MOST_STEPS]
        words = f"{len(rest)} other documents"
        together = _bar(words, math.fsum(rest["part"]), len(rest))
        parts = pd.concat([parts[size < _MOST_STEPS], together], ignore_index=True)
    parts = parts.sort_values("part", ascending=total < 0, kind="stable", ignore_index=True)
    if abs(empty) > _NOTHING:
        without = _bar("without any relevant document", empty, 0)
        parts = pd.concat([parts, without], ignore_index=True)
    return parts


def _bar(words: str, part: float, documents: int) -> pd.DataFrame:
    """A bar of no single document."""
    row = {"doc_id": words, "grade": math.nan, "rank": math.nan, "baseline_rank": math.nan}
    return pd.DataFrame([{**row, "part": part, "documents": documents}])
