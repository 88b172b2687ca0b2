"""The command line: `python -m metrics_core evaluate|measures|formats`.

Exit status 0, or 2 with the error on stderr and nothing on stdout.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from metrics_core import formats
from metrics_core.aggregates import means
from metrics_core.breakdowns import group_of, ordered_groups
from metrics_core.collection import told_apart
from metrics_core.errors import RanklensError, TableError
from metrics_core.fit import AnyTable, near_matches, with_clean_ids
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measure_texts import listed_measures, measure_text
from metrics_core.measures import Measure, parse_measure
from metrics_core.measures.names import declared
from metrics_core.notes import Note
from metrics_core.printing import PRINTERS
from metrics_core.scoring import score_frame, score_notes, with_tie_range
from metrics_core.tables import Qrels, Run

DEFAULT_MEASURES = ("nDCG@10", "P@10", "R@10", "AP", "RR", "Judged@10")

_MEAN = "all"
"""The query_id under which the mean is printed, as trec_eval prints it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], str] = options.command
    try:
        output = command(options)
    except RanklensError as error:
        print(error, file=sys.stderr)
        for line in _on_the_command_line(error):
            print(line, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    sys.stdout.write(output)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metrics-core", description="Scores of runs against relevance judgments."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    evaluate = commands.add_parser("evaluate", help="score runs against judgments")
    evaluate.add_argument("qrels", metavar="QRELS", help="the judgments")
    evaluate.add_argument("runs", metavar="RUN", nargs="+", help="one file for each run")
    evaluate.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        help="nDCG@10, P(rel=2)@5, map … ; may be given several times "
        f"(default: {' '.join(DEFAULT_MEASURES)})",
    )
    evaluate.add_argument("--per-query", action="store_true", help="also one value per query")
    evaluate.add_argument("--by", metavar="COLUMN", help="means by a column of the queries")
    evaluate.add_argument("--queries", metavar="FILE", help="the queries with their columns")
    evaluate.add_argument("--format", choices=sorted(PRINTERS), default="table")
    evaluate.add_argument(
        "--duplicates",
        choices=["error", "best", "first"],
        default="error",
        help="a document twice for a query: refuse, keep the best score, keep the first",
    )
    evaluate.add_argument(
        "--grades",
        type=_grades,
        default="integer",
        metavar="integer|real|WORD=NUMBER,…",
        help="how grades are read: whole numbers, gains, or words by what each is worth",
    )
    evaluate.add_argument("--encoding", metavar="NAME", help="such as latin-1 (default: UTF-8)")
    evaluate.add_argument(
        "--clean-ids", action="store_true", help="drop blanks and invisible characters around ids"
    )
    evaluate.add_argument(
        "--without-relevant",
        choices=["zero", "leave out"],
        default="zero",
        help="judged queries without a relevant document: score 0, or leave them out",
    )
    evaluate.set_defaults(command=_evaluate)
    measures = commands.add_parser("measures", help="list the measures, or explain one")
    measures.add_argument(
        "names", metavar="NAME", nargs="*", help="all about these, such as nDCG or ndcg_cut_10"
    )
    measures.set_defaults(command=_measures)
    listing = commands.add_parser("formats", help="list the file formats")
    listing.set_defaults(command=_formats)
    return parser


def _grades(text: str) -> formats.Grades:
    """The argument of --grades."""
    if text == "integer":
        return "integer"
    if text == "real":
        return "real"
    worth = {}
    for part in text.split(","):
        word, equals, number = part.rpartition("=")
        try:
            worth[word.strip()] = float(number)
        except ValueError:
            equals = ""
        if not (equals and word.strip() and math.isfinite(worth.get(word.strip(), math.nan))):
            raise argparse.ArgumentTypeError(
                f"{part!r} is neither integer nor real nor WORD=NUMBER, such as relevant=1"
            )
    return worth


def _on_the_command_line(error: RanklensError) -> list[str]:
    """How the reading choice that an error offers is asked for here."""
    name, equals, value = getattr(error, "offer", "").partition("=")
    if not equals:
        return []
    if name == "kind":
        return ["The order is: evaluate QRELS RUN …"]
    return [f"On the command line: --{name} {'word=number' if value.startswith('{') else value}"]


