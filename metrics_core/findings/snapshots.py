"""Describe changes since a snapshot in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.checks.judgment_marks import combine_query_hashes, hash_judgments
from metrics_core.checks.snapshot_changes import SnapshotChanges
from metrics_core.checks.snapshots import Snapshot
from metrics_core.comparing.winners import better_run_sign
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels

_MAX_NAMED = 5


def describe_snapshot_changes(
    changes: SnapshotChanges, file: str, n_compared: int, *, is_given: bool = False
) -> list[str]:
    """Return one sentence for each kind of change, followed by a sentence on how many queries can
    still be compared (`n_compared`).

    The list is empty if nothing changed. `is_given` is true if another tool computed the scores, so
    that there are no judgments."""
    if not changes:
        return []
    sentences = []
    judged = changes.rejudged or {}
    if judged:
        clauses = [
            f"{query_id} ({_describe_judgment_counts(n_before, n_now)})"
            for query_id, (n_before, n_now) in judged.items()
        ]
        sentences.append(
            f"The judgments of {_format_query_count(len(judged))} changed since {file}:"
            f" {_shorten_words(clauses)}."
        )
    verbs = ("without scores now", "new") if is_given else ("no longer judged", "newly judged")
    for ids, verb in zip((changes.removed, changes.added), verbs, strict=True):
        if ids:
            is_or_are = w.plural(len(ids), "is", "are")
            sentences.append(
                f"{w.sentence_case(_format_query_count(len(ids)))} {is_or_are} {verb}:"
                f" {_shorten_words(ids)}."
            )
    if changes.missing:
        sentences.append(
            f"Scores of {w.join_words(map(str, changes.missing))} were not compared, because {file}"
            " does not contain them."
        )
    if changes.remeasured:
        measures = w.join_words(map(str, changes.remeasured))
        sentences.append(
            f"Scores of {measures} were not compared, because the version of the package that"
            " computes them changed."
        )
    if n_compared and (judged or changes.removed or changes.added):
        clause = "in both" if is_given else "whose judgments did not change"
        sentences.append(f"Compared on the {_format_query_count(n_compared)} {clause}.")
    return sentences


def best_mean_findings(
    snapshot: Snapshot, file: str, scores: Scores, measures: Sequence[Measure], qrels: Qrels
) -> list[str]:
    """Return a sentence for each run and measure whose mean is worse than the best mean ever
    recorded in the snapshot `file`. The sentence says by how much.

    Only measures on which the mean in the snapshot is itself worse than the best mean are
    considered."""
    snapshot_means = dict(
        zip(snapshot.measures, snapshot.scores.combined()[0].tolist(), strict=True)
    )
    fallen_measures = [
        measure
        for measure in measures
        if measure in snapshot_means and str(measure) in snapshot.best
        if _is_below_best_mean(snapshot_means[measure], snapshot.best[str(measure)].mean, measure)
    ]
    if not fallen_measures:
        return []
    marks = hash_judgments(qrels)
    judgments = combine_query_hashes({query_id: marks[query_id] for query_id in scores.query_ids})
    means = scores.combined()
    sentences = []
    for measure in fallen_measures:
        best = snapshot.best[str(measure)]
        judgments_note = "" if best.judgments == judgments else ", on different judgments"
        word, side = (
            ("highest", "below") if measure.declaration.direction > 0 else ("lowest", "above")
        )
        for run, mean in zip(
            scores.runs, means[:, scores.measures.index(measure)].tolist(), strict=True
        ):
            size = w.format_score(abs(best.mean - mean))
            if _is_below_best_mean(mean, best.mean, measure) and size.strip("0."):
                mean_text = w.format_distinct_score(mean, best.mean)
                sentences.append(
                    f"{measure} of {run} is {mean_text}, {size} {side} the {word} mean"
                    f" recorded in {file} ({w.format_score(best.mean)}{judgments_note})."
                )
    return sentences


def _is_below_best_mean(mean: float, best: float, measure: Measure) -> bool:
    return better_run_sign(mean - best, measure.declaration.direction) < 0


def _format_query_count(n: int) -> str:
    return f"{w.number_word(n)} {w.plural(n, 'query', 'queries')}"


def _describe_judgment_counts(n_before: int, n_now: int) -> str:
    if n_before == n_now:
        return f"still {w.format_with_noun(n_now, 'grade')}, but with different values"
    return f"{w.format_with_noun(n_before, 'grade')} then, {w.format_count(n_now)} now"


def _shorten_words(words: Sequence[str]) -> str:
    n_more = len(words) - _MAX_NAMED
    return ", ".join(words[:_MAX_NAMED]) + (
        f" and {w.format_count(n_more)} more" if n_more > 0 else ""
    )
