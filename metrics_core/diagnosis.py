"""One query: where its score comes from, and where it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metrics_core.judging import JudgedRanks, single_query
from metrics_core.measures import Measure
from metrics_core.ranking import ranked_documents
from metrics_core.tables import Qrels, Run

SQUARES = 20
"""Ranks that are drawn as squares, one by one, at least."""


@dataclass(frozen=True)
class Diagnosis:
    """What is known of one query in several runs.

    grades     doc_id -> grade of every judged document of the query (negative: pooled, unjudged)
    rankings   run -> frame rank, doc_id, score, grade (NaN: nobody judged it), the whole list
    standings  a row a run, best score first: run, score, difference (to the baseline, NaN in its
               own row), first_relevant (rank, NaN if none), relevant_in_top, listed
    missed     relevant documents that the top `cutoff` of the baseline or of the run in focus
               lacks, best grade first: doc_id, grade and for each run a column "rank: name" (NaN:
               not listed)
    effects    doc_id -> what its place in the run in focus, instead of its place in the baseline,
               changes of the score of the run in focus; relevant documents that changed place
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

    @property
    def n_relevant(self) -> int:
        """Number of judged documents that the measure takes as relevant."""
        return sum(grade >= self.relevant_from for grade in self.grades.values())

    @property
    def n_judged(self) -> int:
        """Number of judged documents (negative grades are not judgments)."""
        return sum(grade >= 0 for grade in self.grades.values())

    def score(self, run: str) -> float:
        """The run's score on this query."""
        return float(self.standings.set_index("run").loc[run, "score"])

    def ranks(self, run: str) -> dict[str, int]:
        """doc_id -> rank in the run's whole list."""
        frame = self.rankings[run]
        return dict(zip(frame["doc_id"], frame["rank"].astype(int), strict=True))

    def squares(self, run: str, depth: int = SQUARES) -> list[float | None]:
        """The grade at each of the first ranks: NaN where nobody judged the document, None beyond
        the end of the list."""
        grades = [float(g) for g in self.rankings[run]["grade"].head(depth)]
        return [*grades, *[None] * (depth - len(grades))]

    def side_by_side(self, run: str, other: str) -> pd.DataFrame:
        """The run's first `cutoff` rows with `other_rank`, the rank in the other run's whole list
        (NaN: not listed there)."""
        frame = self.rankings[run].head(self.cutoff).copy()
        frame["other_rank"] = frame["doc_id"].map(self.ranks(other)).astype(float)
        return frame


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
    """Everything the page of one query shows. `runs` and `judged` go together by position;
    `cutoff` is the number of results that are looked at, whatever the measure's own."""
    grades = _grades(qrels, query_id)
    rankings = {run.name: _with_grades(ranked_documents(run, query_id), grades) for run in runs}
    scores = {r.run_name: _score(r, measure, query_id) for r in judged}
    condensed = {r.run_name: _score(r, measure, query_id, condensed=True) for r in judged}
    least = _relevant_from(measure)
    standings = pd.DataFrame(
        [_standing(name, rankings[name], scores, baseline, cutoff, least) for name in rankings]
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
        missed=_missed(grades, rankings, {baseline, focus}, cutoff, least),
        condensed_difference=condensed[focus] - condensed[baseline],
        is_judged=bool(grades),
        effects=_effects(grades, rankings[baseline], rankings[focus], measure, least),
        relevant_from=least,
    )


def _relevant_from(measure: Measure) -> float:
    """The lowest grade that counts: the measure's own threshold, or any grade above 0 where every
    grade has its worth."""
    values = dict(measure.values)
    return float(values["rel"]) if "rel" in values else float(np.nextafter(0, 1))


def _effects(
    grades: Mapping[str, float],
    before: pd.DataFrame,
    after: pd.DataFrame,
    measure: Measure,
    least: float,
) -> dict[str, float]:
    """What the score would lose or gain if each relevant document alone stood where it was; empty
    where grades alone make no score."""
    if measure.declaration.needs:
        return {}
    old = dict(zip(before["doc_id"], before["rank"], strict=True))
    new = dict(zip(after["doc_id"], after["rank"], strict=True))
    places = {d: int(new[d]) for d, g in grades.items() if d in new and g >= 0}

    def score(at: Mapping[str, int]) -> float:
        ordered = sorted((rank, grades[d]) for d, rank in at.items())
        return float(measure.score(single_query(ordered, grades.values(), len(after)))[0])

    own = score(places)
    moved = [d for d, g in grades.items() if g >= least and old.get(d) != new.get(d)]
    effects = {}
    for doc_id in moved:
        back = {d: rank for d, rank in places.items() if d != doc_id}
        if doc_id in old:
            back[doc_id] = int(old[doc_id])
        effects[doc_id] = own - score(back)
    return effects


def _grades(qrels: Qrels, query_id: str) -> dict[str, float]:
    known = qrels.query_ids
    if query_id not in known:
        return {}
    rows = np.flatnonzero(qrels.query_codes == known.index(query_id))
    doc_ids = qrels.doc_ids.take(rows).to_pylist()
    return dict(zip(doc_ids, qrels.relevance[rows].astype(float).tolist(), strict=True))


def _with_grades(ranking: pd.DataFrame, grades: Mapping[str, float]) -> pd.DataFrame:
    grade = ranking["doc_id"].map(dict(grades)).astype(float)
    return ranking.assign(grade=grade.where(grade >= 0))


def _score(
    ranks: JudgedRanks, measure: Measure, query_id: str, *, condensed: bool = False
) -> float:
    mask = np.array([q == query_id for q in ranks.query_ids], dtype=np.bool_)
    if not mask.any():
        return float("nan")
    own = ranks.among(mask)
    return float(measure.score(own.condensed() if condensed else own)[0])


def _standing(
    name: str,
    ranking: pd.DataFrame,
    scores: Mapping[str, float],
    baseline: str,
    cutoff: int,
    least: float,
) -> dict[str, object]:
    relevant = ranking.loc[ranking["grade"] >= least, "rank"]
    return {
        "run": name,
        "score": scores[name],
        "difference": np.nan if name == baseline else scores[name] - scores[baseline],
        "first_relevant": float(relevant.min()) if len(relevant) else np.nan,
        "relevant_in_top": int((relevant <= cutoff).sum()),
        "listed": len(ranking),
    }


def _missed(
    grades: Mapping[str, float],
    rankings: Mapping[str, pd.DataFrame],
    sides: set[str],
    cutoff: int,
    least: float,
) -> pd.DataFrame:
    relevant = [doc_id for doc_id, grade in grades.items() if grade >= least]
    frame = pd.DataFrame({"doc_id": relevant, "grade": [grades[d] for d in relevant]})
    for name, ranking in rankings.items():
        ranks = dict(zip(ranking["doc_id"], ranking["rank"], strict=True))
        frame[f"rank: {name}"] = frame["doc_id"].map(ranks).astype(float)
    lacking = np.logical_or.reduce([~(frame[f"rank: {side}"] <= cutoff) for side in sorted(sides)])
    frame = frame[lacking]
    best = frame[[f"rank: {name}" for name in rankings]].min(axis=1)
    order = frame.assign(_best=best).sort_values(
        ["grade", "_best", "doc_id"], ascending=[False, True, True], na_position="last"
    )
    return order.drop(columns="_best").reset_index(drop=True)
