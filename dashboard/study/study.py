"""Study: one collection of tables, joined with its judgments once, and the data that every page
needs.

A study is read-only and shared by all visits. Its results are cached, so that a page that was shown
before appears at once. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from dashboard.address.address import SHARED_QUERIES, Address
from dashboard.address.default_baseline import default_baseline
from dashboard.address.measure_key import ChosenMeasure, read_measure
from dashboard.address.method_key import read_method
from dashboard.address.view import (
    Comparison,
    View,
    address_for_measure,
    choose_runs,
    explain_missing_items,
    read_cutoff,
    replace_former_names,
)
from dashboard.study import columns
from dashboard.study.cached_answers import CachedAnswers
from dashboard.study.given_scores import read_file_scores
from dashboard.study.numbers import NumberedIds
from dashboard.workspace import DEFAULT_SETTINGS, Settings
from metrics_core.base.arrays import Mask
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.base.notes import Note
from metrics_core.checks.fit import find_near_matches
from metrics_core.explaining.list_changes import find_list_length, refuse_incomparable_run
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.exclusions import self_match_notes
from metrics_core.measures import Measure
from metrics_core.scoring import curves
from metrics_core.scoring.given_scores import (
    compare_with_computed_scores,
    select_measures,
    select_values,
    unused_score_notes,
)
from metrics_core.scoring.notes import add_range_to_tie_notes, score_notes
from metrics_core.scoring.resampling import prepare_draws
from metrics_core.scoring.scores import Scores, join_measures, score_runs
from metrics_core.slicing.breakdowns import order_groups
from metrics_core.slicing.derived_groups import MARK
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run
from metrics_core.tables.ranked_run import ranked_run_names

_NO_JUDGMENTS = Qrels.from_columns([], [], [])


class Study(CachedAnswers):
    """Runs, judgments, queries and documents that belong together, and scores given in files. If
    there are only given scores, there are no judged ranks and no judgments. If there are runs and
    no judgments (`is_unjudged`), there are no judged ranks, and every score is NaN. If
    `document_numbers` is set, the study's results contain a document's number in place of its id,
    text and title."""

    document_numbers: NumberedIds | None = None

    def __init__(
        self,
        runs: Sequence[Run],
        qrels: Qrels | None,
        queries: Queries | None = None,
        documents: Documents | None = None,
        judging: Callable[..., JudgedRanks] = join_judgments,
        settings: Settings = DEFAULT_SETTINGS,
        given_tables: Sequence[GivenScores] = (),
    ) -> None:
        """Join every run with the judgments. `refused` then has the error of each run that cannot
        be joined. If `qrels` is None, it has the error of each run that shares no query with the
        first run."""
        self.settings = settings
        self.given_tables = tuple(given_tables)
        has_judgments = qrels is not None
        qrels = _NO_JUDGMENTS if qrels is None else qrels
        self.qrels, self.queries, self.documents = qrels, queries, documents
        self.refused: dict[str, RanklensError] = {}
        self.refused_now: dict[str, RanklensError] = {}
        self.judged: dict[str, JudgedRanks] = {}
        self.runs: dict[str, Run] = {}
        if has_judgments and len(runs) > 1:
            prepare_draws(len(qrels.query_ids))
        for run in runs:
            try:
                if has_judgments:
                    ranks = judging(run, qrels, documents=documents)
                    first = next(iter(self.judged.values()), ranks)
                    self.judged[run.name] = ranks if first is ranks else ranks.share_cache(first)
                else:
                    refuse_incomparable_run(run, runs[0])
            except RanklensError as error:
                self.refused[run.name] = add_run_name_to_error(run.name, error)
                continue
            self.runs[run.name] = run
        self._start_cache(len(self.query_ids))

    @property
    def unlayered(self) -> Study:
        """The study with only the judgments in the files, without layers."""
        return self

    @property
    def is_unjudged(self) -> bool:
        """Whether there are runs but no judgments, so that pages compare the lists of two runs."""
        return bool(self.runs) and not self.judged

    @property
    def names(self) -> list[str]:
        """The names of the runs that can be compared, in the order of loading."""
        return list(self.runs) or list(self._file_scores.runs if self._file_scores else ())

    @cached_property
    def _file_scores(self) -> Scores | None:
        """The given scores for the runs and queries in their files. It is None if there are no
        files with given scores."""
        return read_file_scores(self.given_tables, self.settings)

    @cached_property
    def given_scores(self) -> Scores | None:
        """The given scores for all runs and queries of the study, NaN if missing. It is None if
        there are no given scores."""
        if self._file_scores is None:
            return None
        values = select_values(self._file_scores, self.names, self.query_ids)
        # A query without a score is left out, so no run counts as having an empty list.
        return Scores(
            tuple(self.names),
            tuple(self.query_ids),
            self._file_scores.measures,
            values,
            np.zeros(values.shape[:2], dtype=np.bool_),
        )

    @cached_property
    def given_scores_check(self) -> tuple[list[str], list[Note]]:
        """Two lists. The first has the names of the given measures that equal a computed measure.
        The second has notes about these measures, and about given scores that are not used."""
        if self._file_scores is None or self.given_scores is None or not self.judged:
            return [], []
        unused = unused_score_notes(self._file_scores, self.names, self.query_ids)
        equal_names, notes = compare_with_computed_scores(
            self.given_scores, lambda measures: score_runs([*self.judged.values()], measures)
        )
        return equal_names, [*unused, *notes]

    @cached_property
    def given_measures(self) -> list[Measure]:
        """The measures of the given scores. Measures for which higher is better come first,
        measures with an undeclared direction last. Measures that are equal to a computed one are
        left out."""
        file_measures = self._file_scores.measures if self._file_scores else ()
        measures = [m for m in file_measures if str(m) not in self.given_scores_check[0]]
        return sorted(measures, key=lambda m: (1, -1, 0).index(m.declaration.direction))

    def is_given(self, measure: Measure) -> bool:
        """Return whether the scores of a measure were given in files."""
        return measure in self.given_measures

    def is_computed(self, measure: Measure) -> bool:
        """Return whether the scores of a measure are computed from result lists and judgments."""
        return bool(self.judged) and not self.is_given(measure)

    def read_measure(self, key: str = "", cutoff: int = 10) -> ChosenMeasure:
        """Return the measure that an address names. Its scores may be given in files or computed.
        If `key` is empty, return the default measure."""
        return read_measure(key, cutoff, self.given_measures, has_lists=bool(self.runs))

    def runs_without_doc_ids(self, runs: Iterable[str]) -> list[str]:
        """Return the runs that were loaded as judged ranks and therefore lack the ids of unjudged
        documents. Only the given runs are considered."""
        return ranked_run_names(self.runs[name] for name in dict.fromkeys(runs))

    @cached_property
    def query_ids(self) -> list[str]:
        """All judged queries. Without judgments: all queries of the runs or of the given scores."""
        if self.is_unjudged:
            return list(dict.fromkeys(q for run in self.runs.values() for q in run.query_ids))
        if self._file_scores is None or self.runs:
            return self.qrels.query_ids
        return list(self._file_scores.query_ids)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each query, keyed by query_id. A query without a text has its id as text."""
        own_texts: dict[str, str] = {}
        if self.queries is not None:
            frame = self.queries.frame
            own_texts = dict(zip(frame["query_id"], frame["text"], strict=True))
        everything = dict.fromkeys([*self.query_ids, *own_texts])
        return {query_id: own_texts.get(query_id) or query_id for query_id in everything}

    @cached_property
    def document_columns(self) -> list[str]:
        """The columns of the documents file except id, title and text."""
        if self.documents is None:
            return []
        standard_columns = ("doc_id", "title", "text")
        return [c for c in self.documents.table.column_names if c not in standard_columns]

    @cached_property
    def groupings(self) -> list[str]:
        """The columns by which results can be broken down. Category and difficulty come first."""
        if self.queries is None:
            return []
        column_names = self.queries.groupings
        first_columns = [c for c in column_names if c.lower() in ("category", "difficulty")]
        return sorted(first_columns) + [c for c in column_names if c not in first_columns]

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The values of each column in display order, by column."""
        return {column: order_groups(series) for column, series in self.file_columns.items()}

    @property
    def file_columns(self) -> dict[str, pd.Series]:
        """The group of every judged query in each column of the files, indexed by query_id."""
        return self.cached_answer(columns.file_columns)

    def columns(self, comparison: Comparison) -> dict[str, pd.Series]:
        """Return all columns. Each has the group of every judged query, indexed by query_id.

        The columns of the files come first, followed by the derived columns. Some derived columns
        depend on the comparison, but never on its filters."""
        unfiltered = replace(comparison, filters=(), other_runs=())
        return self.cached_answer(columns.columns, unfiltered)

    def splitting_columns(self, comparison: Comparison) -> list[str]:
        """Return the names of the `columns` that divide the queries in view into more than one
        group."""
        return self.cached_answer(columns.splitting_columns, replace(comparison, other_runs=()))

    @cached_property
    def max_depth(self) -> int:
        """The length of the longest result list, but at most 1,000."""
        if self.is_unjudged:
            return max(find_list_length(run) for run in self.runs.values())
        return curves.longest_list_length(list(self.judged.values())) if self.judged else 1

    @cached_property
    def grades(self) -> list[float]:
        """The distinct positive grades of the judgments, and 0."""
        return sorted({0.0, *np.unique(self.qrels.relevance[self.qrels.relevance > 0]).tolist()})

    def notes(self, name: str, measure: Measure) -> tuple[Note, ...]:
        """Return the notes on a run: notes from joining it with the judgments, and notes about its
        scores on this measure."""
        if name not in self.judged:
            return ()
        if self.is_given(measure) or measure.find_missing_data(self.judged[name]):
            measure = self.read_measure().measure
        return self.cached_answer(_notes, name, measure)

    # Views, scores and texts

    def view(self, address: Address) -> View:
        """Return the view that an address selects, after checking the address against the loaded
        files."""
        cutoff = read_cutoff(address["k"], deepest_cutoff=self.max_depth)
        address = replace_former_names(address, dict(self.settings.names), self.names)
        default_run = default_baseline(self.names, use_earlier_rule=self.settings.old_baseline)
        focus, baseline, other_runs = choose_runs(
            address, self.names, self.runs_by_score, default_run
        )
        chosen_measure = self.read_measure(address["m"], cutoff)
        comparison = Comparison(
            focus=focus,
            baseline=baseline,
            other_runs=other_runs,
            chosen_measure=chosen_measure,
            cutoff=cutoff,
            loaded=len(self.names),
            method=read_method(address, chosen_measure.measure)[0],
            is_limited_to_shared_queries=address["missing"] == SHARED_QUERIES,
        )
        groups = self.groups
        if any(column.endswith(MARK) for column, _ in address["where"]):
            derived = self.columns(comparison)
            groups = {column: order_groups(derived[column]) for column in derived}
        known_filters = tuple(
            (column, value) for column, value in address["where"] if value in groups.get(column, ())
        )
        lacks = explain_missing_items(
            address, self.names, groups, self.texts, chosen_measure, self.refused
        )
        guessed = baseline not in (address["base"], self.names[0])
        return View(replace(comparison, filters=known_filters), address, lacks, guessed=guessed)

    def comparison(
        self,
        measure: Measure,
        *,
        baseline: str | None = None,
        focus: str | None = None,
        other_runs: tuple[str, ...] = (),
    ) -> Comparison:
        """Return the comparison for a command or a Python function, on this measure with its own
        cutoff. Runs are given by name.

        By default, the first run is the baseline, and the best of the other runs is in focus.
        Raises UnknownRunError."""
        for name in (baseline, focus):
            if name is not None and name not in self.names:
                raise UnknownRunError(name, self.names)
        baseline_name = self.names[0] if baseline is None else baseline
        return self.view(
            address_for_measure(measure, baseline_name, focus or "", other_runs)
        ).comparison

    @cached_property
    def runs_by_score(self) -> list[str]:
        """The runs sorted by score on the default measure, best first."""
        # One order for every view: another measure or cutoff must not change which runs are
        # compared.
        measure = self.read_measure().measure
        means = self.all_scores(measure).combined()[:, 0] * measure.declaration.direction
        order = np.argsort(-means, kind="stable")  # undefined means come last
        return [self.names[position] for position in order]

    def with_computed_measure(self, comparison: Comparison) -> Comparison:
        """Return the comparison on a computed measure, for pages that show result lists. A measure
        with scores from another tool is replaced by the default measure."""
        if self.is_computed(comparison.measure):
            return comparison
        return replace(comparison, chosen_measure=read_measure("", comparison.cutoff))

    def view_mask(self, comparison: Comparison) -> Mask:
        """Return which judged queries pass the filters, bool[query]."""
        return self.cached_answer(columns.view_mask, comparison.comparison_that_selects_queries)

    def n_in_view(self, comparison: Comparison) -> int:
        """Return the number of queries in view."""
        return int(self.view_mask(comparison).sum())

    def scores(self, comparison: Comparison, *measures: Measure) -> Scores:
        """Return the scores of the shown runs over the queries in view, float64[run, query,
        measure]."""
        return self.scores_of_all_runs(comparison, *measures).select_runs(comparison.runs)

    def scores_of_all_runs(self, comparison: Comparison, *measures: Measure) -> Scores:
        """Return the scores of all loaded runs over the queries in view."""
        return self.all_scores(*measures).select_queries(self.view_mask(comparison))

    def all_scores(self, *measures: Measure) -> Scores:
        """Return the scores of all loaded runs over all queries."""
        # Each measure is cached separately, because other answers need single ones.
        return join_measures([self.cached_answer(all_scores, measure) for measure in measures])

    def compute_scores(self, measure: Measure) -> Scores:
        """Return the scores of all loaded runs over all queries. The scores of a measure that was
        given in files come from these files; the scores of any other measure are computed."""
        if self.given_scores is not None and self.is_given(measure):
            return select_measures(self.given_scores, [str(measure)])
        if self.is_unjudged:
            names, ids = tuple(self.names), tuple(self.query_ids)
            unknown = np.full((len(names), len(ids), 1), np.nan)
            return Scores(names, ids, (measure,), unknown, np.isinf(unknown[:, :, 0]))
        return score_runs(list(self.judged.values()), (measure,))

    def with_texts(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with additional columns: `text`, `meta` (such as "Billing · medium"),
        and `by: NAME` for each grouping. The frame must have a column query_id."""
        descriptions = self.cached_answer(columns.describe_queries).reindex(frame["query_id"])
        return pd.concat([frame, descriptions.set_axis(frame.index)], axis=1)


def add_run_name_to_error(name: str, error: RanklensError) -> RanklensError:
    """Return the error of a run with the run's name added to its message."""
    return RanklensError(f"{name}: {error.message}", error.hint)


def _notes(study: Study, name: str, measure: Measure) -> tuple[Note, ...]:
    ranks = study.judged[name]
    return (
        *add_range_to_tie_notes(ranks, [measure]),
        *study.cached_answer(_run_notes, name),
        *score_notes(ranks, [measure]),
    )


def _run_notes(study: Study, name: str) -> tuple[Note, ...]:
    """Return the notes on a run that do not depend on the measure. They are about ids that are
    almost equal, and about documents with the same id as their query. They are cached separately
    from the other notes."""
    run = study.runs[name]
    return find_near_matches(run, study.qrels) + self_match_notes(run)


def all_scores(study: Study, measure: Measure) -> Scores:
    """Return the scores of all loaded runs over all queries. The study caches them."""
    return study.compute_scores(measure)
