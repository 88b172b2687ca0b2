"""Judging in place: what nobody has judged yet, of one query or of a comparison, and what the
grades that were given here changed."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.firm import pair_lists
from dashboard.answers.unjudged import next_known, next_to_judge, unjudged_of
from dashboard.study.study import Study
from metrics_core.explaining.one_query import grades_of
from metrics_core.findings import Sentence, judging_finding, judging_lead
from metrics_core.judging.ranking import ranked_documents
from metrics_core.scoring.scores import Scores
from metrics_core.unjudged.next_judgments import most_moving

MOST_QUEUED = 500
"""Documents that a judging session offers at the most."""

_HIGHEST_KEY = 9
_SETTLED_AT_ONCE = 2_000
"""Queries of which it takes no while to say which documents would settle the order."""
_NAMES = {
    1: ("Not relevant", "Relevant"),
    2: ("Not relevant", "Partly", "Highly"),
    3: ("Not relevant", "A little", "Fairly", "Highly"),
}
"""What the grades up to the highest one are called."""


@dataclass(frozen=True)
class Effect:
    """What layers changed: of one query each run's score, and the mean difference of the pair over
    the queries in view; each without them and with them. NaN where there is none."""

    scores: dict[str, tuple[float, float]]
    difference: tuple[float, float]
    queries: int


def grades_offered(study: Study) -> list[int]:
    """The grades that have a key: from 0 to the highest that the files use, 1 at least."""
    highest = math.ceil(max(study.bare.grades, default=1))
    return list(range(min(max(highest, 1), _HIGHEST_KEY) + 1))


def grade_names(study: Study) -> list[str]:
    """What the grades that have a key are called; "" where there are too many for words."""
    offered = grades_offered(study)
    return list(_NAMES.get(offered[-1], ("Not relevant", *[""] * (len(offered) - 1))))


def to_judge(study: Study, shown: Comparison, query_id: str) -> pd.DataFrame:
    """The documents of a query in the first k ranks of the shown lists that the files do not judge,
    but for those of runs that came as judged ranks, which have no name: columns query_id, doc_id,
    rank (its best), where, title and text ("" without documents). None where the judgments are
    complete."""
    found = study.bare.kept(_to_judge, shown.runs, shown.cutoff, query_id)
    return found.head(0) if study.settings.complete else found


def _to_judge(study: Study, runs: tuple[str, ...], cutoff: int, query_id: str) -> pd.DataFrame:
    lists = {
        name: ranked_documents(study.runs[name], query_id, depth=cutoff).set_index("doc_id")["rank"]
        for name in runs
        if study.runs[name].complete
    }
    # A negative grade is no judgment.
    judged = [d for d, grade in grades_of(study.qrels, query_id).items() if grade >= 0]
    ranks = pd.DataFrame(lists).drop(index=judged, errors="ignore")
    known = ranks.notna().to_numpy()
    where = [
        "in every list" if row.all() and len(runs) > 1 else ", ".join(ranks.columns[row])
        for row in known
    ]
    frame = pd.DataFrame(
        {
            "query_id": query_id,
            "doc_id": ranks.index.astype(object),
            "rank": ranks.min(axis=1).to_numpy(dtype=np.float64),
            "where": where,
        }
    )
    return with_documents(study, frame.sort_values(["rank", "doc_id"], ignore_index=True))


def queue(study: Study, shown: Comparison) -> pd.DataFrame:
    """What to judge next for the comparison, what could move it most first, by the judgments of the
    files, so that it stays as it is while it is worked on: columns query_id, doc_id, rank, where.
    What moves nothing follows by rank. Empty where one of the two came as judged ranks."""
    return study.bare.kept(_queue, shown)


def _queue(study: Study, shown: Comparison) -> pd.DataFrame:
    own, other = pair_lists(study, shown)
    found = unjudged_of(study, shown, shown.measure.cutoff or shown.cutoff)
    if found.doc_ids is None:
        return pd.DataFrame(columns=["query_id", "doc_id", "rank", "where"])
    by_rank = pd.DataFrame(
        {
            "query_id": np.array(own.query_ids, dtype=object)[found.query],
            "doc_id": found.doc_ids.to_pylist(),
            "run_rank": found.run_rank,
            "baseline_rank": found.baseline_rank,
        }
    )
    difference = effect(study, shown).difference[0]
    if shown.measure.declaration.needs:
        first = by_rank.head(0)  # it is not about grades alone
    else:
        first = most_moving(own, other, shown.measure, found, difference)
    every = pd.concat([first, by_rank.iloc[np.argsort(found.best_rank, kind="stable")]])
    every = every.drop_duplicates(["query_id", "doc_id"]).head(MOST_QUEUED)
    both = every[["run_rank", "baseline_rank"]].to_numpy()
    best = np.where(both > 0, both, np.inf).min(axis=1)
    where = [_where(shown, own > 0, other > 0) for own, other in both]
    frame = every[["query_id", "doc_id"]].assign(rank=best, where=where)
    return frame.reset_index(drop=True)


@dataclass(frozen=True)
class ToJudge:
    """What there is to judge for the comparison, in words and by number, and after how many of the
    first of the queue its order is safe if they turn out not relevant; None where that is not
    known."""

    title: Sentence
    lead: Sentence
    unjudged: int
    settle: int | None


def to_judge_now(study: Study, shown: Comparison) -> ToJudge:
    """What there is to judge by the judgments of the files; what would settle it where that is at
    hand or takes no while."""
    settle = None
    few = len(study.bare.query_ids) <= _SETTLED_AT_ONCE
    apart = not shown.alone and not shown.measure.declaration.needs
    # Without a cutoff the queue looks at the first ranks alone, and they settle nothing.
    if apart and shown.measure.cutoff and (few or next_known(study.bare, shown)):
        settle = next_to_judge(study.bare, shown).to_settle
    return study.bare.kept(_to_judge_now, shown, settle)


def _to_judge_now(study: Study, shown: Comparison, settle: int | None) -> ToJudge:
    cutoff = shown.measure.cutoff or shown.cutoff
    found = unjudged_of(study, shown, cutoff)
    unjudged = len(found) if found.matched else None
    moving = f"what could move {shown.name} most comes first"
    lead = judging_lead(
        shown.focus,
        shown.baseline,
        cutoff,
        unjudged=unjudged,
        queries=len(np.unique(found.query)),
        total=int(study.in_view(shown).sum()),
        first="the first ranks come first" if shown.measure.declaration.needs else moving,
        settle=settle,
    )
    queued = settle if settle is not None and settle <= MOST_QUEUED else None
    return ToJudge(judging_finding(cutoff, unjudged, settle), lead, unjudged or 0, queued)


def _where(shown: Comparison, own: bool, other: bool) -> str:
    if shown.alone:
        return ""
    return "in both lists" if own and other else f"in {shown.focus if own else shown.baseline}"


def window(
    study: Study, every: pd.DataFrame, done: Container[tuple[str, str]], size: int
) -> pd.DataFrame:
    """The first `size` documents of a queue that are not done, with their texts and the query's."""
    pairs = zip(every["query_id"], every["doc_id"], strict=True)
    left = np.array([pair not in done for pair in pairs], dtype=np.bool_)
    frame = with_documents(study, every[left].head(size).reset_index(drop=True))
    return frame.assign(query=[study.texts.get(q, q) for q in frame["query_id"]])


