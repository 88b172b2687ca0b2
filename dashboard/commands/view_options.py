"""The view that the arguments of a command describe: files, a measure, and runs by name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.address.view import Comparison
from dashboard.answers.list_changes import top_comparison
from dashboard.study.study import Study
from dashboard.workspace import DEFAULT_SETTINGS
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError
from metrics_core.commands.changed_lists import NO_JUDGMENTS, refuse_options_needing_judgments
from metrics_core.commands.reading import (
    InputFiles,
    print_notes,
    read_complete_runs,
    read_files_with_runs,
    read_named_queries,
)
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.commands.scores_option import find_measure_names, read_score_tables
from metrics_core.judging import JudgedRanks
from metrics_core.scoring.given_scores import find_directions, refuse_unknown_names
from metrics_core.tables import GivenScores, Qrels, Run

_NO_FILES = InputFiles(Qrels.from_columns([], [], []), [], {}, [], None)


@dataclass(frozen=True, kw_only=True)
class ViewOptions(ReadingOptions):
    """The options of all commands that show a view, in addition to the options for reading
    files."""

    out: str
    against: str | None
    focus: str | None


def add_view_options(parser: argparse.ArgumentParser, default_output: str) -> None:
    """Add the options for files, the measure and the runs to a parser. `default_output` is the
    default output file."""
    add_reading_options(parser, measures=("nDCG@10",), takes_scores=True)
    parser.add_argument(
        "-o",
        "--out",
        default=default_output,
        metavar="FILE",
        help=f"output file; its name may also end in .pdf (default: {default_output})",
    )
    parser.add_argument(
        "--baseline",
        dest="against",
        metavar="RUN",
        help="name of the baseline (default: the first run)",
    )
    parser.add_argument(
        "--run",
        dest="focus",
        metavar="RUN",
        help="the run to compare (default: the best of the others)",
    )
    parser.add_argument(
        "--queries", metavar="FILE", help="file of the queries, with texts and columns"
    )
    parser.set_defaults(format="")


def read_view(
    options: ViewOptions, result_name: str, other_runs: Sequence[str] = (), top: int | None = None
) -> tuple[Study, Comparison, InputFiles]:
    """Return the study, the comparison on the requested measure, and the files that were read.

    Notes are printed to stderr. `result_name` names the result of the command in error messages,
    for example "A report"; `other_runs` are the other runs to show, written as in an address.
    Without judgments, the first `top` results are compared. Raises the errors of
    `read_files_with_runs`, UnknownRunError, RanklensError if there are no judgments and `top` is
    None, and ParameterError if several measures are requested."""
    if options.judgments == [NO_JUDGMENTS]:
        return _read_view_without_judgments(options, result_name, top)
    tables = read_score_tables(options) if options.scores else []
    files = replace(options, measures=None) if tables else options
    input_files = _NO_FILES if options.has_only_scores else read_files_with_runs(files)
    study = _build_study(input_files, options, tables)
    names = list(map(str, input_files.measures))
    if tables:
        print_notes("--scores", study.given_scores_check[1])
        names = find_measure_names(options, study.given_measures) or [
            str(study.read_measure().measure)
        ]
    if options.has_only_scores:
        refuse_unknown_names(names, list(map(str, study.given_measures)))
    if len(names) > 1:
        raise ParameterError(
            f"{result_name} shows one measure, not {w.join_words(names)}.",
            "Create one for each measure.",
        )
    comparison = study.comparison(
        study.read_measure(names[0]).measure,
        baseline=options.against,
        focus=options.focus,
        other_runs=tuple(other_runs),
    )
    return study, comparison, input_files


def _read_view_without_judgments(
    options: ViewOptions, product: str, top: int | None
) -> tuple[Study, Comparison, InputFiles]:
    names = {"--measure": options.measures, "--scores": options.scores}
    refuse_options_needing_judgments(
        {product: top is None, **names, "--documents": options.documents}
    )
    file_runs = read_complete_runs(options)
    runs = [file_run.run for file_run in file_runs]
    study = Study(runs, None, read_named_queries(options))
    files = {file_run.name: file_run.file for file_run in file_runs}
    comparison = top_comparison(study, top or 0, baseline=options.against, focus=options.focus)
    return study, comparison, replace(_NO_FILES, files=files, runs=runs)


def _build_study(
    input_files: InputFiles, options: ViewOptions, tables: Sequence[GivenScores]
) -> Study:
    judged = {ranks.run_name: ranks for ranks in input_files.judged}

    def find_judged_ranks(run: Run, *_: object, **__: object) -> JudgedRanks:
        return judged[run.name]

    directions = find_directions(options.lower, options.higher)
    return Study(
        input_files.runs,
        input_files.qrels,
        read_named_queries(options),
        input_files.documents,
        find_judged_ranks,
        replace(DEFAULT_SETTINGS, directions=tuple(directions.items())),
        tables,
    )
