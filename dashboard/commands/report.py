"""`ranklens report`: the findings of the pages, as one HTML or PDF file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dashboard.answers.report import UsedFile
from dashboard.commands.view_options import ViewOptions, add_view_options, read_view
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.list_changes import make_html_report
from dashboard.drawing.report.parts import PARTS, ReportRequest
from dashboard.files.collections import SAMPLE_NAME
from dashboard.files.files import SAMPLE_FOLDER
from dashboard.printing import write_page
from dashboard.study.sharing import Include, make_shareable_study
from dashboard.study.study import Study
from dashboard.workspace.disk.durable import file_sha256
from dashboard.workspace.exports.packing import pack_new_collection
from dashboard.workspace.long_runs.tables import count_queries
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.commands.changed_lists import NO_JUDGMENTS
from metrics_core.commands.command_parser import CommandParser
from metrics_core.commands.console import show_step
from metrics_core.commands.file_columns import split_name_and_file
from metrics_core.commands.reading import InputFiles
from metrics_core.formats import Loaded
from metrics_core.formats.registry import kind_of
from metrics_core.formats.source.limits import format_size
from metrics_core.tables import Qrels, Run, Table


@dataclass(frozen=True, kw_only=True)
class ReportOptions(ViewOptions):
    """The options of `ranklens report`. They extend the options of all commands that show a
    view."""

    title: str
    text: str
    parts: str | None
    public: bool
    no_texts: bool
    with_data: bool
    top: int

    @property
    def include(self) -> Include:
        """What the report may contain: "scores only", "run names" or "full texts"."""
        if self.public:
            return "scores only"
        return "run names" if self.no_texts else "full texts"


def execute(arguments: Sequence[str]) -> str:
    """Write the report. Return a message with its path, its size and the compared pair."""
    options = ReportOptions(**vars(_make_parser().parse_args(arguments)))
    parts = _parse_parts(options.parts)
    if options.with_data and (options.public or options.no_texts):
        option = "--public" if options.public else "--no-texts"
        raise RanklensError(
            f"--with-data includes names and texts, but {option} leaves them out.",
            "Use only one of the two.",
        )
    study, view, input_files = read_view(options, "A report", top=options.top)
    shared_study = make_shareable_study(study, options.include)
    study, view = shared_study.study, shared_study.rename_comparison(view)
    tables, collection = _input_tables(study, options, input_files), options.collection
    files = tuple(
        _used_file(table, path, collection)
        for table, path in (() if options.public else tables)
        if path not in ("", collection) or isinstance(table, Qrels)
    )
    drawing = Drawing.for_comparison(view, study.names)
    first_path = Path(options.qrels or options.scores[0])
    is_sample = first_path.resolve().parent == SAMPLE_FOLDER
    default_title = options.collection or (SAMPLE_NAME if is_sample else first_path.stem)
    has_no_title = options.public or study.is_unjudged
    title = options.title or ("Comparison" if has_no_title else default_title)
    data = _pack_tables(title, study, tables) if options.with_data else b""
    request = ReportRequest(
        title, options.text, parts, left_out_note=shared_study.omissions, data=data
    )
    queries = w.format_count(len(study.query_ids))
    with show_step(f"Creating the report on {queries} queries"):
        size = write_page(make_html_report(study, view, drawing, request, files), options.out)
    measured = f", top {view.cutoff}" if study.is_unjudged else f" on {view.name}"
    pair = f"{view.focus} vs {view.baseline}{measured}"
    return f"{options.out}: {format_size(size)}, {pair}"


def _make_parser() -> CommandParser:
    parser = CommandParser(
        prog="ranklens report",
        description="A comparison as one HTML or PDF file, for readers without Ranklens.",
    )
    add_view_options(parser, "report.html")
    parser.add_argument("--title", default="", help="the title of the report")
    parser.add_argument("--text", default="", help="an introduction, shown at the top")
    parser.add_argument(
        "--parts",
        metavar="NAME,…",
        help=f"parts to include, from {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument(
        "--top",
        type=int,
        default=10,
        metavar="K",
        help="number of top results to compare without judgments, that is, if QRELS is"
        f" {NO_JUDGMENTS!r} (default: 10)",
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="scores only: runs are named A, B, C; groups, queries and documents are numbered",
    )
    parser.add_argument(
        "--no-texts",
        action="store_true",
        help="leave out texts; runs, groups and files keep their names, queries and documents are"
        " numbered",
    )
    parser.add_argument(
        "--with-data",
        action="store_true",
        help="include runs, judgments, queries and documents; the file opens in Ranklens",
    )
    return parser


def _parse_parts(names: str | None) -> tuple[str, ...]:
    if names is None:
        return tuple(PARTS)
    part_names = [name.strip() for name in names.split(",")]
    for name in part_names:
        if name not in PARTS:
            raise RanklensError(
                f"Reports have no part named {name}.", f"The parts are {', '.join(PARTS)}."
            )
    return tuple(part for part in PARTS if part in part_names)


def _input_tables(
    study: Study, options: ReportOptions, input_files: InputFiles
) -> list[tuple[Table, str]]:
    """Return the tables as they were read, each with the path of its file."""
    tables: list[tuple[Table | None, str]] = [
        *((run, input_files.files[run.name]) for run in input_files.runs),
        *([(input_files.qrels, options.qrels)] if study.judged else []),
        *zip(study.given_tables, options.scores, strict=True),
        (study.queries, options.queries or options.collection or ""),
        (study.documents, options.documents or ""),
    ]
    return [(table, path) for table, path in tables if table is not None]


def _used_file(table: Table, path: str, collection: str | None) -> UsedFile:
    """Return a file that the report is based on, with its size and fingerprint."""
    name, file = split_name_and_file(path)
    kind, run = kind_of(table), table.name if isinstance(table, Run) else ""
    fingerprint = file_sha256(Path(file)) if Path(file).is_file() else ""
    used = UsedFile(name, kind, run, len(table), count_queries(table), fingerprint)
    return replace(used, name=collection, ready=True) if collection and kind == "qrels" else used


def _pack_tables(title: str, study: Study, tables: Sequence[tuple[Table, str]]) -> bytes:
    """Return a packed collection that contains these tables of a study."""
    files = [
        Loaded(table, "", "from a report", split_name_and_file(path)[0]) for table, path in tables
    ]
    return pack_new_collection(title, files, study.settings)
