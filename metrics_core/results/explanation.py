"""The explanation of one query's score."""

from __future__ import annotations

from dataclasses import dataclass, field

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.html_cell import html_cell, html_sentence, html_table

_NO_PART = "No document contributes."


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explanation of a query's score in a run, possibly compared with a baseline.

    frame     one row per document that contributes, largest contribution first. Columns: doc_id,
              grade, rank, part (the contribution to the score). If there is a baseline, it also has
              the column baseline_rank, and part is the contribution to the difference
    rest      the part of the score, or of the difference, that no document contributes
    missed    relevant documents that are missing from the top of either run"""

    query_id: str
    measure: str
    run: str
    score: float
    baseline: str | None
    baseline_score: float | None
    sentence: str
    frame: pd.DataFrame = field(repr=False)
    rest: float = 0.0
    missed: pd.DataFrame | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        table = self.frame.to_string(index=False) if len(self.frame) else _NO_PART
        return f"{self.sentence}\n{self._scores}\n{table}"

    def _repr_html_(self) -> str:
        counts = dict.fromkeys(self.frame.columns[1:], w.format_count)
        table = html_table(self.frame, **(counts | {"part": w.format_difference}))
        body = table if len(self.frame) else html_sentence(_NO_PART)
        return html_cell(self.sentence, [html_sentence(self._scores), body])

    @property
    def _scores(self) -> str:
        """The query, and the score of each run on it."""
        scores = f"{self.measure} of query {self.query_id}: {self.run} {w.format_score(self.score)}"
        if self.baseline is not None and self.baseline_score is not None:
            scores += f", {self.baseline} {w.format_score(self.baseline_score)}"
        return scores
