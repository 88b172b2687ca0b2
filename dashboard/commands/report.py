"""`ranklens report`: what the pages find of runs, as one HTML file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.address.address import Address
from dashboard.address.measure_key import at_k
from dashboard.answers.report import UsedFile, report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import document
from dashboard.drawing.report.parts import PARTS, Asked
from dashboard.drawing.theme import LIGHT, run_styles
from dashboard.files.files import fingerprint
from dashboard.study.sharing import Shared, without_names, without_texts
from dashboard.study.study import Study
from dashboard.workspace.taken_out.packing import new_packed
from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.commands.reading import ReadFiles, read_files
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.formats import Loaded
from metrics_core.formats.source.limits import size_text
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Run, Table

_USUAL_K = 10


@dataclass(frozen=True, kw_only=True)
class ReportOptions(ReadingOptions):
    """What `ranklens report` is asked for besides."""

    out: str
    against: str | None
    focus: str | None
    title: str
    text: str
    parts: str | None
    public: bool
    no_texts: bool
    with_data: bool


def main(arguments: Sequence[str]) -> int:
    """Write the report; returns the exit status."""
    given = vars(_parser().parse_args(arguments))
    try:
        print(w.visible_lines(_written(ReportOptions(**given))))
    except RanklensError as error:
        print(w.visible_lines(str(error)), file=sys.stderr)
        return 2
    except OSError as error:
        print(w.visible(f"{error.filename}: {error.strerror}"), file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ranklens report",
        description="One HTML file of a comparison, for who has no Ranklens.",
    )
    add_reading_options(parser, measures=("nDCG@10",))
    parser.add_argument("-o", "--out", default="report.html", metavar="FILE", help="(report.html)")
    parser.add_argument(
        "--baseline", dest="against", metavar="RUN", help="its name (the usual one)"
    )
    parser.add_argument("--run", dest="focus", metavar="RUN", help="of whom it speaks (the best)")
    parser.add_argument("--queries", metavar="FILE", help="the queries with texts and columns")
    parser.add_argument("--title", default="", help="what stands on top")
    parser.add_argument("--text", default="", help="a paragraph of your own above all")
    parser.add_argument("--parts", metavar="NAME,…", help=f"of {', '.join(PARTS)} (all)")
    parser.add_argument(
        "--public",
        action="store_true",
        help="ids only: no texts, no names of files; runs are A, B, C, groups are numbered",
    )
    parser.add_argument("--no-texts", action="store_true", help="queries and documents by id")
    parser.add_argument(
        "--with-data",
        action="store_true",
        help="the file carries runs, judgments, queries and documents, and opens in Ranklens",
    )
    parser.set_defaults(format="html")
    return parser


def _written(options: ReportOptions) -> str:
    parts = _parts(options.parts)
    if options.with_data and (options.public or options.no_texts):
        other = "--public" if options.public else "--no-texts"
        raise RanklensError(
            f"--with-data carries names and texts, which {other} leaves out.",
            "Leave one of the two out.",
        )
    read = read_files(options)
    study = _study(read, options)
    view = study.view(_address(study, read, options)).comparison
    shared = Shared(study)
    if options.public:
        shared = without_names(study)
    elif options.no_texts:
        shared = without_texts(study)
    study, view = shared.study, shared.comparison(view)
    files = () if options.public else _used(options, read)
    slots = {name: place for place, name in enumerate(study.names)}
    styles = run_styles(study.names, slots, focus=view.focus, baseline=view.baseline)
    drawing = Drawing(view, LIGHT, {name: styles[name] for name in view.runs})
    title = options.title or ("Comparison" if options.public else Path(options.qrels).stem)
    data = _packed(title, study, options, read) if options.with_data else b""
    asked = Asked(title, options.text, parts, texts=not shared.said, said=shared.said, data=data)
    page = document(report(study, view, files), drawing, asked).encode()
    Path(options.out).write_bytes(page)
    pair = f"{view.focus} against {view.baseline} on {view.name}"
    return f"{options.out}: {size_text(len(page))}, {pair}"


def _parts(names: str | None) -> tuple[str, ...]:
    if names is None:
        return tuple(PARTS)
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in PARTS:
            raise RanklensError(f"A report has no part {name}.", f"There are {', '.join(PARTS)}.")
    return tuple(part for part in PARTS if part in wanted)


def _study(read: ReadFiles, options: ReportOptions) -> Study:
    queries = documents = None
    if options.queries:
        queries = formats.read_queries(
            options.queries, encoding=options.encoding, limit=options.limit
        )
    if options.documents:
        documents = formats.read_documents(
            options.documents, encoding=options.encoding, limit=options.limit
        )
    judged = {ranks.run_name: ranks for ranks in read.judged}

    def judging(run: Run, *_: object, **__: object) -> JudgedRanks:
        return judged[run.name]

    return Study(read.runs, read.qrels, queries, documents, judging)


def _address(study: Study, read: ReadFiles, options: ReportOptions) -> Address:
    """The view: the first measure asked for, at its cutoff."""
    for name in (options.against, options.focus):
        if name is not None and name not in study.names:
            raise UnknownRunError(name, study.names)
    measure = read.measures[0]
    return Address.of(
        m=at_k(measure),
        k=str(measure.cutoff or _USUAL_K),
        base=options.against or "",
        run=options.focus or "",
    )


def _used(options: ReportOptions, read: ReadFiles) -> tuple[UsedFile, ...]:
    """The files by what is in them; a run's by the place of its file."""
    runs = dict(zip(options.all_runs, read.runs, strict=False))
    found = [
        _file(path, "run", run.name, len(run), len(run.query_ids)) for path, run in runs.items()
    ]
    qrels = read.qrels
    found.append(_file(options.qrels, "qrels", "", len(qrels), len(qrels.query_ids)))
    return tuple(found)


def _packed(title: str, study: Study, options: ReportOptions, read: ReadFiles) -> bytes:
    """The tables as they were read, as a packed collection."""
    paths = {run.name: path for path, run in zip(options.all_runs, read.runs, strict=False)}
    given: list[tuple[Table | None, str]] = [
        *((run, paths.get(run.name, run.name)) for run in study.runs.values()),
        (read.qrels, options.qrels),
        (study.queries, options.queries or ""),
        (study.documents, options.documents or ""),
    ]
    files = [
        Loaded(table, "", "from a report", Path(path).name)
        for table, path in given
        if table is not None
    ]
    return new_packed(title, files)


def _file(path: str, kind: formats.Kind, run: str, rows: int, queries: int) -> UsedFile:
    found = fingerprint(Path(path)) if Path(path).is_file() else ""
    return UsedFile(Path(path).name, kind, run, rows, queries, found)
