"""`metrics_core snapshot`: the scores of a run as a file to commit, the baseline of a gate."""

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
    fingerprint,
    is_snapshot,
    read_snapshot,
    snapshot_of,
    text_of,
)
from metrics_core.commands import command
from metrics_core.commands.reading import judged_files, say
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.scoring.scores import score_runs


@dataclass(frozen=True, kw_only=True)
class SnapshotOptions(ReadingOptions):
    """What `snapshot` is asked for besides."""

    output: str
    label: str
    after: str


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, one_run=True)
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="output file, such as baseline.json"
    )
    parser.add_argument(
        "--queries",
        metavar="FILE",
        help="file of the queries; comparisons then report whether it changed",
    )
    parser.add_argument(
        "--after",
        default="",
        metavar="SNAPSHOT",
        help="previous snapshot, whose best means are carried over (default: the file that is"
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
    arguments=_arguments,
)
def snapshot(options: SnapshotOptions) -> str:
    """Writes the file, and says what is in it; notes go to stderr."""
    files = judged_files(options)
    scores = score_runs(files.judged, files.measures, without_relevant=options.without_relevant)
    made = snapshot_of(scores, files.qrels, origin_of(options, options.label), _before(options))
    replace_file(options.output, text_of(made))
    queries = w.plural(scores.n_queries, "query", "queries")
    return (
        f"{options.output}: {made.run}, {w.count(scores.n_queries)} {queries},"
        f" {w.listing(map(str, made.measures))}.\n"
    )


def _before(options: SnapshotOptions) -> Snapshot | None:
    """The snapshot whose place is taken. A damaged one is written over, since that mends it."""
    if options.after:
        if is_snapshot(options.after):
            return read_snapshot(options.after)
        say(options.after, [Note("after", "is not a snapshot; no best means are carried over")])
        return None
    with suppress(RanklensError):
        return read_snapshot(options.output) if is_snapshot(options.output) else None
    say(options.output, [Note("after", "was damaged; no best means are carried over")])
    return None


def origin_of(options: ReadingOptions, label: str) -> Origin:
    """What the scores of the one run of a command are made from."""
    (path,) = replace(options, baseline=None).all_runs
    return Origin(
        file=path,
        fingerprint=fingerprint(path),
        queries=fingerprint(options.queries or ""),
        label=label,
        reading=reading_of(options),
    )


def reading_of(options: ReadingOptions) -> dict[str, str]:
    """The choices of reading that change scores and not the judgments, where they are not the usual
    ones."""
    chosen = {
        "--without-relevant": options.without_relevant
        if options.without_relevant != "zero"
        else "",
        "--exclude-self": "yes" if options.exclude_self else "",
        "--exclude": fingerprint(options.exclude or ""),
    }
    return {name: value for name, value in chosen.items() if value}
