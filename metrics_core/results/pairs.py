"""The result of `all_pairs`: all pairs of runs on one or several measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.html_cell import html_cell, html_sentence, html_table
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.measures import ByMeasure, Measure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.text_tables.paper_table import RunMeans, all_pairs_table
from metrics_core.text_tables.score_tables import format_pairs

_MOST_ROWS = 30
"""Maximum number of pairs that are shown in a notebook cell; `.frame` has all pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredPairs(AllPairs):
    """All pairs of runs on one measure.

    `measure` is the canonical name, `combined` maps each run to its combined score, in the order in
    which the runs were given, and `n_queries` is the number of queries."""

    measure: str
    level: float
    combined: Mapping[str, float]
    n_queries: int

    @property
    def n_pairs(self) -> int:
        """The number of pairs that are corrected together. It includes pairs that `select_runs`
        left out."""
        return len(self.combined) * (len(self.combined) - 1) // 2

    def to_latex(self, *, caption: str = "", label: str = "") -> str:
        r"""Return a LaTeX table for a paper: a row per run, with its mean and letters for the runs
        that it significantly outperforms.

        The caption begins with `caption` and names the test, its level and the correction. `label`
        is for `\ref`; the default is tab:all-pairs. The paper must load booktabs. Raises
        ParameterError for a label that LaTeX cannot refer to."""
        return _paper_table([self], caption, label)

    def _repr_html_(self) -> str:
        rows = self.frame.head(_MOST_ROWS).assign(measure=self.measure)
        places = self.places.rename(columns={"first": "best rank", "last": "worst rank"})
        tables = [places, format_pairs(rows.rename(columns={"queries": "n"}))]
        parts = [html_table(table, mean=w.format_score) for table in tables]
        if len(self.frame) > len(rows):
            parts.append(html_sentence("More pairs: .frame"))
        return html_cell(f"{self.measure}: {self.headline}", parts)


def compare_all_pairs(scores: Scores, measure: Measure, level: float) -> MeasuredPairs:
    """Compare every pair of runs on one measure. Raises the errors of
    `comparing.all_pairs.all_pairs`."""
    pairs = vars(all_pairs(scores, measure, level=level))
    means = RunMeans.from_scores(scores).by_measure[measure]
    combined = dict(zip(scores.runs, means.tolist(), strict=True))
    return MeasuredPairs(
        **pairs, measure=str(measure), level=level, combined=combined, n_queries=scores.n_queries
    )


class PairsByMeasure(ByMeasure[MeasuredPairs]):
    """All pairs of runs on several measures, by the name of the measure: `pairs["AP"].frame`."""

    @property
    def frame(self) -> pd.DataFrame:
        """One row per measure and pair. Columns: measure and the columns of
        `MeasuredPairs.frame`."""
        return self._join_frames("frame")

    @property
    def places(self) -> pd.DataFrame:
        """One row per measure and run. Columns: measure and the columns of
        `MeasuredPairs.places`."""
        return self._join_frames("places")

    def _join_frames(self, attribute_name: str) -> pd.DataFrame:
        frames = {measure: getattr(pairs, attribute_name) for measure, pairs in self.items()}
        return pd.concat(frames, names=["measure"]).reset_index("measure").reset_index(drop=True)

    def to_latex(self, *, caption: str = "", label: str = "") -> str:
        """Return a LaTeX table for a paper, with a row per run and a column per measure. The
        parameters are the same as for `MeasuredPairs.to_latex`."""
        return _paper_table(list(self.values()), caption, label)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {pairs!r}" for name, pairs in self.items())

    def _repr_html_(self) -> str:
        return "".join(pairs._repr_html_() for pairs in self.values())


def _paper_table(parts: Sequence[MeasuredPairs], caption: str, label: str) -> str:
    # Some of the runs, if `select_runs` selected them.
    runs = [run for run in parts[0].combined if run in parts[0].runs]
    by_measure = {pairs.measure: pairs for pairs in parts}
    columns = {
        parse_measure(name): np.array([pairs.combined[run] for run in runs])
        for name, pairs in by_measure.items()
    }
    means = RunMeans(runs, columns, parts[0].n_queries)
    return all_pairs_table(means, by_measure, parts[0].level).to_latex(caption, label)
