"""`ranklens report`: what the pages find of runs, as one HTML or PDF file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dashboard.answers.report import UsedFile, report
from dashboard.commands.viewed import ViewOptions, add_view_options, viewed
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import document
from dashboard.drawing.report.parts import PARTS, ReportRequest
from dashboard.files.files import fingerprint
from dashboard.printing import written
from dashboard.study.sharing import Include, shared
from dashboard.study.study import Study
from dashboard.workspace.taken_out.packing import new_packed
from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.commands.command_parser import CommandParser
from metrics_core.commands.console import step
from metrics_core.commands.own_columns import shown_and_file
from metrics_core.commands.reading import ReadFiles
from metrics_core.formats import Loaded
from metrics_core.formats.source.limits import size_text
from metrics_core.tables import Table


@dataclass(frozen=True, kw_only=True)
class ReportOptions(ViewOptions):
    """What `ranklens report` is asked for besides."""

    title: str
    text: str
    parts: str | None
    public: bool
    no_texts: bool
    with_data: bool

    @property
    def include(self) -> Include:
        """What the report holds."""
        if self.public:
            return "scores only"
        return "run names" if self.no_texts else "full texts"


def made(arguments: Sequence[str]) -> str:
    """Write the report; says where and of what it is."""
    options = ReportOptions(**vars(_parser().parse_args(arguments)))
    parts = _parts(options.parts)
    if options.with_data and (options.public or options.no_texts):
        other = "--public" if options.public else "--no-texts"
        raise RanklensError(
            f"--with-data includes names and texts, which {other} leaves out.",
            "Use only one of the two.",
        )
    study, view, read = viewed(options, "A report")
    leaving = shared(study, options.include)
    study, view = leaving.study, leaving.comparison(view)
    files = () if options.public else _used(options, read)
    drawing = Drawing.of(view, study.names)
    named = options.collection or Path(options.qrels).stem
    title = options.title or ("Comparison" if options.public else named)
    data = _packed(title, study, options, read) if options.with_data else b""
    asked = ReportRequest(title, options.text, parts, said=leaving.said, data=data)
    queries = w.count(len(study.query_ids))
    with step(f"Creating the report of {queries} queries"):
        size = written(document(report(study, view, files), drawing, asked), options.out)
    pair = f"{view.focus} against {view.baseline} on {view.name}"
    return f"{options.out}: {size_text(size)}, {pair}"


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="ranklens report",
        description="One HTML or PDF file of a comparison, for readers without Ranklens.",
    )
    add_view_options(parser, "report.html")
    parser.add_argument("--title", default="", help="the title of the report")
    parser.add_argument("--text", default="", help="an introduction, above all else")
    parser.add_argument(
        "--parts", metavar="NAME,…", help=f"parts to include, of {', '.join(PARTS)} (all)"
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="scores only: runs are A, B, C; groups, queries and documents are numbered",
    )
    parser.add_argument(
        "--no-texts",
        action="store_true",
        help="with the names of runs, groups and files; queries and documents are numbered",
    )
    parser.add_argument(
        "--with-data",
        action="store_true",
        help="include runs, judgments, queries and documents; the file opens in Ranklens",
    )
    return parser


def _parts(names: str | None) -> tuple[str, ...]:
    if names is None:
        return tuple(PARTS)
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in PARTS:
            raise RanklensError(
                f"A report has no part {name}.", f"Its parts are {', '.join(PARTS)}."
            )
    return tuple(part for part in PARTS if part in wanted)


def _used(options: ReportOptions, read: ReadFiles) -> tuple[UsedFile, ...]:
    """The files by what is in them."""
    found = [
        _file(read.files[run.name], "run", run.name, len(run), len(run.query_ids))
        for run in read.runs
    ]
    qrels = read.qrels
    judged = _file(options.qrels, "qrels", "", len(qrels), len(qrels.query_ids))
    if options.collection is not None:
        judged = replace(judged, name=options.collection, ready=True)
    return (*found, judged)


def _packed(title: str, study: Study, options: ReportOptions, read: ReadFiles) -> bytes:
    """The tables as they were read, as a packed collection."""
    given: list[tuple[Table | None, str]] = [
        *((run, read.files[run.name]) for run in study.runs.values()),
        (read.qrels, options.qrels),
        (study.queries, options.queries or options.collection or ""),
        (study.documents, options.documents or ""),
    ]
    files = [
        Loaded(table, "", "from a report", shown_and_file(path)[0])
        for table, path in given
        if table is not None
    ]
    return new_packed(title, files)


def _file(path: str, kind: formats.Kind, run: str, rows: int, queries: int) -> UsedFile:
    shown, file = shown_and_file(path)
    found = fingerprint(Path(file)) if Path(file).is_file() else ""
    return UsedFile(shown, kind, run, rows, queries, found)
