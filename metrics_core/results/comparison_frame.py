"""The frame that `compare` returns. Import this module only when needed, since it loads pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare_measures
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.text_tables.paper_table import PaperTable, RunMeans, comparison_table


class ComparisonFrame(pd.DataFrame):  # type: ignore[misc]
    """A comparison with a baseline: a data frame that can also be written as the table of a paper.
    A frame that pandas derives from it, such as a selection of rows, is an ordinary data frame."""

    _metadata = ["_paper_table"]  # noqa: RUF012  as pandas declares it
    _paper_table: PaperTable

    def to_latex(
        self, buf: Any = None, *, caption: str = "", label: str = "", **options: Any
    ) -> Any:
        r"""Return a LaTeX table for a paper: a row per run, a column per measure, the best mean in
        bold, and letters for the runs that a run significantly outperforms.

        The caption begins with `caption` and names the test, its level and the correction. `label`
        is for `\ref`; the default is tab:comparison. The paper must load booktabs. If `buf` or
        another option of pandas is given, pandas writes its own table of all columns instead.
        Raises ParameterError for a label that LaTeX cannot refer to."""
        if buf is not None or options:
            return super().to_latex(buf, caption=caption or None, label=label or None, **options)
        return self._paper_table.to_latex(caption, label)


def compare_by_name(
    scores: Scores,
    measures_by_name: Mapping[str, Measure],
    baseline: str,
    method: Method,
    tie_threshold: float,
) -> ComparisonFrame:
    """Compare the other runs with the baseline. Returns one row per measure and run. Each measure
    keeps the name under which it was passed."""
    measures = list(measures_by_name.values())
    frames = compare_measures(
        scores, measures, baseline, tie_threshold=tie_threshold, methods=[method] * len(measures)
    )
    parts = [
        frame.iloc[1:].assign(baseline=baseline, measure=name)
        for name, frame in zip(measures_by_name, frames, strict=True)
    ]
    table = pd.concat(parts, ignore_index=True)
    first = ["run", "baseline", "measure"]
    comparison = ComparisonFrame(table[first + [c for c in table.columns if c not in first]])
    table["measure"] = [str(measures_by_name[name]) for name in table["measure"]]
    comparison._paper_table = comparison_table(
        RunMeans.from_scores(scores, measures),
        table.drop_duplicates(["run", "measure"]),
        [baseline],
        method,
    )
    return comparison
