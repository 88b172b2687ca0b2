"""The tables of the Overview and the Ranking page as text that can be copied into a paper or a web
page."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.overview import overview
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.ranking import pairs_on_measures
from dashboard.answers.run_comparisons import compare_on_measures
from dashboard.study.study import Study
from metrics_core.text_tables.paper_table import (
    PaperTable,
    RunMeans,
    all_pairs_table,
    comparison_table,
)
from metrics_core.text_tables.score_tables import LongTable, format_markdown

Texts = Mapping[str, str]
"""The text of a table in several formats, keyed by the name of the format."""


def overview_texts(study: Study, comparison: Comparison) -> Texts:
    """Return the Overview's table of runs and measures as LaTeX and as Markdown, best run first."""
    measures = overview_measures(study, comparison)
    table = overview(study, comparison).table
    ordered = table[table["measure"] == comparison.name].sort_values(
        "mean", ascending=not comparison.measure.declaration.higher_is_better, kind="stable"
    )
    runs = ordered["run"].tolist()
    scores = study.scores_of_all_runs(comparison, *measures).select_runs(runs)
    means = RunMeans.from_scores(scores, measures)
    # The frames have all loaded runs: the caption counts the comparisons of the correction.
    frames = compare_on_measures(study, comparison, measures)
    tested = pd.concat(
        [
            frame[frame["run"] != comparison.baseline].assign(
                baseline=comparison.baseline, measure=str(measure)
            )
            for measure, frame in zip(measures, frames, strict=True)
        ],
        ignore_index=True,
    )
    paper_table = comparison_table(means, tested, [comparison.baseline], comparison.method)
    return _format_paper_tables(means, paper_table)


def ranking_texts(study: Study, comparison: Comparison) -> Texts:
    """Return the Ranking page's table of all runs and measures as LaTeX and as Markdown, best run
    first."""
    by_measure = pairs_on_measures(study, comparison)
    runs = by_measure[comparison.measure].runs
    scores = study.scores_of_all_runs(comparison, *by_measure).select_runs(runs)
    means = RunMeans.from_scores(scores, list(by_measure))
    pairs = {str(measure): run_pairs for measure, run_pairs in by_measure.items()}
    return _format_paper_tables(means, all_pairs_table(means, pairs, comparison.method.level))


def _format_paper_tables(means: RunMeans, paper_table: PaperTable) -> Texts:
    rows = [
        (run, str(measure), float(values[position]))
        for position, run in enumerate(means.runs)
        for measure, values in means.by_measure.items()
    ]
    markdown = format_markdown(LongTable(["run", "measure", "value"], rows))
    return {"LaTeX": paper_table.to_latex(), "Markdown": markdown}
