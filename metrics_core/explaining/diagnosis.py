"""Diagnose one query: the documents that its score comes from, and the causes of a lost score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats
from metrics_core.explaining.ledger import difference_ledger, has_ledger
from metrics_core.explaining.one_query import find_grades, select_query
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import ranked_documents
from metrics_core.measures import Measure
from metrics_core.scoring.residuals import Residual, residual
from metrics_core.tables import Qrels, Run
from metrics_core.tables.ranked_run import ranked_run_names

SQUARES = 20
"""The minimum number of ranks that a chart shows as single squares."""


@dataclass(frozen=True)
class Diagnosis:
    """Data about one query in several runs.

    grades     doc_id -> grade of every judged document of the query (negative: pooled, not
               judged)
    rankings   run -> the whole list, a frame with the columns rank, doc_id, score, grade
               (NaN: unjudged)
    nameless   runs loaded as judged ranks, in which the doc_id of unjudged documents is None
    standings  one row per run, best score first. Columns: run, score, difference (from the
               baseline, NaN in the row of the baseline), first_relevant (rank, NaN if none),
               relevant_in_top, listed, lowest and highest (the score's bounds over the unjudged
               documents; NaN if nothing is known beyond the measure's range)
    missed     relevant documents missing from the top `cutoff` of the baseline or of the run in
               focus, best grade first. Columns: doc_id, grade and for each run "rank: name"
               (NaN: not listed)
    effects    doc_id -> the document's contribution to the difference between the run in focus
               and the baseline, for relevant documents with different ranks

    If `has_judgments` is False, there are only the lists: every grade and score is NaN.
    """

    query_id: str
    measure: str
    cutoff: int
    baseline: str
    focus: str
    grades: Mapping[str, float]
    rankings: Mapping[str, pd.DataFrame]
    standings: pd.DataFrame
    missed: pd.DataFrame
    condensed_difference: float
    is_judged: bool
    effects: Mapping[str, float] = field(default_factory=dict)
    relevant_from: float = 1.0
    residual_is_exact: bool = True
    nameless: frozenset[str] = frozenset()
    has_judgments: bool = True

    @property
    def n_relevant(self) -> int:
        """The number of documents that count as relevant for the measure."""
        return sum(grade >= self.relevant_from for grade in self.grades.values())

    @property
    def n_judged(self) -> int:
        """The number of judged documents. Documents with negative grades are pooled but not
        judged."""
        return sum(grade >= 0 for grade in self.grades.values())

    def score(self, run: str) -> float:
        """Return the run's score on this query."""
        index = self.standings["run"].tolist().index(run)
        return float(self.standings["score"].iloc[index])

    def ranks(self, run: str) -> dict[str, int]:
        """Return the rank of each document in the run's whole list, by doc_id."""
        named_rows = self.rankings[run].dropna(subset=["doc_id"])
        return dict(zip(named_rows["doc_id"].tolist(), named_rows["rank"].tolist(), strict=True))

    def length(self, run: str) -> int:
        """Return the number of ranks in the run's list, including ranks without a document."""
        ranking = self.rankings[run]
        return int(ranking["rank"].iloc[-1]) if len(ranking) else 0

    def grades_by_rank(self, run: str, ranks: int = SQUARES) -> list[tuple[str, float | None]]:
        """Return the doc_id and the grade at each of the first ranks.

        The doc_id is "" if it is unknown. The grade is NaN for an unjudged document, and None for a
        rank without a document."""
        first = self.rankings[run].head(ranks)
        first = first[first["rank"] <= ranks]
        cells = zip(first["doc_id"].fillna("").tolist(), first["grade"].tolist(), strict=True)
        squares: list[tuple[str, float | None]] = [("", None)] * ranks
        for rank, square in zip(first["rank"].tolist(), cells, strict=True):
            squares[rank - 1] = square
        return squares

    def align_rankings(
        self, run: str, other_run: str, n_rows: int, n_moved: int = 0
    ) -> list[dict[str, Any]]:
        """Return the run's first `n_rows` documents with three additional columns.

        They are followed by at most `n_moved` relevant documents that are further down in this list
        and among the first `n_rows` of the run `other_run`; those with the highest grades are
        chosen. `other_rank` is the rank in the list of the run `other_run` (NaN: not listed), and
        `other_known` is whether this rank is known. `relevant` is whether the document is relevant
        according to the measure."""
        ranking = self.rankings[run]
        doc_ids = ranking["doc_id"]
        ranking = ranking.assign(
            other_rank=doc_ids.map(self.ranks(other_run)).astype(float),
            other_known=doc_ids.isin(self.grades)
            if other_run in self.nameless
            else doc_ids.notna(),
            relevant=ranking["grade"] >= self.relevant_from,
        )
        is_first = ranking["rank"] <= n_rows
        moved = ranking[~is_first & ranking["relevant"] & (ranking["other_rank"] <= n_rows)]
        rows: list[dict[str, Any]] = pd.concat(
            [ranking[is_first], moved.nlargest(n_moved, "grade")]
        ).to_dict("records")
        return rows


def diagnose(
    runs: Sequence[Run],
    judged: Sequence[JudgedRanks],
    qrels: Qrels,
    query_id: str,
    measure: Measure,
    *,
    baseline: str,
    focus: str,
    cutoff: int,
) -> Diagnosis:
    """Compute all data that the page of a query shows.

    `runs` and `judged` are in the same order. `cutoff` is the number of top results to examine,
    regardless of the cutoff of the measure."""
    grades = find_grades(qrels, query_id)
    rankings = {run.name: _add_grades(ranked_documents(run, query_id), grades) for run in runs}
    query_ranks = {r.run_name: select_query(r, query_id) for r in judged}
    scores = {name: _single_value(measure.score(ranks)) for name, ranks in query_ranks.items()}
    condensed = {
        name: _single_value(measure.score(ranks.condensed())) for name, ranks in query_ranks.items()
    }
    residuals = {name: _find_score_bounds(ranks, measure) for name, ranks in query_ranks.items()}
    least = measure.relevant_from
    standings = pd.DataFrame(
        [
            _summarise_run(rankings[name], scores, name, baseline, cutoff, least)
            | {
                "lowest": _single_value(residuals[name].low),
                "highest": _single_value(residuals[name].high),
            }
            for name in rankings
        ]
    ).sort_values("score", ascending=False, kind="stable", ignore_index=True)
    return Diagnosis(
        query_id=query_id,
        measure=str(measure),
        cutoff=cutoff,
        baseline=baseline,
        focus=focus,
        grades=grades,
        rankings=rankings,
        standings=standings,
        missed=_find_missed_documents(grades, rankings, {baseline, focus}, cutoff, least),
        condensed_difference=condensed[focus] - condensed[baseline],
        is_judged=bool(grades),
        residual_is_exact=residuals[focus].exact,
        effects=_find_effects(query_ranks[focus], query_ranks[baseline], qrels, measure),
        relevant_from=least,
        nameless=frozenset(ranked_run_names(runs)),
    )


def diagnose_unjudged_query(
    runs: Sequence[Run], query_id: str, baseline: str, focus: str, cutoff: int
) -> Diagnosis:
    """Return the diagnosis of a query without judgments. It contains only the lists of the runs."""
    rankings = {run.name: _add_grades(ranked_documents(run, query_id), {}) for run in runs}
    scores = dict.fromkeys(rankings, np.nan)
    rows = [
        _summarise_run(rankings[name], scores, name, baseline, cutoff, np.inf) for name in rankings
    ]
    return Diagnosis(
        query_id=query_id,
        measure="",
        cutoff=cutoff,
        baseline=baseline,
        focus=focus,
        grades={},
        rankings=rankings,
        standings=pd.DataFrame(rows),
        missed=_find_missed_documents({}, rankings, {baseline, focus}, cutoff, np.inf),
        condensed_difference=np.nan,
        is_judged=False,
        has_judgments=False,
    )


def _single_value(values: Floats) -> float:
    """Return the value of the single query in `values`; NaN if the query is not judged."""
    return float(values[0]) if len(values) else float("nan")


def _find_effects(
    focus: JudgedRanks, baseline: JudgedRanks, qrels: Qrels, measure: Measure
) -> dict[str, float]:
    """Return the contribution of each document to the difference between the two runs.

    The result is empty for measures whose scores cannot be explained by ranks and grades, for
    example measures that count judged documents."""
    if not has_ledger(measure) or measure.declaration.residual in ("unaffected", "count"):
        return {}
    parts = difference_ledger(focus, baseline, measure)
    is_effect = parts.rank_differs & (parts.grade >= measure.relevant_from)
    doc_ids = qrels.doc_ids.take(pa.array(parts.qrels_row[is_effect])).to_pylist()
    return dict(zip(doc_ids, parts.part[is_effect].tolist(), strict=True))


def _find_score_bounds(ranks: JudgedRanks, measure: Measure) -> Residual:
    """Return the lowest and highest score over all grades that the unjudged documents could have.
    Both are NaN if they are no narrower than the range of the measure, because nothing is known
    then."""
    bounds = residual(ranks, measure)
    nothing_known = (bounds.low <= measure.declaration.range[0]) & (
        bounds.high >= measure.declaration.range[1]
    )
    return replace(
        bounds,
        low=np.where(nothing_known & (bounds.low < bounds.high), np.nan, bounds.low),
        high=np.where(nothing_known & (bounds.low < bounds.high), np.nan, bounds.high),
    )


def _add_grades(ranking: pd.DataFrame, grades: Mapping[str, float]) -> pd.DataFrame:
    text = pa.large_string()
    listed, judged = pa.array(ranking["doc_id"], text), pa.array(list(grades), text)
    index = pc.index_in(listed, judged, skip_nulls=True).fill_null(len(grades))
    grade = np.array([*grades.values(), np.nan])[index.to_numpy()]
    return ranking.assign(grade=np.where(grade >= 0, grade, np.nan))


def _summarise_run(
    ranking: pd.DataFrame,
    scores: Mapping[str, float],
    name: str,
    baseline: str,
    cutoff: int,
    lowest_relevant_grade: float,
) -> dict[str, object]:
    relevant = ranking.loc[ranking["grade"] >= lowest_relevant_grade, "rank"]
    return {
        "run": name,
        "score": scores[name],
        "difference": np.nan if name == baseline else scores[name] - scores[baseline],
        "first_relevant": float(relevant.min()) if len(relevant) else np.nan,
        "relevant_in_top": int((relevant <= cutoff).sum()),
        "listed": len(ranking),
    }


def _find_missed_documents(
    grades: Mapping[str, float],
    rankings: Mapping[str, pd.DataFrame],
    pair: set[str],
    cutoff: int,
    lowest_relevant_grade: float,
) -> pd.DataFrame:
    relevant = [doc_id for doc_id, grade in grades.items() if grade >= lowest_relevant_grade]
    columns: dict[str, Any] = {"doc_id": relevant, "grade": [grades[d] for d in relevant]}
    for name, ranking in rankings.items():
        rows = np.flatnonzero(ranking["grade"].to_numpy() >= lowest_relevant_grade)
        doc_ids = ranking["doc_id"].array.take(rows).tolist()
        ranks = dict(zip(doc_ids, ranking["rank"].to_numpy()[rows].tolist(), strict=True))
        columns[f"rank: {name}"] = np.array([ranks.get(d, np.nan) for d in relevant], np.float64)
    frame = pd.DataFrame(columns)
    is_missed = np.logical_or.reduce([~(frame[f"rank: {side}"] <= cutoff) for side in sorted(pair)])
    frame = frame[is_missed]
    best = frame[[f"rank: {name}" for name in rankings]].min(axis=1)
    order = frame.assign(_best=best).sort_values(
        ["grade", "_best", "doc_id"], ascending=[False, True, True], na_position="last"
    )
    return order.drop(columns="_best").reset_index(drop=True)
