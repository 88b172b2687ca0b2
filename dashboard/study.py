"""Study: one collection of tables, judged once, and what every page needs of it.

A study is read-only and shared by all visitors; results are kept by what was asked, so that going
back to a page costs nothing. No Streamlit here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.view import (
    SHOW_ALL,
    SHOWS,
    Address,
    View,
    choose_runs,
    read_cutoff,
    read_measure,
    read_where,
)
from metrics_core import curves as by_cutoff
from metrics_core import findings
from metrics_core.breakdowns import (
    FEWEST_QUERIES,
    breakdown,
    cross_breakdown,
    group_of,
    ordered_groups,
)
from metrics_core.comparisons import BETTER, SAME, WORSE, compare, differences, score_matrix
from metrics_core.diagnosis import Diagnosis, diagnose
from metrics_core.errors import RanklensError
from metrics_core.fit import FitLine, fit_report, near_matches
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring import score_frame
from metrics_core.tables import Documents, Note, Qrels, Queries, Run

_KEPT_RESULTS = 256
_USUAL_MEASURES = ("nDCG@{k}", "P@{k}", "R@{k}", "RR", "AP")
_CURVE_FAMILIES = ("P", "R", "nDCG")
_LISTED = 5

Result = TypeVar("Result")


@dataclass(frozen=True)
class Overview:
    """What the Overview shows."""

    verdict: findings.Sentence
    others: findings.Sentence
    facts: findings.Facts
    table: pd.DataFrame
    measures: list[tuple[str, str]]
    judged_shares: dict[str, float]
    comparison: pd.DataFrame
    worse: pd.DataFrame
    better: pd.DataFrame
    won: int
    lost: int
    groups: pd.DataFrame | None
    grouping: str | None


@dataclass(frozen=True)
class Curves:
    """What the Curves page shows; `frames` by measure name."""

    finding: findings.Sentence
    frames: dict[str, pd.DataFrame]
    precision_recall: pd.DataFrame
    queries: int


@dataclass(frozen=True)
class Breakdown:
    """What the Breakdown page shows; without groups only `groupings` is empty."""

    groupings: list[str]
    by: str = ""
    finding: findings.Sentence = field(default_factory=findings.Sentence)
    strongest: findings.Sentence = field(default_factory=findings.Sentence)
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)
    order: list[str] = field(default_factory=list)
    second: str | None = None
    cells: pd.DataFrame | None = None
    second_groups: pd.DataFrame | None = None
    second_order: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class QueryList:
    """What the Queries page shows: all queries in view with a column of scores per run, and which
    of them the chip and the search keep."""

    finding: findings.Sentence
    counts: dict[str, int]
    frame: pd.DataFrame
    kept: pd.DataFrame
    groupings: list[str]


@dataclass(frozen=True)
class QueryPage:
    """What the Query page shows; `position` counts from 0 in the list the reader came from."""

    diagnosis: Diagnosis
    text: str
    metadata: dict[str, str]
    explanation: findings.Sentence
    documents: pd.DataFrame
    previous: str | None
    following: str | None
    position: int | None
    listed: int


class Study:
    """Runs, qrels, queries and documents that belong together."""

    def __init__(
        self,
        runs: Sequence[Run],
        qrels: Qrels,
        queries: Queries | None = None,
        documents: Documents | None = None,
    ) -> None:
        """Judge every run. Runs that share no query with the qrels are left out of `runs`; why
        stands in `refused`."""
        self.qrels, self.queries, self.documents = qrels, queries, documents
        self.refused: dict[str, RanklensError] = {}
        self.judged: dict[str, JudgedRanks] = {}
        self.runs: dict[str, Run] = {}
        for run in runs:
            try:
                self.judged[run.name] = judge(run, qrels)
            except RanklensError as error:
                self.refused[run.name] = error
                continue
            self.runs[run.name] = run
        self._results: dict[Hashable, Any] = {}
        self._lock = Lock()

    def _kept(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result for this key, computed once."""
        with self._lock:
            if key in self._results:
                found: Result = self._results[key]
                return found
        result = compute()
        with self._lock:
            self._results[key] = result
            while len(self._results) > _KEPT_RESULTS:
                self._results.pop(next(iter(self._results)))
        return result

    # What there is

    @property
    def names(self) -> list[str]:
        """The runs that can be compared, in the order of loading."""
        return list(self.runs)

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
        if self.queries is None:
            return {}
        return {
            c: ordered_groups(group_of(self.queries, self.query_ids, c)) for c in self.groupings
        }

    @cached_property
    def deepest(self) -> int:
        """How deep the deepest run goes, 1,000 at the most."""
        return by_cutoff.depth_of(list(self.judged.values()))

    @cached_property
    def grades(self) -> list[float]:
        """The positive grades that occur, and 0."""
        return sorted({0.0, *np.unique(self.qrels.relevance[self.qrels.relevance > 0]).tolist()})

    def notes(self, name: str) -> tuple[Note, ...]:
        """What judging this run noticed."""
        if name not in self.judged:
            return ()
        near = self._kept(("near", name), lambda: near_matches(self.runs[name], self.qrels))
        return (*self.judged[name].notes, *near)

    def fit(self, cutoff: int) -> list[FitLine]:
        """Do the files fit together?"""
        return self._kept(
            ("fit", cutoff),
            lambda: fit_report(
                list(self.runs.values()),
                list(self.judged.values()),
                self.qrels,
                self.queries,
                self.documents,
                cutoff=cutoff,
            ),
        )

    def judged_share(self, name: str, cutoff: int) -> float:
        """Share of the run's top results that are judged, over all judged queries."""
        return by_cutoff.judged_share(self.judged[name], cutoff)

    # What is asked

    def view(self, address: Address) -> View:
        """The address, checked against what is loaded."""
        cutoff = read_cutoff(address.k, deepest=self.deepest)
        measure, key = read_measure(address.m, cutoff)
        focus, baseline, also = choose_runs(address, self.names, self._best_first(measure))
        by = address.by if address.by in self.groupings else next(iter(self.groupings), "")
        return View(
            focus=focus,
            baseline=baseline,
            also=also,
            measure=measure,
            measure_key=key,
            cutoff=cutoff,
            where=read_where(address.where, self.groups),
            show=address.show if address.show in SHOWS else SHOW_ALL,
            search=address.s,
            by=by,
            query_id=address.q,
            doc_id=address.doc,
        )

    def _best_first(self, measure: Measure) -> list[str]:
        means = {n: float(np.nanmean(self._scores(n, measure))) for n in self.names}
        return sorted(self.names, key=lambda n: -means[n])

    def _scores(self, name: str, measure: Measure) -> npt.NDArray[np.float64]:
        return self._kept(("scores", name, str(measure)), lambda: measure.score(self.judged[name]))

    def in_view(self, view: View) -> npt.NDArray[np.bool_]:
        """Which judged queries the filters leave; bool[Q]."""
        mask = np.ones(len(self.query_ids), dtype=np.bool_)
        if self.queries is not None:
            for column in {c for c, _ in view.where}:
                groups = group_of(self.queries, self.query_ids, column)
                mask &= groups.isin(view.chosen(column)).to_numpy()
        return mask

    def score_frame(self, view: View, measures: Sequence[Measure]) -> pd.DataFrame:
        """Per-query scores of the shown runs over the queries in view."""
        names = tuple(str(m) for m in measures)

        def compute() -> pd.DataFrame:
            mask = self.in_view(view)
            judged = [self.judged[name].among(mask) for name in view.runs]
            return score_frame(judged, list(measures))

        return self._kept(("frame", view.runs, view.where, names), compute)

    # What the pages show

    def overview(self, view: View) -> Overview:
        """The Overview page."""
        return self._kept(("overview", _about(view)), lambda: self._overview(view))

    def _overview(self, view: View) -> Overview:
        measures = overview_measures(view)
        scores = self.score_frame(view, measures)
        name = str(view.measure)
        by_measure = {str(m): compare(scores, str(m), view.baseline) for m in measures}
        comparison = by_measure[name]
        table = pd.concat([f.assign(measure=m) for m, f in by_measure.items()], ignore_index=True)
        table["clear"] = table["verdict"].isin(["ahead", "behind"])
        grouping = next(iter(self.groupings), None)
        groups = None
        if grouping is not None and self.queries is not None and not scores.empty:
            groups = breakdown(scores, self.queries, name, by=grouping, baseline=view.baseline)
        gaps = self._with_texts(differences(scores, name, view.focus, view.baseline))
        gaps = gaps.sort_values("difference", kind="stable")
        own = groups[groups["run"] == view.focus] if groups is not None else None
        return Overview(
            verdict=findings.verdict(comparison, name, view.focus, view.baseline, groups),
            others=findings.others_verdict(comparison, view.focus, view.baseline),
            facts=self._facts(view, scores),
            table=table,
            measures=[(str(m), gloss(m)) for m in measures],
            judged_shares={
                n: by_cutoff.judged_share(self.judged[n].among(self.in_view(view)), view.cutoff)
                for n in view.runs
            },
            comparison=comparison,
            worse=gaps[gaps["outcome"] == WORSE].head(_LISTED),
            better=gaps[gaps["outcome"] == BETTER].iloc[::-1].head(_LISTED),
            won=int((gaps["outcome"] == BETTER).sum()),
            lost=int((gaps["outcome"] == WORSE).sum()),
            groups=None if own is None else own.sort_values("difference", ascending=False),
            grouping=grouping,
        )

    def _facts(self, view: View, scores: pd.DataFrame) -> findings.Facts:
        mask = self.in_view(view)
        ranks = [self.judged[name].among(mask) for name in view.runs]
        listed = sum(int(np.minimum(r.retrieved, view.cutoff).sum()) for r in ranks)
        judged = sum(float(r.judged().count(view.cutoff).sum()) for r in ranks)
        grades = ranks[0].judged_relevance
        matrix = score_matrix(scores, str(view.measure), view.runs)
        return findings.Facts(
            queries=int(mask.sum()),
            judgments=int((grades >= 0).sum()),
            lowest_grade=float(grades.min()) if len(grades) else math.nan,
            highest_grade=float(grades.max()) if len(grades) else math.nan,
            judged_share=judged / listed if listed else math.nan,
            cutoff=view.cutoff,
            all_zero=int((matrix == 0).all(axis=1).sum()),
            missing=sum(int((r.retrieved == 0).any()) and len(r.missing_queries) for r in ranks),
            unjudged=len({q for n in view.runs for q in self.judged[n].unjudged_queries}),
        )

    def curves(self, view: View) -> Curves:
        """The Curves page."""
        key = ("curves", view.runs, view.baseline, view.where, view.family, view.cutoff)
        return self._kept(key, lambda: self._curves(view))

    def _curves(self, view: View) -> Curves:
        mask = self.in_view(view)
        judged = [self.judged[name].among(mask) for name in view.runs]
        cutoffs = by_cutoff.cutoffs_up_to(by_cutoff.depth_of(judged), also=[view.cutoff])
        frames = {
            family: by_cutoff.curves(judged, parse_measure(f"{family}@1"), cutoffs, view.baseline)
            for family in _CURVE_FAMILIES
        }
        family = view.family
        if view.measure.declaration.cutoff is None:
            family = "nDCG"
        own = frames.get(family)
        if own is None:
            own = by_cutoff.curves(judged, view.measure.at(1), cutoffs, view.baseline)
            frames = {family: own, **frames}
        return Curves(
            finding=findings.curves_finding(own, family, view.focus, view.baseline),
            frames=frames,
            precision_recall=by_cutoff.precision_recall(judged),
            queries=int(mask.sum()),
        )

    def breakdown(self, view: View) -> Breakdown:
        """The Breakdown page."""
        return self._kept(("breakdown", _about(view), view.by), lambda: self._breakdown(view))

    def _breakdown(self, view: View) -> Breakdown:
        if self.queries is None or not view.by:
            return Breakdown(groupings=[])
        name = str(view.measure)
        scores = self.score_frame(view, overview_measures(view))
        groups = breakdown(scores, self.queries, name, by=view.by, baseline=view.baseline)
        own = groups[groups["run"] == view.focus]
        rank_by = "difference" if view.focus != view.baseline else "mean"
        order = list(own.sort_values(rank_by, ascending=False)["group"])
        second = next((c for c in self.groupings if c != view.by), None)
        cells = second_groups = None
        if second is not None:
            cells = cross_breakdown(
                scores,
                self.queries,
                name,
                rows=view.by,
                columns=second,
                run=view.focus,
                baseline=view.baseline,
            )
            rank = {group: i for i, group in enumerate(order)}
            cells = cells.sort_values(
                "row", key=lambda rows: rows.map(rank).fillna(len(rank)), kind="stable"
            )
            second_groups = breakdown(scores, self.queries, name, by=second, baseline=view.baseline)
        return Breakdown(
            groupings=self.groupings,
            by=view.by,
            finding=findings.breakdown_finding(
                groups.assign(
                    _rank=groups["group"].map({g: i for i, g in enumerate(order)})
                ).sort_values("_rank", kind="stable"),
                view.focus,
                view.baseline,
            ),
            strongest=findings.strongest_other(groups, view.focus, view.baseline),
            groups=groups,
            order=order,
            second=second,
            cells=cells,
            second_groups=second_groups,
            second_order=self.groups.get(second or "", []),
        )

    def query_list(self, view: View) -> QueryList:
        """The Queries page."""
        key = ("queries", _about(view), view.show, view.search)
        return self._kept(key, lambda: self._query_list(view))

    def _query_list(self, view: View) -> QueryList:
        name = str(view.measure)
        scores = self.score_frame(view, [view.measure])
        frame = self._with_texts(differences(scores, name, view.focus, view.baseline))
        matrix = score_matrix(scores, name, view.runs).reset_index(drop=True)
        fails = (matrix == 0).all(axis=1)
        frame = pd.concat([frame, matrix.add_prefix("run: ")], axis=1)
        frame["in: none"] = fails.to_numpy()
        frame["in: zero"] = (matrix[view.focus] == 0).to_numpy()
        for outcome in (BETTER, WORSE, "same"):
            frame[f"in: {outcome}"] = (frame["outcome"] == outcome).to_numpy()
        frame[f"in: {SHOW_ALL}"] = True
        counts = {show: int(frame[f"in: {show}"].sum()) for show in SHOWS}
        kept = frame[frame[f"in: {view.show}"]]
        if view.search:
            wanted = view.search.casefold()
            inside = kept["text"].str.casefold().str.contains(wanted, regex=False)
            inside |= kept["query_id"].str.casefold() == wanted
            kept = kept[inside]
        best_first = view.show == BETTER
        kept = kept.sort_values("difference", ascending=not best_first, kind="stable")
        return QueryList(
            finding=findings.queries_finding(
                frame, view.focus, view.baseline, counts["none"], len(view.runs)
            ),
            counts=counts,
            frame=frame,
            kept=kept,
            groupings=self.groupings,
        )

    def query(self, view: View) -> QueryPage:
        """The Query page; of the first query in the list where the view names none."""
        listed = list(self.query_list(view).kept["query_id"])
        known = view.query_id in self.texts
        query_id = view.query_id if known else next(iter(listed), self.query_ids[0])
        place = listed.index(query_id) if query_id in listed else None
        found = self._kept(
            ("diagnosis", query_id, _about(view)), lambda: self._diagnosis(view, query_id)
        )
        return QueryPage(
            diagnosis=found,
            text=self.texts[query_id],
            metadata=self._metadata(query_id),
            explanation=findings.explain(found),
            documents=self._documents_of(found),
            previous=listed[place - 1] if place else None,
            following=listed[place + 1] if place is not None and place + 1 < len(listed) else None,
            position=place,
            listed=len(listed),
        )

    def _diagnosis(self, view: View, query_id: str) -> Diagnosis:
        return diagnose(
            [self.runs[name] for name in view.runs],
            [self.judged[name] for name in view.runs],
            self.qrels,
            query_id,
            view.measure,
            baseline=view.baseline,
            focus=view.focus,
            cutoff=view.cutoff,
        )

    def _documents_of(self, found: Diagnosis) -> pd.DataFrame:
        if self.documents is None:
            return pd.DataFrame(columns=["title", "text"])
        tops = [frame["doc_id"].head(found.cutoff) for frame in found.rankings.values()]
        wanted = pd.concat([*tops, found.missed["doc_id"]])
        return self.documents.lookup(wanted)

    def _metadata(self, query_id: str) -> dict[str, str]:
        if self.queries is None:
            return {}
        rows = self.queries.frame[self.queries.frame["query_id"] == query_id]
        if rows.empty:
            return {}
        row = rows.iloc[0]
        return {c: str(row[c]) for c in self.queries.columns if pd.notna(row[c]) and row[c] != ""}

    def _with_texts(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with `text`, `meta` ("Billing · medium") and every grouping of each query."""
        frame = frame.assign(text=frame["query_id"].map(self.texts))
        shown = []
        for column in self.groupings:
            if self.queries is not None:
                groups = group_of(self.queries, list(frame["query_id"]), column)
                frame[f"by: {column}"] = groups.to_numpy()
                shown.append(f"by: {column}")
        parts: Mapping[str, Any] = frame[shown[:2]]
        frame["meta"] = [" · ".join(row) for row in parts.to_numpy().tolist()] if shown else ""
        return frame


def _about(view: View) -> Hashable:
    """What every comparison depends on."""
    return (view.runs, view.focus, view.baseline, str(view.measure), view.cutoff, view.where)


def overview_measures(view: View) -> list[Measure]:
    """The usual measures at the chosen cutoff, with the chosen one."""
    usual = [parse_measure(m.format(k=view.cutoff)) for m in _USUAL_MEASURES]
    if str(view.measure) in {str(m) for m in usual}:
        return usual
    return [view.measure, *usual]


def gloss(measure: Measure) -> str:
    """A measure's meaning in a few words, for a table head."""
    text = measure.declaration.gloss
    if measure.cutoff is None and "{k}" in text:
        return text.replace("top {k}", "whole list")
    return text.replace("{k}", str(measure.cutoff))


__all__ = [
    "FEWEST_QUERIES",
    "SAME",
    "Breakdown",
    "Curves",
    "Overview",
    "QueryList",
    "QueryPage",
    "Study",
    "gloss",
    "overview_measures",
]
