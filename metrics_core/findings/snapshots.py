"""What changed since a snapshot, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.checks.judgment_marks import mark_of_all, marks_of
from metrics_core.checks.snapshots import Changes, Snapshot
from metrics_core.comparing.winners import side_of
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels

_NAMED = 5


def changes_findings(changes: Changes, file: str, shared: int) -> list[str]:
    """A sentence for each kind of change, and over how many queries is compared all the same; none
    where nothing changed."""
    if not changes:
        return []
    said = []
    judged = changes.judged or {}
    if judged:
        each = [f"{query_id} ({_grades(then, now)})" for query_id, (then, now) in judged.items()]
        said.append(
            f"The judgments of {_queries(len(judged))} changed since {file}: {_some(each)}."
        )
    for ids, verb in ((changes.gone, "no longer judged"), (changes.new, "newly judged")):
        if ids:
            is_or_are = w.plural(len(ids), "is", "are")
            said.append(f"{w.sentence_case(_queries(len(ids)))} {is_or_are} {verb}: {_some(ids)}.")
    if changes.lacking:
        said.append(
            f"{file} has no scores for {w.listing(map(str, changes.lacking))}: not compared."
        )
    if changes.remade:
        measures = w.listing(map(str, changes.remade))
        said.append(f"The package that adds {measures} has another version now: not compared.")
    if judged or changes.gone or changes.new:
        said.append(f"Compared on the {_queries(shared)} whose judgments did not change.")
    return said


def best_findings(
    snapshot: Snapshot, file: str, scores: Scores, measures: Sequence[Measure], qrels: Qrels
) -> list[str]:
    """How far the mean of each run lies below the best that the snapshot in `file` ever held, for
    each of the measures on which the snapshot itself does."""
    then = dict(zip(snapshot.measures, snapshot.scores.combined()[0].tolist(), strict=True))
    fallen = [
        measure
        for measure in measures
        if measure in then and str(measure) in snapshot.best
        if _is_below(then[measure], snapshot.best[str(measure)].mean, measure)
    ]
    if not fallen:
        return []
    marks = marks_of(qrels)
    judgments = mark_of_all({query_id: marks[query_id] for query_id in scores.query_ids})
    means = scores.combined()
    said = []
    for measure in fallen:
        held = snapshot.best[str(measure)]
        other = "" if held.judgments == judgments else ", on other judgments"
        word, side = (
            ("highest", "below") if measure.declaration.direction > 0 else ("lowest", "above")
        )
        for run, mean in zip(
            scores.runs, means[:, scores.measures.index(measure)].tolist(), strict=True
        ):
            size = w.score(abs(held.mean - mean))
            if _is_below(mean, held.mean, measure) and size.strip("0."):
                now = w.score_apart(mean, held.mean)
                said.append(
                    f"{measure} of {run} is {now}, {size} {side} the {word} mean that"
                    f" {file} ever recorded ({w.score(held.mean)}{other})."
                )
    return said


def _is_below(mean: float, best: float, measure: Measure) -> bool:
    return side_of(mean - best, measure.declaration.direction) < 0


def _queries(n: int) -> str:
    return f"{w.number(n)} {w.plural(n, 'query', 'queries')}"


def _grades(then: int, now: int) -> str:
    if then == now:
        return f"{w.count(now)} {w.plural(now, 'grade')} as before, but not the same"
    return f"{w.count(then)} {w.plural(then, 'grade')} then, {w.count(now)} now"


def _some(words: Sequence[str]) -> str:
    more = len(words) - _NAMED
    return ", ".join(words[:_NAMED]) + (f" and {w.count(more)} more" if more > 0 else "")
