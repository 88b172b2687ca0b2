"""`metrics_core snapshot`: save the scores of a run to a file that can be committed and used as the
baseline of a gate."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import dataclass, replace

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.base.whole_files import replace_file
from metrics_core.checks.snapshots import (
    Origin,
    Snapshot,
    file_fingerprint,
    format_snapshot,
    is_snapshot,
    make_snapshot,
    read_snapshot,
)
from metrics_core.commands import command
from metrics_core.commands.reading import print_notes, read_judged_files, score_files
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.commands.scores_option import read_all_scores
from metrics_core.comparing.power import FEWEST_FOR_POWER, POWER, detectable_loss
from metrics_core.comparing.tested_quantities import is_mean_tested
from metrics_core.scoring.scores import Scores

_SHARE_AFFECTED = 0.3
"""Assumed share of queries that a change affects. The detectable losses, which help to choose
margins, are computed for this share."""


@dataclass(frozen=True, kw_only=True)
class SnapshotOptions(ReadingOptions):
    """The additional options of `snapshot`."""

    output: str
    label: str
    after: str


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, takes_one_run=True, takes_scores=True)
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="output file, such as baseline.json"
    )
    parser.add_argument(
        "--queries",
        metavar="FILE",
        help="file of the queries; comparisons then report whether this file changed",
    )
    parser.add_argument(
        "--after",
        default="",
        metavar="SNAPSHOT",
        help="previous snapshot whose best means so far are carried over (default: the file that is"
        " overwritten)",
    )
    parser.add_argument(
        "--label",
        default="",
        metavar="TEXT",
        help="text shown with the snapshot, such as the embedding's version",
    )


@command(
    "snapshot",
    SnapshotOptions,
    help="save a run's scores as a baseline for later comparisons",
    add_arguments=_add_arguments,
)
def snapshot(options: SnapshotOptions) -> str:
    """Write the snapshot file and return text on its content. Notes go to stderr."""
    if options.scores:
        scores, qrels = _read_given_scores(options), None
    else:
        files = read_judged_files(options)
        scores = score_files(files, options)
        qrels = files.qrels
    new_snapshot = make_snapshot(
        scores, qrels, make_origin(options, options.label), _read_previous_snapshot(options)
    )
    replace_file(options.output, format_snapshot(new_snapshot))
    queries = w.plural(scores.n_queries, "query", "queries")
    return (
        f"{options.output}: {new_snapshot.run}, {w.format_count(scores.n_queries)} {queries},"
        f" {w.join_words(map(str, new_snapshot.measures))}.\n{_detectable_losses(scores)}"
    )


def _read_given_scores(options: SnapshotOptions) -> Scores:
    """Return the scores of the file in `--scores`. Raises RanklensError if they are not the scores
    of a single run."""
    if not options.has_only_scores or len(options.scores) > 1:
        raise RanklensError(
            "A snapshot contains the scores of one run, either all computed or all from --scores.",
            "To save scores from another tool, use --scores with one file, without QRELS and RUN.",
        )
    scores = read_all_scores(options)
    if len(scores.runs) > 1:
        raise RanklensError(
            f"{options.scores[0]} has the scores of {len(scores.runs)} runs:"
            f" {w.shorten_list(scores.runs)}.",
            "A snapshot contains the scores of one run. Keep only the rows of one run in the file.",
        )
    return scores


def _detectable_losses(scores: Scores) -> str:
    """Return a line with the detectable loss of each measure. The line helps to choose margins.

    If there are too few queries, the line says so instead. It is empty if no measure has a
    detectable loss."""
    if scores.n_queries < FEWEST_FOR_POWER:
        return f"At least {FEWEST_FOR_POWER} queries are needed to choose margins.\n"
    losses = [
        (measure, detectable_loss(values, _SHARE_AFFECTED))
        for measure, values in zip(scores.measures, scores.values[0].T, strict=True)
        if measure.declaration.combination.linear and is_mean_tested(measure)
    ]
    parts = [f"{measure} {w.format_score(loss)}" for measure, loss in losses if loss == loss]
    if not parts:
        return ""
    share = w.format_share(_SHARE_AFFECTED)
    return (
        f"Losses that a gate can detect, for choosing margins: {w.join_words(parts)} (with at least"
        f" {w.format_share(POWER)} power, if a change affects {share} of the queries).\n"
    )


def _read_previous_snapshot(options: SnapshotOptions) -> Snapshot | None:
    """Return the snapshot that will be replaced; None if there is none or it is damaged.

    A note says that a damaged snapshot is overwritten."""
    if options.after:
        if is_snapshot(options.after):
            return read_snapshot(options.after)
        print_notes(
            options.after, [Note("after", "is not a snapshot, so no best means are carried over")]
        )
        return None
    with suppress(RanklensError):
        return read_snapshot(options.output) if is_snapshot(options.output) else None
    print_notes(options.output, [Note("after", "was damaged, so no best means are carried over")])
    return None


def make_origin(options: ReadingOptions, label: str) -> Origin:
    """Return the origin of the scores of the single run on the command line: its file,
    fingerprints, label and reading choices."""
    (path,) = options.scores or replace(options, baseline=None).all_run_paths
    return Origin(
        file=path,
        fingerprint=file_fingerprint(path),
        queries=file_fingerprint(options.queries or ""),
        label=label,
        reading=scoring_choices(options),
    )


def scoring_choices(options: ReadingOptions) -> dict[str, str]:
    """Return the options that change scores but not judgments, with their values.

    Options with their default values are omitted."""
    choices = {
        "--without-relevant": options.without_relevant
        if options.without_relevant != "zero"
        else "",
        "--exclude-self": "yes" if options.exclude_self else "",
        "--exclude": file_fingerprint(options.exclude or ""),
    }
    return {name: value for name, value in choices.items() if value}
