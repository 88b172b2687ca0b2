"""Study: one collection of tables, judged once, and what every page needs of it.

A study is read-only and shared by all visitors; results are kept by what was asked, so that going
back to a page costs nothing. No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from dashboard.address.address import CONTROLS, Address
from dashboard.address.measure_key import read_measure
from dashboard.address.method_key import read_method
from dashboard.address.usual_baseline import usual_baseline
from dashboard.address.view import (
    Comparison,
    View,
    address_on,
    choose_runs,
    lacking,
    read_cutoff,
)
from dashboard.study import columns
from dashboard.study.keeping import KeptAnswers
from dashboard.study.numbers import Numbers
from dashboard.workspace import NOTHING_SAID, Settings
from metrics_core.base.arrays import Mask
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.base.notes import Note
from metrics_core.checks.fit import near_matches
from metrics_core.judging import JudgedRanks, judge
from metrics_core.judging.left_out import own_query_notes
from metrics_core.measures import Measure
from metrics_core.scoring import curves
from metrics_core.scoring.notes import score_notes, with_tie_range
from metrics_core.scoring.resampling import prepare_draws
from metrics_core.scoring.scores import Scores, score_runs, side_by_side
from metrics_core.slicing.breakdowns import ordered_groups
from metrics_core.slicing.derived_groups import MARK
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.ranked_run import nameless


class Study(KeptAnswers):
    """Runs, qrels, queries and documents that belong together. With `document_numbers`, answers
    have a document's number in place of its id, text and title."""

    document_numbers: Numbers | None = None

    def __init__(
        self,
        runs: Sequence[Run],
        qrels: Qrels,
        queries: Queries | None = None,
        documents: Documents | None = None,
        judging: Callable[..., JudgedRanks] = judge,
        settings: Settings = NOTHING_SAID,
    ) -> None:
        """Judge every run; of those that share no query with the qrels, `refused` says why."""
        self.settings = settings
        self.qrels, self.queries, self.documents = qrels, queries, documents
        self.refused: dict[str, RanklensError] = {}
        self.refused_now: dict[str, RanklensError] = {}
        self.judged: dict[str, JudgedRanks] = {}
        self.runs: dict[str, Run] = {}
        if len(runs) > 1:
            prepare_draws(len(self.query_ids))
        for run in runs:
            try:
                ranks = judging(run, qrels, documents=documents)
                first = next(iter(self.judged.values()), ranks)
                self.judged[run.name] = ranks if first is ranks else ranks.sharing(first)
            except RanklensError as error:
                self.refused[run.name] = refused(run.name, error)
                continue
            self.runs[run.name] = run
        self._begin_keeping(len(self.query_ids))

    @property
    def bare(self) -> Study:
        """The same with the judgments as they are in the files."""
        return self

    @property
    def names(self) -> list[str]:
        """The runs that can be compared, in the order of loading."""
        return list(self.runs)

    def nameless(self, runs: Iterable[str]) -> list[str]:
        """Those of the runs that came as judged ranks: documents without a judgment have no name
        there."""
        return nameless(self.runs[name] for name in dict.fromkeys(runs))

    @cached_property
    def query_ids(self) -> list[str]:
        """All judged queries."""
        return self.qrels.query_ids

    @cached_property
    def texts(self) -> dict[str, str]:
        """query_id -> text, the id itself where there is none."""
        own: dict[str, str] = {}
        if self.queries is not None:
            frame = self.queries.frame
            own = dict(zip(frame["query_id"], frame["text"], strict=True))
        everything = dict.fromkeys([*self.query_ids, *own])
        return {query_id: own.get(query_id) or query_id for query_id in everything}

    @cached_property
    def document_columns(self) -> list[str]:
        """Columns of the documents beside id, title and text."""
        if self.documents is None:
            return []
        known = ("doc_id", "title", "text")
        return [c for c in self.documents.table.column_names if c not in known]

    @cached_property
    def groupings(self) -> list[str]:
        """Columns to break results down by, category and difficulty first."""
        if self.queries is None:
            return []
        there = self.queries.groupings
        usual = [c for c in there if c.lower() in ("category", "difficulty")]
        return sorted(usual) + [c for c in there if c not in usual]

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Column -> its values in a reader's order."""
        return {column: ordered_groups(found) for column, found in self.own_columns.items()}

    @property
    def own_columns(self) -> dict[str, pd.Series]:
        """Grouping -> the group of each judged query, indexed by query_id."""
        return self.kept(columns.own_columns)

    def columns(self, comparison: Comparison) -> dict[str, pd.Series]:
        """Column -> the group of each judged query, indexed by query_id: what to break results down
        by, the files' own columns first, then the derived ones, some of which depend on what is
        compared, though never on the filters."""
        asked = replace(comparison, where=(), also=())
        return self.kept(columns.columns, asked)

    def splitting(self, comparison: Comparison) -> list[str]:
        """Those of `columns` that tell the queries in view apart; the others explain nothing."""
        return self.kept(columns.splitting, replace(comparison, also=()))

    @cached_property
    def deepest(self) -> int:
        """How deep the deepest run goes, 1,000 at the most."""
        return curves.depth_of(list(self.judged.values()))

    @cached_property
    def grades(self) -> list[float]:
        """The positive grades that occur, and 0."""
        return sorted({0.0, *np.unique(self.qrels.relevance[self.qrels.relevance > 0]).tolist()})

    def notes(self, name: str, measure: Measure) -> tuple[Note, ...]:
        """What judging this run noticed, and what its score on a measure rests on."""
        if name not in self.judged:
            return ()
        if measure.lacks(self.judged[name]):
            measure = read_measure("", 10).measure
        return self.kept(_notes, name, measure)

    # What is asked

    def view(self, address: Address) -> View:
        """The address, checked against what is loaded."""
        cutoff = read_cutoff(address["k"], deepest=self.deepest)
        address = self._with_names_of_now(address)
        usual = usual_baseline(self.names, as_before=self.settings.old_baseline)
        focus, baseline, also = choose_runs(address, self.names, self.best_first, usual)
        chosen = read_measure(address["m"], cutoff)
        comparison = Comparison(
            focus=focus,
            baseline=baseline,
            also=also,
            chosen=chosen,
            cutoff=cutoff,
            loaded=len(self.names),
            method=read_method(address, chosen.measure)[0],
            controls=tuple(control.read(address) for control in CONTROLS),
        )
        groups = self.groups
        if any(column.endswith(MARK) for column, _ in address["where"]):
            derived = self.columns(comparison)
            groups = {column: ordered_groups(derived[column]) for column in derived}
        known = tuple(
            (column, value) for column, value in address["where"] if value in groups.get(column, ())
        )
        lacks = lacking(address, self.names, groups, self.texts, chosen, self.refused)
        guessed = baseline not in (address["base"], self.names[0])
        return View(replace(comparison, where=known), address, lacks, guessed=guessed)

    def comparison(
        self,
        measure: Measure,
        *,
        baseline: str | None = None,
        focus: str | None = None,
        also: tuple[str, ...] = (),
    ) -> Comparison:
        """What a program or a command line asks for: this measure at its own cutoff, and runs by
        name. Without a name the baseline is the first run and the best of the others is in focus.
        Raises UnknownRunError."""
        for name in (baseline, focus):
            if name is not None and name not in self.runs:
                raise UnknownRunError(name, self.names)
        against = self.names[0] if baseline is None else baseline
        return self.view(address_on(measure, against, focus or "", also)).comparison

    def _with_names_of_now(self, address: Address) -> Address:
        """Links of before a run was given another name still lead to it."""
        names = dict(self.settings.names)

        def called(name: str) -> str:
            return names.get(name, name) if name not in self.runs else name

        if not names:
            return address
        here = {f.name for f in address.fields}
        changed = {"run": called(address["run"]), "base": called(address["base"])}
        several = {f: tuple(map(called, address[f])) for f in ("also", "versions") if f in here}
        return address.changed(**changed, **several)

    @cached_property
    def best_first(self) -> list[str]:
        """The runs, best first on the usual measure."""
        # One order for every view: another measure or cutoff must not change who is compared.
        measure = read_measure("", 10).measure
        known = self.all_scores(measure).values[:, :, 0]
        means = dict(zip(self.names, (float(row.mean()) for row in known), strict=True))
        return sorted(self.names, key=lambda n: -means[n])

    def in_view(self, comparison: Comparison) -> Mask:
        """Which judged queries the filters leave; bool[Q]."""
        return self.kept(columns.in_view, comparison.narrowing)

    def scores(self, comparison: Comparison, *measures: Measure) -> Scores:
        """Per-query scores of the shown runs over the queries in view."""
        return self.every_score(comparison, *measures).only(comparison.runs)

    def every_score(self, comparison: Comparison, *measures: Measure) -> Scores:
        """Per-query scores of all loaded runs over the queries in view."""
        return self.all_scores(*measures).among(self.in_view(comparison))

    def all_scores(self, *measures: Measure) -> Scores:
        """Per-query scores of all loaded runs over all queries."""
        # Each kept by itself, for other answers ask for single ones of them.
        return side_by_side([self.kept(all_scores, measure) for measure in measures])

    def scored(self, measure: Measure) -> Scores:
        """Per-query scores of all loaded runs over all queries, worked out now."""
        return score_runs(list(self.judged.values()), (measure,))

    def with_texts(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with `text`, `meta` ("Billing · medium") and every grouping of each query."""
        told = self.kept(columns.told).reindex(frame["query_id"]).set_axis(frame.index)
        return pd.concat([frame, told], axis=1)


def refused(name: str, error: RanklensError) -> RanklensError:
    """The error of one run, with its name."""
    return RanklensError(f"{name}: {error.message}", error.hint)


def _notes(study: Study, name: str, measure: Measure) -> tuple[Note, ...]:
    ranks = study.judged[name]
    return (
        *with_tie_range(ranks, [measure]),
        *study.kept(_near_matches, name),
        *score_notes(ranks, [measure]),
    )


def _near_matches(study: Study, name: str) -> tuple[Note, ...]:
    """By itself, for no measure changes it."""
    run = study.runs[name]
    return near_matches(run, study.qrels) + own_query_notes(run)


def all_scores(study: Study, measure: Measure) -> Scores:
    """What a study keeps: the scores of all loaded runs over all queries."""
    return study.scored(measure)
