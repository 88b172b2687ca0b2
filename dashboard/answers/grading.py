"""Judging in place: what nobody has judged yet, of one query or of a comparison, and what the
grades that were given here changed."""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.firm import pair_lists
from dashboard.answers.judging_order import AT_RANDOM, BY_QUERY, MOVING, by_lot
from dashboard.answers.unjudged import bounds, next_known, next_to_judge, unjudged_of
from dashboard.study.study import Study
from metrics_core.comparing.winners import side_of
from metrics_core.explaining.one_query import grades_of
from metrics_core.findings.grading import judging_finding, judging_lead
from metrics_core.findings.sentence import Sentence
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


def named_grades(study: Study) -> dict[float, str]:
    """The same of relevant grades, to stand before "relevant"; those without such a name are left
    out."""
    adverbs = {"Highly", "Fairly", "Partly"}
    names = enumerate(grade_names(study))
    return {float(grade): name.lower() for grade, name in names if name in adverbs}


def to_judge(study: Study, shown: Comparison, query_id: str) -> pd.DataFrame:
    """The documents of a query in the first k ranks of the shown lists that the files do not judge,
    but for those of runs that came as judged ranks, which have no name; those of the two compared
    first: columns query_id, doc_id, ranks (of each run that has it there), title and text (""
    without documents). None where the judgments are complete."""
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
    frame = pd.DataFrame(
        {
            "query_id": query_id,
            "doc_id": ranks.index.astype(object),
            "ranks": [_known(row) for row in ranks.to_dict("records")],
            # The two compared are the first of the runs shown.
            "first": ranks[ranks.columns.intersection(runs[:2])].min(axis=1).to_numpy(np.float64),
            "rank": ranks.min(axis=1).to_numpy(np.float64),
        }
    )
    frame = frame.sort_values(["first", "rank", "doc_id"], ignore_index=True)
    return with_documents(study, frame.drop(columns=["first", "rank"]))


def _known(ranks: Mapping[Hashable, float]) -> dict[str, int]:
    return {str(run): int(rank) for run, rank in ranks.items() if not math.isnan(rank)}


def queue(
    study: Study, shown: Comparison, order: str = MOVING, settle: int | None = None
) -> pd.DataFrame:
    """What to judge next for the comparison, by the judgments of the files, so that it stays as it
    is while it is worked on: columns query_id, doc_id, ranks (of both runs, 0 where one does not
    have it there). In the usual order what could move it most comes first, and what moves nothing
    follows by rank; query by query the first `settle` of these come first. Empty where one of the
    two came as judged ranks."""
    return study.bare.kept(_queue, shown, order, settle if order == BY_QUERY else None)


def _queue(study: Study, shown: Comparison, order: str, settle: int | None) -> pd.DataFrame:
    lists = pair_lists(study, shown)
    cutoff = shown.measure.cutoff or shown.cutoff
    found = unjudged_of(study, shown, cutoff)
    if found.doc_ids is None:
        return pd.DataFrame(columns=["query_id", "doc_id", "ranks"])
    by_rank = pd.DataFrame(
        {
            "query_id": np.array(lists[0].query_ids, dtype=object)[found.query],
            "doc_id": found.doc_ids.to_pylist(),
            "run_rank": found.run_rank,
            "baseline_rank": found.baseline_rank,
        }
    )
    by_rank = by_rank.iloc[np.argsort(found.best_rank, kind="stable")]
    if order == AT_RANDOM:
        every = by_rank.iloc[by_lot(list(zip(by_rank["query_id"], by_rank["doc_id"], strict=True)))]
    else:
        every = _most_moving_first(study, shown, by_rank)
    if order == BY_QUERY:
        place = {query_id: i for i, query_id in enumerate(lists[0].query_ids)}
        of, later = every["query_id"].map(place).to_numpy(), np.arange(len(every)) >= (settle or 0)
        every = every.iloc[np.lexsort((of, later))]
    every = every.head(MOST_QUEUED)
    both = every[["run_rank", "baseline_rank"]].to_numpy().tolist()
    ranks = [{shown.focus: own, shown.baseline: other} for own, other in both]
    return every[["query_id", "doc_id"]].assign(ranks=ranks).reset_index(drop=True)


def _most_moving_first(study: Study, shown: Comparison, by_rank: pd.DataFrame) -> pd.DataFrame:
    if shown.measure.declaration.needs:
        return by_rank  # it is not about grades alone
    cutoff = shown.measure.cutoff or shown.cutoff
    found, difference = unjudged_of(study, shown, cutoff), effect(study, shown).difference[0]
    first = most_moving(*pair_lists(study, shown), shown.measure, found, difference)
    return pd.concat([first, by_rank]).drop_duplicates(["query_id", "doc_id"])


@dataclass(frozen=True)
class ToJudge:
    """What there is to judge for the comparison, in words and by number (on so many `queries` of
    the `total` in view), and after how many of the first of the queue its order is safe if they
    turn out not relevant; None where that is not known."""

    title: Sentence
    lead: Sentence
    unjudged: int
    queries: int
    total: int
    settle: int | None


def to_judge_now(study: Study, shown: Comparison) -> ToJudge:
    """What there is to judge by the judgments of the files; what would settle it where that is at
    hand or takes no while."""
    settle = None
    apart = not shown.alone and not shown.measure.declaration.needs
    # Without a cutoff the queue looks at the first ranks alone, and they settle nothing.
    if apart and shown.measure.cutoff and (_is_small(study) or next_known(study.bare, shown)):
        settle = next_to_judge(study.bare, shown).to_settle
    return study.bare.kept(_to_judge_now, shown, settle)


def _is_small(study: Study) -> bool:
    return len(study.bare.query_ids) <= _SETTLED_AT_ONCE


def _to_judge_now(study: Study, shown: Comparison, settle: int | None) -> ToJudge:
    cutoff = shown.measure.cutoff or shown.cutoff
    found = unjudged_of(study, shown, cutoff)
    unjudged = len(found) if found.matched else None
    lead = judging_lead(shown.focus, shown.baseline, cutoff, unjudged=unjudged, settle=settle)
    side = side_of(effect(study, shown).difference[0], shown.measure.declaration.direction)
    leader = shown.focus if side > 0 else shown.baseline
    return ToJudge(
        judging_finding(cutoff, unjudged, settle, leader),
        lead,
        unjudged or 0,
        len(np.unique(found.query)),
        int(study.in_view(shown).sum()),
        settle if settle is not None and settle <= MOST_QUEUED else None,
    )


@dataclass(frozen=True)
class WorstCase:
    """How far the difference could go against who leads, without the layers and with them; with
    them it still `turns` or does not."""

    before: float
    after: float
    turns: bool


def worst_case(study: Study, shown: Comparison) -> WorstCase | None:
    """What the layers that are on did to the worst case; None where there is none, where another
    run leads with them, or where it would take a while to say."""
    if shown.alone or not _is_small(study):
        return None
    before, after = (bounds(s, shown) for s in (study.bare, study))
    side = side_of(before.difference)
    ends = [reached.lowest if side > 0 else reached.highest for reached in (before, after)]
    if not side or side_of(after.difference) != side or any(math.isnan(end) for end in ends):
        return None
    return WorstCase(ends[0], ends[1], after.turns)


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
