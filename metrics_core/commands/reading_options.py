"""Options of the commands that score files: files to read, measures, groups."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from glob import glob
from typing import Any

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.checks.id_readings import UNCHANGED_IDS, IdMap, parse_id_map
from metrics_core.checks.mapped_ids import IdMaps
from metrics_core.commands import CommandOptions
from metrics_core.commands.command_parser import CommandParser
from metrics_core.formats.read_as import DEFAULT_CHOICES, ReadAs
from metrics_core.measures import Measure, parse_measures
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import WithoutRelevant

DEFAULT_MEASURES = ("nDCG@10", "P@10", "R@10", "AP", "RR", "Judged@10")

_PART = re.compile(r"""(?:[^,({\['"]|\([^)]*\)|\{[^}]*\}|\[[^\]]*\]|'[^']*'|"[^"]*"|[({\['"])+""")
_NUMBERED = re.compile(r"(?P<name>.*?[.@_])(?P<number>\d*\.?\d+)")
_NUMBER = re.compile(r"\d*\.?\d+")


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(CommandOptions):
    """Options of the commands that score files. Fields with a default value are options that only
    some commands have.

    If `collection` is set, `qrels` is the name of the collection. If `one_run` is true, only one
    run is allowed besides the baseline. `default_measures` are used if no measure is named."""

    qrels: str
    baseline: str | None = None
    runs: Sequence[str]
    one_run: bool
    measures: Sequence[str] | None
    default_measures: Sequence[str]
    documents: str | None
    read_as: ReadAs
    clean_ids: bool
    map_docs: IdMap
    map_queries: IdMap
    exclude_self: bool
    exclude: str | None
    without_relevant: WithoutRelevant
    memory: int | None = None
    per_query: bool = False
    by: str | None = None
    queries: str | None = None
    collection: str | None = None
    scores: Sequence[str] = ()
    lower: Sequence[str] = ()
    higher: Sequence[str] = ()

    @property
    def has_only_scores(self) -> bool:
        """Whether scores from another tool (`--scores`) are the only input, without judgments and
        runs."""
        return bool(self.scores) and not self.qrels

    @property
    def judgments(self) -> list[str]:
        """The command-line arguments that name the judgments."""
        return [self.qrels] if self.collection is None else ["--collection", self.collection]

    @property
    def id_maps(self) -> IdMaps:
        """The mappings of query and document ids."""
        return IdMaps(self.map_queries, self.map_docs)

    @property
    def keeps_repeated_runs(self) -> bool:
        """Whether a run that is listed twice on the command line is kept twice."""
        return False

    @cached_property
    def all_run_paths(self) -> list[str]:
        """The paths of the runs, the baseline first. Patterns are replaced by the matching files.

        Raises RanklensError if a pattern matches several files but only one is allowed."""
        paths = [path for pattern in self.runs for path in expand_pattern(pattern)]
        first = [] if self.baseline is None else expand_pattern(self.baseline)
        for pattern, files in (
            (self.baseline, first),
            *([(p, paths) for p in self.runs[:1]] * self.one_run),
        ):
            if len(files) > 1:
                raise RanklensError(
                    f"{pattern} matches {len(files):,} files, but only one is allowed.",
                    f"Name one of them, such as {files[0]}.",
                )
        return [*first, *paths]


def add_reading_options(
    parser: argparse.ArgumentParser,
    *,
    baseline: str = "",
    takes_one_run: bool = False,
    measures: Sequence[str] = DEFAULT_MEASURES,
    takes_scores: bool = False,
) -> None:
    """Add the arguments for judgments, runs, measures and reading choices.

    `baseline` is the help text of an argument BASELINE before the runs; if it is empty, there is no
    such argument. If `takes_one_run` is true, only one run is allowed. `measures` are the default
    measures. If `takes_scores` is true, the options for scores from another tool are added."""
    if isinstance(parser, CommandParser):
        parser.add_collection_option()
        if takes_scores:
            parser.add_score_options()
    parser.add_argument(
        "qrels", metavar="QRELS", help="the judgments, or a BEIR dataset that contains them"
    )
    if baseline:
        parser.add_argument("baseline", metavar="BASELINE", help=baseline)
    runs = "the run" if takes_one_run else "one file per run"
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs=1 if takes_one_run else "+",
        help=f"{runs}, or a pattern such as 'runs/*.run'; - reads standard input",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        help="one or several measures, such as nDCG@10,AP or P.5,10 or P(rel=2)@5. Names from"
        " ir_measures and trec_eval (ndcg_cut_10) and common names (precision_at_5) are accepted;"
        f" repeatable. The command `measures` lists all measures (default: {','.join(measures)})",
    )
    parser.set_defaults(default_measures=measures, one_run=takes_one_run)
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="table of the documents: titles for reports, and price, popularity or category for"
        " measures that use them",
    )
    parser.set_defaults(read_as=DEFAULT_CHOICES)
    for choice in (choice for choice in fields(ReadAs) if choice.metadata):
        arguments = {**choice.metadata, "type": argument_type(choice.metadata.get("type", str))}
        parser.add_argument(
            f"--{choice.name}", action=_StoreReadingChoice, default=argparse.SUPPRESS, **arguments
        )
    parser.add_argument(
        "--clean-ids", action="store_true", help="remove blanks and invisible characters around ids"
    )
    for id_kind, ids_text in (("queries", "query ids"), ("docs", "document ids")):
        parser.add_argument(
            f"--map-{id_kind}",
            type=argument_type(parse_id_map),
            default=UNCHANGED_IDS,
            metavar="READING",
            help=f"mapping to apply to {ids_text} before matching, such as 'cut #' or 'case,"
            " zeros'; if ids do not match, a note suggests a mapping",
        )
    parser.add_argument(
        "--exclude-self",
        action="store_true",
        help="remove the document with the query's own id from every run, before ranking",
    )
    parser.add_argument(
        "--exclude",
        metavar="FILE",
        help="remove these documents from every run, for example items seen before. The file is a"
        " list of query and document pairs (two columns, header optional), a run, or judgments",
    )
    parser.add_argument(
        "--without-relevant",
        choices=["zero", "leave out"],
        default="zero",
        help="judged queries without a relevant document: score them 0, or leave them out",
    )


def add_grouping_options(parser: argparse.ArgumentParser, help_text: str) -> None:
    """Add the options that group queries. `help_text` describes the output for each group."""
    parser.add_argument("--by", metavar="COLUMN", help=help_text)
    parser.add_argument("--queries", metavar="FILE", help="table of the queries")


def add_level_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the confidence level."""
    parser.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="SHARE",
        help="confidence level of intervals and tests (default: %(default)s)",
    )


def refuse_options(options: Mapping[str, object], message: str, hint: str) -> None:
    """Raise RanklensError if one of these options is set. `options` are the values of the options
    by name. In the message, `{}` is replaced by the name."""
    for name, value in options.items():
        if value:
            raise RanklensError(message.format(name), hint)


def expand_pattern(pattern: str) -> list[str]:
    """Return the files that match a pattern such as 'runs/*.run' that the shell did not expand.

    A string that is not a pattern, or a pattern that matches no file, is returned unchanged."""
    if pattern == "-" or os.path.lexists(pattern):
        return [pattern]
    paths = glob(pattern)  # noqa: PTH207 - like a shell, without hidden files
    return sorted(paths) or [pattern]


class _StoreReadingChoice(argparse.Action):
    """Action of argparse that stores the value of an option in the reading choices."""

    def __call__(
        self, _parser: Any, namespace: Any, value: Any, _option: str | None = None
    ) -> None:
        namespace.read_as = replace(namespace.read_as, **{self.dest: value})


def argument_type(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Wrap a parser for use as an argparse type. A ParameterError becomes argparse's error."""

    def parse_argument(text: str) -> Any:
        try:
            return parse(text)
        except ParameterError as error:
            raise argparse.ArgumentTypeError(f"{error.message} {error.hint}".strip()) from error

    return parse_argument


def parse_measure_options(texts: Sequence[str]) -> list[Measure]:
    """Parse measure names such as `AP,nDCG@10`, `P.5,10` or `P(rel=2)@5`, in order and without
    duplicates.

    Raises RanklensError if no measure is named, and UnknownMeasureError or ParameterError for an
    invalid name."""
    return list(dict.fromkeys(parse_measures(split_names(texts))))


def split_names(texts: Sequence[str]) -> list[str]:
    """Split strings into single measure names.

    A bare number is another cutoff of the preceding name: "P.5,10" becomes "P.5" and "P.10"."""
    return [name for text in texts for name in _iterate_names(text)]


def _iterate_names(text: str) -> Iterator[str]:
    """Yield the measure names in a string. A bare number is another cutoff of the preceding
    name."""
    prefix = ""
    for part in (part.strip() for part in _PART.findall(text)):
        numbered = _NUMBERED.fullmatch(part)
        if _NUMBER.fullmatch(part) and prefix:
            yield prefix + part
            continue
        prefix = numbered["name"] if numbered else ""
        if part:
            yield part
