"""A study with active judgment layers. Only the queries that have grades in these layers are joined
with judgments and scored again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dashboard.study.cached_answers import limit_cached_results
from dashboard.study.study import Study, add_run_name_to_error, all_scores
from dashboard.workspace import Layer
from metrics_core.base.errors import RanklensError
from metrics_core.base.parallel import map_on_all_cores
from metrics_core.judging import JudgedRanks
from metrics_core.judging.layers import apply_layers, queries_in_layers, rejoin_changed_queries
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores, score_runs

_OF_QUERIES = (
    *("texts", "groupings", "groups", "document_columns", "query_ids"),
    "_file_scores",
)
"""Names of cached attributes of a study that depend on which queries there are, but not on their
grades."""


def with_layers(study: Study, layers: Sequence[Layer]) -> Study:
    """Return the study with the grades of these layers added to its judgments.

    If two layers grade the same document, the grade of the layer that was begun later is used. The
    last few results are cached."""
    nonempty_layers = tuple(
        layer for layer in sorted(layers, key=lambda v: v.creation_sort_key) if len(layer)
    )
    if not nonempty_layers:
        return study.unlayered
    return study.unlayered.cached_answer(_make_layered, nonempty_layers)


@limit_cached_results(4)
def _make_layered(study: Study, layers: tuple[Layer, ...]) -> LayeredStudy:
    return LayeredStudy(study, layers)


class LayeredStudy(Study):
    """A study whose judgments include the grades of layers.

    Runs that do not fit the judgments in the files stay refused. `refused_now` are runs that were
    loaded as judged ranks and can no longer be scored: a layer judges additional documents, and
    their ranks in these runs are unknown."""

    def __init__(self, bare: Study, layers: Sequence[Layer]) -> None:
        """Add the layers to the study `bare`, which has only the judgments in the files. Runs and
        judgments are joined again for the queries that have grades in the layers."""
        graded = [layer.grades for layer in layers]
        self._bare, self.settings, self.given_tables = bare, bare.settings, bare.given_tables
        self.qrels = apply_layers(bare.qrels, graded)
        self.queries, self.documents = bare.queries, bare.documents
        self.changed = queries_in_layers(self.qrels, graded)
        # Without judgments in files, grades do not make runs comparable, so ranks stay unjudged.
        rejudged_runs = dict(
            zip(bare.judged, map_on_all_cores(self._rejudge, list(bare.judged)), strict=True)
        )
        self.judged = {name: r for name, r in rejudged_runs.items() if isinstance(r, JudgedRanks)}
        self.runs = {name: bare.runs[name] for name in (self.judged if bare.judged else bare.runs)}
        self.refused_now = {n: r for n, r in rejudged_runs.items() if isinstance(r, RanklensError)}
        self.refused = bare.refused | self.refused_now
        self.given_measures = bare.given_measures
        self._start_cache(len(self.query_ids))
        if self.is_unjudged or len(self.changed) == len(bare.query_ids):
            self.__dict__ |= {name: getattr(bare, name) for name in _OF_QUERIES}

    def _rejudge(self, name: str) -> JudgedRanks | RanklensError:
        bare = self._bare
        try:
            return rejoin_changed_queries(
                bare.judged[name], bare.runs[name], self.qrels, self.changed
            )
        except RanklensError as error:
            return add_run_name_to_error(name, error)

    @property
    def unlayered(self) -> Study:
        """The study with only the judgments in the files, without layers."""
        return self._bare

    @cached_property
    def _changed_ranks(self) -> list[JudgedRanks]:
        return [ranks.select_queries(self.changed) for ranks in self.judged.values()]

    def compute_scores(self, measure: Measure) -> Scores:
        """Return the scores of all runs over all queries.

        If the score of a query depends only on that query, only the queries in the layers are
        scored again."""
        if self.is_given(measure) or self.is_unjudged:
            return super().compute_scores(measure)
        tops = {ranks.top_grade for s in (self, self._bare) for ranks in s.judged.values()}
        if not measure.declaration.by_query or len(tops) > 1:
            return super().compute_scores(measure)
        file_scores = self._bare.cached_answer(all_scores, measure).select_runs(self.names)
        new_scores = score_runs(self._changed_ranks, (measure,))
        n_runs, n_before, n_measures = file_scores.values.shape
        values = np.full((n_runs, len(self.changed), n_measures), np.nan)
        values[:, :n_before] = file_scores.values
        values[:, self.changed] = new_scores.values
        missing = np.array([ranks.retrieved == 0 for ranks in self.judged.values()])
        return Scores(
            file_scores.runs, tuple(self.query_ids), file_scores.measures, values, missing
        )
