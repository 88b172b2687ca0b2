"""Comparison of runs in a notebook, with the same results as on the pages: `show(runs, qrels)`.

    >>> from dashboard.notebook import show
    >>> show({"bm25": bm25, "dense": dense}, qrels, measure="nDCG@10")  # doctest: +SKIP

The notebook shows the verdict, the intervals and the table. The result also has the methods
`.queries()`, `.breakdown("category")`, `.curves()`, `.explain("q1")`, `.figure("forest")`,
`.report("x.html")` and `.open()`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from dashboard.address.view import Comparison, address_for_measure
from dashboard.answers import curves as curves_answers
from dashboard.answers.breakdown import scores_by_column
from dashboard.answers.list_changes import (
    ChangesOverview,
    changes_by_group,
    changes_overview,
    overlap_curves,
    top_comparison,
)
from dashboard.answers.overview import Overview, overview
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.dashboard_process import DashboardProcess, serve_tables
from dashboard.drawing.drawing import Drawing
from dashboard.study.sharing import Include, make_shareable_study
from dashboard.study.study import Study
from dashboard.workspace import DEFAULT_SETTINGS
from dashboard.workspace.exports.packing import pack_new_collection
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, UnknownColumnError
from metrics_core.findings.list_changes import list_changes_finding
from metrics_core.formats import Loaded, read_scores
from metrics_core.formats.in_memory import (
    DocumentsLike,
    QrelsLike,
    QueriesLike,
    RunsLike,
    convert_to_documents,
    convert_to_frame,
    convert_to_qrels,
    convert_to_queries,
    convert_to_runs,
)
from metrics_core.measures import GivenMeasure
from metrics_core.python_interface import explain
from metrics_core.results.explanation import Explanation
from metrics_core.scoring.evaluate import refuse_repeated_names
from metrics_core.scoring.given_scores import find_directions
from metrics_core.tables import GivenScores, Table

if TYPE_CHECKING:
    import pandas as pd

    from dashboard.drawing.figures.notebook_figure import NotebookFigure

_WAYS_ON = (
    "More: .queries(), .breakdown(column), .explain(query), .figure(name), .report(file), .open()."
)


def show(
    runs: RunsLike = (),
    qrels: QrelsLike | None = None,
    queries: QueriesLike | None = None,
    *,
    scores: GivenScores | Any = None,
    lower: str | Iterable[str] = (),
    higher: str | Iterable[str] = (),
    measure: GivenMeasure | None = None,
    baseline: str | None = None,
    run: str | None = None,
    documents: DocumentsLike | None = None,
    top: int = 10,
) -> NotebookComparison:
    """Return a comparison that a notebook displays.

    `runs`, `qrels` and `documents` have the same forms as in `evaluate`; `queries` has the same
    forms as in `breakdown`. `run` is the run in focus, by default the best run other than the
    baseline. `baseline` is by default the first run.

    `scores` is a table of scores that were computed elsewhere, or the path of one; it is used alone
    or beside runs and qrels. `lower` and `higher` name the measures of `scores` for which lower or
    higher is better. The default of `measure` is nDCG@10; without runs, it is the first measure of
    `scores`. If both `qrels` and `scores` are None, the result shows what changed in the first
    `top` results, and `measure` is not used. Raises UnknownRunError and the errors of `evaluate`;
    without qrels and scores, also the errors of `list_changes`."""
    table = None if qrels is None else convert_to_qrels(qrels)
    is_unjudged = table is None and scores is None
    judged_ids = () if table is None else table.query_ids
    loaded_runs = convert_to_runs(runs, judged_ids) if table is not None or is_unjudged else []
    refuse_repeated_names([given_run.name for given_run in loaded_runs])
    names = ([n] if isinstance(n, str) else [*n] for n in (lower, higher))
    settings = replace(DEFAULT_SETTINGS, directions=tuple(find_directions(*names).items()))
    given_tables = [] if scores is None else [_convert_to_scores(scores)]
    study = Study(
        loaded_runs,
        table,
        None if queries is None else convert_to_queries(queries),
        convert_to_documents(documents),
        settings=settings,
        given_tables=given_tables,
    )
    if is_unjudged:
        return NotebookChanges(study, top_comparison(study, top, baseline=baseline, focus=run))
    for error in study.refused.values():
        raise error
    chosen_measure = study.read_measure("" if measure is None else str(measure)).measure
    return NotebookComparison(study, study.comparison(chosen_measure, baseline=baseline, focus=run))


def _convert_to_scores(scores: Any) -> GivenScores:
    if isinstance(scores, GivenScores):
        return scores
    if not isinstance(scores, (str, Path, list)):
        scores = convert_to_frame(scores).to_dict("records")
    return read_scores(scores)


class NotebookComparison:
    """A comparison that a notebook displays as HTML. Printed as text, it consists of the verdict
    and the table."""

    def __init__(self, study: Study, comparison: Comparison) -> None:
        """Create the object. `comparison` selects the compared runs and the measure in the
        study."""
        self._study, self._view = study, comparison

    @cached_property
    def _overview(self) -> Overview:
        return overview(self._study, self._view)

    @cached_property
    def _drawing(self) -> Drawing:
        return Drawing.for_comparison(self._view, self._study.names)

    @property
    def frame(self) -> pd.DataFrame:
        """The results of every run on each measure. Columns: run, measure, mean, difference, low,
        high, p_corrected, verdict.

        `difference` is the difference from the baseline, and `low` and `high` are the bounds of its
        interval. `p_corrected` is corrected for the number of runs."""
        columns = ["run", "measure", "mean", "difference", "low", "high", "p_corrected", "verdict"]
        table = self._overview.table
        return table[columns].reset_index(drop=True)

    def queries(self) -> pd.DataFrame:
        """Return every query with its scores and their difference, largest loss first.

        Columns: query_id, query (its text), difference, one column of scores for each run, unjudged
        (number of unjudged documents), and the columns of the query file."""
        return query_list(self._study, self._view, QueryListRequest()).download_table.reset_index(
            drop=True
        )

    def breakdown(self, by: str) -> pd.DataFrame:
        """Return means and differences by a column of the queries, as a frame with the columns of
        `metrics_core.breakdown`.

        Raises UnknownColumnError."""
        columns = list(self._study.columns(self._view))
        if by not in columns:
            raise UnknownColumnError(by, columns)
        make_frame = changes_by_group if self._study.is_unjudged else scores_by_column
        return make_frame(self._study, self._view, by)

    def curves(self) -> pd.DataFrame:
        """Return precision, recall and nDCG by cutoff.

        Columns: run, k, mean, low, high, difference, diff_low, diff_high, queries, measure."""
        return curves_answers.curves(self._study, self._view).table

    def explain(self, query: Any) -> Explanation:
        """Explain the scores of a query, with the same result as `metrics_core.explain`."""
        study, view = self._study, self._view
        return explain(
            list(study.runs.values()),
            study.qrels,
            view.measure,
            query,
            run=view.focus,
            baseline=view.baseline,
        )

    def figure(
        self,
        name: str = "curves",
        *,
        measure: str | None = None,
        by: str | None = None,
        width: str = "page",
    ) -> NotebookFigure:
        """Return a chart as a Plotly figure.

        `name` is "forest" (difference of each run from the baseline), "pairs" (all pairs of runs),
        "breakdown" (by the column `by` of the queries, by default the first) or "curves" (`measure`
        by k; it may be P, R, nDCG or the measure of the comparison, which is the default).

        `width` is the width on paper: "column" (84 mm), "page" (174 mm), or a length such as
        "3.17in". The attribute `svg` of the figure is an SVG file of this width, which nbconvert
        and GitHub show; the attribute `caption` is a description. Raises the errors of
        `draw_figure` and `parse_width`."""
        from dashboard.drawing.figures.notebook_figure import notebook_figure
        from dashboard.paper_figures import FigureRequest, draw_figure, parse_width

        view = self._view
        family = "nDCG" if measure is None and view.measure.cutoff is None else measure or ""
        request = FigureRequest(self._study, view, parse_width(str(width)), by, family)
        figure = draw_figure(name, request)
        return notebook_figure(figure.chart, figure.svg, figure.caption)

    def report(
        self,
        path: str | Path,
        *,
        title: str = "Comparison",
        text: str = "",
        include: Include = "full texts",
        with_data: bool = False,
    ) -> Path:
        """Write the report as HTML, or as PDF if the path ends in .pdf, and return its path.

        `include` is "full texts", "run names" (ids of queries and documents are replaced by
        numbers) or "scores only" (in addition, runs are named A, B, C). If `with_data` is true, the
        tables are embedded, so that the report can be opened in Ranklens. Raises ParameterError,
        and RanklensError if a PDF needs a browser and none is installed."""
        from dashboard.drawing.report.list_changes import make_html_report
        from dashboard.drawing.report.parts import ReportRequest
        from dashboard.printing import write_page

        if include not in get_args(Include):
            choices = w.join_words(get_args(Include), "or")
            raise ParameterError(f"A report cannot include {include!r}.", f"Write {choices}.")
        if with_data and include != "full texts":
            raise ParameterError(
                f"with_data includes names and texts, but {include!r} leaves them out.",
                "Use only one of the two.",
            )
        shared_study = make_shareable_study(self._study, include)
        study, view = shared_study.study, shared_study.rename_comparison(self._view)
        data = b""
        if with_data:
            data = pack_new_collection(title, self._files(), self._study.settings)
        request = ReportRequest(title, text, left_out_note=shared_study.omissions, data=data)
        drawing = Drawing.for_comparison(view, study.names)
        write_page(make_html_report(study, view, drawing, request), path)
        return Path(path)

    def open(
        self, folder: str | Path | None = None, *, name: str = "From a notebook"
    ) -> DashboardProcess:
        """Open the comparison in Ranklens, which runs until it is closed or this process ends.

        If a `folder` is given, runs and judgments are stored in it as the collection with this
        `name`, together with the notes and grades made in Ranklens. If no folder is given,
        everything is removed at the end."""
        view = self._view
        address = address_for_measure(view.measure, view.baseline, view.focus)
        directions = dict(self._study.settings.directions)
        return serve_tables(self._files(), address, name=name, folder=folder, directions=directions)

    def _files(self) -> list[Loaded]:
        """Return the tables of the comparison as files of a collection."""
        study = self._study
        tables: list[tuple[Table | None, str]] = [
            *((run, name) for name, run in study.runs.items()),
            (study.qrels if study.judged else None, "judgments"),
            *((table, "scores") for table in study.given_tables),
            (study.queries, "queries"),
            (study.documents, "documents"),
        ]
        return [Loaded(t, "", "given in Python", name) for t, name in tables if t is not None]

    def _repr_html_(self) -> str:
        from dashboard.drawing.report.notebook_cell import notebook_cell

        return notebook_cell(self._overview, self._drawing, _WAYS_ON)

    def __repr__(self) -> str:
        table = self.frame
        verdict = self._overview.verdict
        wide = table.pivot(index="run", columns="measure", values="mean")
        first = dict.fromkeys(table["measure"])
        ordered = wide[list(first)].sort_values(next(iter(first)), ascending=False)
        headline = f"{verdict.title.text}. {verdict.lead.text}"
        return f"{headline}\n{ordered.to_string(float_format=w.format_score)}"


class NotebookChanges(NotebookComparison):
    """The changes between runs without judgments. A notebook displays the object as HTML."""

    @cached_property
    def _changes(self) -> ChangesOverview:
        return changes_overview(self._study, self._view)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per run, with the columns of `compare(runs, None)`."""
        return self._changes.runs

    def curves(self) -> pd.DataFrame:
        """Overlap with the baseline by k. Columns: run, k, mean, low, high."""
        return overlap_curves(self._study, self._view)[["run", "k", "mean", "low", "high"]]

    def explain(self, query: Any) -> Explanation:
        """Raise RanklensError, because without judgments there are no scores to explain."""
        raise RanklensError("There are no scores to explain.", "Pass judgments instead of None.")

    def figure(self, *_: Any, **__: Any) -> NotebookFigure:
        """Raise RanklensError, because the charts show scores, which need judgments."""
        raise RanklensError("There are no scores to plot.", "Pass judgments instead of None.")

    def _repr_html_(self) -> str:
        from dashboard.drawing.report.notebook_cell import changes_cell

        return changes_cell(self._changes, self._drawing)

    def __repr__(self) -> str:
        finding = list_changes_finding(self._changes.changes)
        return f"{finding.title.text}. {finding.lead.text}\n{self.frame.to_string(index=False)}"