def _evaluate(options: argparse.Namespace) -> str:
    measures = [parse_measure(name) for name in options.measures or DEFAULT_MEASURES]
    qrels = formats.read_qrels(options.qrels, grades=options.grades, encoding=options.encoding)
    _say(Path(options.qrels).name, qrels.notes)
    if options.clean_ids:
        qrels = _cleaned(qrels, options.qrels)
    judged = [_judged(run, qrels, measures, options) for run in _runs(options)]
    scores = score_frame(judged, measures, without_relevant=options.without_relevant)
    if options.by:
        return PRINTERS[options.format](_by_group(scores, options))
    return PRINTERS[options.format](_long(scores, per_query=options.per_query))


def _runs(options: argparse.Namespace) -> list[Run]:
    read = []
    for path in options.runs:
        run = formats.read_run(path, duplicates=options.duplicates, encoding=options.encoding)
        _say(Path(path).name, run.notes)
        read.append(_cleaned(run, path) if options.clean_ids else run)
    runs, notes = told_apart(read)
    _say("runs", notes)
    return runs


def _cleaned(table: AnyTable, path: str) -> AnyTable:
    """The table with clean ids; where two ids become one, the error names the file."""
    try:
        return with_clean_ids(table)
    except TableError as error:
        raise RanklensError(f"{path}, with clean ids: {error}") from error


def _judged(
    run: Run, qrels: Qrels, measures: Sequence[Measure], options: argparse.Namespace
) -> JudgedRanks:
    ranks = judge(run, qrels)
    notes = with_tie_range(ranks.notes, run, qrels, measures)
    notes += near_matches(run, qrels)
    notes += score_notes(ranks, measures, without_relevant=options.without_relevant)
    _say(run.name, notes)
    return ranks


def _say(about: str, notes: Sequence[Note]) -> None:
    for note in notes:
        first = f" (first: {', '.join(note.examples)})" if note.examples else ""
        print(f"note: {about}: {note.message}{first}", file=sys.stderr)


def _long(scores: pd.DataFrame, *, per_query: bool) -> pd.DataFrame:
    """Columns run, query_id, measure, value; the mean (or sum) as query_id "all"."""
    if per_query and (scores["query_id"] == _MEAN).any():
        raise RanklensError(
            f"A query is called {_MEAN!r}, as is the mean over all queries.",
            "Leave --per-query out, or rename that query.",
        )
    summary = means(scores).assign(query_id=_MEAN)
    columns = ["run", "query_id", "measure", "value"]
    parts = []
    for run in dict.fromkeys(scores["run"]):
        if per_query:
            own = scores[scores["run"] == run].set_index(["run", "query_id"])
            stacked = own.rename_axis(columns="measure").stack()
            parts.append(stacked.rename("value").reset_index())
        parts.append(summary.loc[summary["run"] == run, columns])
    return pd.concat(parts, ignore_index=True)


def _by_group(scores: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    """Columns run, the grouping, measure, value; NumQ-like counts stay sums."""
    if not options.queries:
        raise RanklensError("--by needs the queries.", "Give their file with --queries FILE.")
    queries = formats.read_queries(options.queries, encoding=options.encoding)
    _say(Path(options.queries).name, queries.notes)
    if options.clean_ids:
        queries = _cleaned(queries, options.queries)
    groups = group_of(queries, list(dict.fromkeys(scores["query_id"])), options.by)
    column = f"query {options.by}" if options.by in ("run", "measure", "value") else options.by
    parts = []
    for group in ordered_groups(groups):
        inside = scores[scores["query_id"].map(groups) == group]
        parts.append(means(inside).assign(**{column: group}))
    frame = pd.concat(parts, ignore_index=True)
    order = {run: i for i, run in enumerate(dict.fromkeys(scores["run"]))}
    frame = frame.sort_values("run", key=lambda runs: runs.map(order), kind="stable")
    return frame[["run", column, "measure", "value"]]


def _measures(options: argparse.Namespace) -> str:
    if not options.names:
        return listed_measures()
    return "\n".join(measure_text(declared(name)) for name in options.names)


def _formats(options: argparse.Namespace) -> str:
    lines = []
    for f in formats.formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