def with_documents(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with title and text of each document, "" where they are not known."""
    if study.documents is None or frame.empty:
        return frame.assign(title="", text="")
    known = study.documents.lookup(frame["doc_id"]).reindex(frame["doc_id"])
    texts = {c: known[c].fillna("").to_numpy() for c in ("title", "text") if c in known}
    return frame.assign(**{"title": "", "text": "", **texts})


def effect(study: Study, shown: Comparison, query_id: str = "") -> Effect:
    """What the layers that are on changed, of one query where one is named."""
    return study.kept(_effect, shown, query_id)


def _effect(study: Study, shown: Comparison, query_id: str) -> Effect:
    both = [s.scores(shown, shown.measure) for s in (study.bare, study)]
    before, after = (_of_query(scores, query_id) for scores in both)
    means = [scores.combined()[:, 0] for scores in both]
    place = [both[0].position(name) for name in (shown.focus, shown.baseline)]
    differences = [float(mean[place[0]] - mean[place[1]]) for mean in means]
    return Effect(
        {run: (before[run], after[run]) for run in after},
        (differences[0], differences[1]),
        both[1].n_queries,
    )


def _of_query(scores: Scores, query_id: str) -> dict[str, float]:
    if query_id not in scores.query_ids:
        return dict.fromkeys(scores.runs, float("nan")) if query_id else {}
    place = scores.query_ids.index(query_id)
    return {run: float(scores.values[i, place, 0]) for i, run in enumerate(scores.runs)}
