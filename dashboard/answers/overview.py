"""The Overview: is it better, is it real, where to look."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.address.address import MISSING, Address
from dashboard.address.measure_key import at_k
from dashboard.address.view import Comparison
from dashboard.answers.breakdown import of_focus_by_column
from dashboard.answers.compared import compared_each, doubted, of_shown, what_it_rests_on
from dashboard.answers.group_names import noun_of, spoken
from dashboard.answers.pairs import every_pair, every_pair_known
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.pairs import BETTER, WORSE, differences, interval_tested
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.explaining.top_document import top_document
from metrics_core.findings.changes import change_in_short
from metrics_core.findings.groups import untested_note
from metrics_core.findings.queries import Facts
from metrics_core.findings.sentence import Sentence, joined, muted
from metrics_core.findings.testing import coloured_note
from metrics_core.findings.verdicts import (
    VerdictFinding,
    alone,
    groups_finding,
    measures_finding,
    method_finding,
)
from metrics_core.findings.verdicts import verdict as verdict_of
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.curves import judged_share
from metrics_core.scoring.means import aggregate
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import sizes_only
from metrics_core.slicing.derived_groups import DERIVED
from metrics_core.slicing.filtering import quoted_name

_USUAL_MEASURES = ("nDCG@{k}", "P@{k}", "R@{k}", "RR", "AP")
_LISTED = 5
LISTED_GROUPS = 5
"""Groups listed at most; all stand on the Breakdown page."""
_BINS = 10
_MOST_JUDGED = 40
"""Runs at most, the best, of which a leaderboard says how much is judged, beside those shown."""
_BY_LENGTH = DERIVED[0].key
SHOWN_IN_FULL = 5
"""Of more runs than these the table is the leaderboard of all that are loaded."""


@dataclass(frozen=True)
class Overview:
    """What the Overview shows. `measures` are name, gloss and how each is chosen in an address;
    `tested` says how the verdict was found, `doubts` what speaks against the test. `table` and
    `judged_shares` are of the runs shown, of many of all that are loaded; `every` compares all of
    them on the chosen measure, `comparison` those shown. `too_few` runs have too few queries of
    both scores for a verdict on the chosen measure. Queries that are `worse` and `better` have
    `unlisted_by`: which of the two does not list it, or "", and `cause`, in a few words or "";
    `examples` are all of them where they are too few to test. `coloured` says what the colours of
    the table stand for. `histogram` counts the scores of a run alone, by tenths from 0 to 1."""

    verdict: VerdictFinding
    tested: Sentence
    doubts: Sentence
    by_measure: Sentence
    by_group: Sentence
    facts: Facts
    table: pd.DataFrame
    measures: list[tuple[str, str, str]]
    judged_shares: dict[str, float]
    every: pd.DataFrame
    comparison: pd.DataFrame
    worse: pd.DataFrame
    better: pd.DataFrame
    lowest: pd.DataFrame
    highest: pd.DataFrame
    examples: pd.DataFrame
    histogram: list[int]
    interval: tuple[float, float, float]
    groups: pd.DataFrame | None
    grouping: str | None
    looked_at: int
    too_few: list[str]
    coloured: str

    @property
    def grouped_by(self) -> str:
        """What a heading calls the column of the groups."""
        by = self.grouping or ""
        return "query length (computed)" if by == _BY_LENGTH else by

    @property
    def is_leaderboard(self) -> bool:
        """Whether all loaded runs stand in the table, with their places."""
        return len(self.every) > SHOWN_IN_FULL


def overview(study: Study, shown: Comparison) -> Overview:
    """The Overview page."""
    return study.kept(_overview, shown)


def places(study: Study, shown: Comparison) -> AllPairs | None:
    """All pairs of many runs, from which their places come; None of few, and where there are too
    few queries to test any."""
    if len(study.names) <= SHOWN_IN_FULL:
        return None
    found = every_pair(study, shown)
    return found if found.draws else None


def places_known(study: Study, shown: Comparison) -> bool:
    """Whether `places` is at hand, or takes a while to work out."""
    return len(study.names) <= SHOWN_IN_FULL or every_pair_known(study, shown)


def overview_known(study: Study, shown: Comparison) -> bool:
    """Whether the page is at hand, or takes a while to work out."""
    return study.known(_overview, shown)


def _overview(study: Study, shown: Comparison) -> Overview:
    measures = overview_measures(shown)
    scores = study.scores(shown, *measures)
    frames = compared_each(study, shown, measures)
    every = frames[measures.index(shown.measure)]
    if len(every) <= SHOWN_IN_FULL:
        frames = [of_shown(frame, shown) for frame in frames]
    table = pd.concat(
        [frame.assign(measure=str(m)) for m, frame in zip(measures, frames, strict=True)],
        ignore_index=True,
    )
    table["clear"] = table["verdict"].isin(CLEAR)
    comparison = of_shown(every, shown)
    grouping = _grouping(study, shown)
    groups = None
    if grouping is not None and scores.n_queries:
        groups = of_focus_by_column(study, shown, grouping)
    mask = study.in_view(shown)
    best = every.sort_values("mean", ascending=shown.measure.declaration.direction < 0)
    named = dict.fromkeys([*shown.runs, *best["run"].head(_MOST_JUDGED)])
    in_view = {name: study.judged[name].among(mask) for name in named if name in set(table["run"])}
    return Overview(
        verdict=_verdict(scores, shown, every),
        tested=joined(
            [
                said
                for said in (
                    method_finding(every, shown.method),
                    what_it_rests_on(study, shown),
                )
                if said
            ],
            " ",
        ),
        doubts=doubted(study, shown),
        by_measure=measures_finding(table, shown.focus, shown.name),
        by_group=_by_group(groups, grouping, shown),
        facts=_facts(study, shown, scores, {name: in_view[name] for name in shown.runs}),
        table=table,
        measures=[(str(m), gloss(m), at_k(m)) for m in measures],
        judged_shares={n: judged_share(ranks, shown.cutoff) for n, ranks in in_view.items()},
        every=every,
        comparison=comparison,
        **_lists(study, shown, scores, in_view),
        histogram=_histogram(scores, shown),
        interval=interval_tested(
            every.set_index("run").loc[shown.focus].to_dict(), shown.method.level
        ),
        groups=None if groups is None else _in_order(groups, shown),
        grouping=grouping,
        looked_at=int(study.columns(shown)[grouping].nunique()) if grouping else 0,
        too_few=list(comparison.loc[comparison["queries"] < FEWEST_QUERIES, "run"]),
        coloured=coloured_note(int(every["p_corrected"].notna().sum()), shown.method),
    )


def _grouping(study: Study, shown: Comparison) -> str | None:
    """The column of the groups: the first of the files' own that splits the queries, else how long
    they are; None if neither does."""
    if study.queries is None:
        return None
    wanted = (*study.groupings, _BY_LENGTH)
    return next((column for column in study.splitting(shown) if column in wanted), None)


def _verdict(scores: Scores, shown: Comparison, every: pd.DataFrame) -> VerdictFinding:
    if not shown.alone:
        method = shown.method
        return verdict_of(every, shown.name, shown.focus, shown.baseline, method=method)
    level = shown.method.level
    own = aggregate(scores.only([shown.focus]), level=level).set_index("measure").loc[shown.name]
    ends = own["low"], own["high"]
    loaded = shown.loaded
    return alone(every, shown.name, shown.focus, ends, runs_loaded=loaded, level=level)


def _lists(
    study: Study, shown: Comparison, scores: Scores, in_view: Mapping[str, JudgedRanks]
) -> dict[str, pd.DataFrame]:
    """Queries that lost and won most, those of the lowest and highest scores, and all of few."""
    gaps = differences(scores, shown.measure, shown.focus, shown.baseline)
    gaps["unlisted_by"] = _unlisted_by(scores, shown)
    focus = in_view[shown.focus]
    difference, score = gaps["difference"].to_numpy(), gaps["score"].to_numpy()
    outcome = gaps["outcome"].to_numpy()
    rising = np.argsort(difference, kind="stable")
    if not shown.measure.declaration.higher_is_better:
        rising = rising[::-1]
    worse, better = (rising[outcome[rising] == side] for side in (WORSE, BETTER))
    low, high = (rising[np.argsort(by[rising], kind="stable")] for by in (score, -score))
    # Of a query without a relevant document a score of 0 says nothing.
    low = low[focus.n_relevant()[low] > 0]
    known = rising[~np.isnan(difference[rising])]
    few = known if len(known) < FEWEST_QUERIES else known[:0]

    def listed(places: Ints, most: int = _LISTED) -> pd.DataFrame:
        return study.with_texts(gaps.iloc[places[:most]])

    def caused(places: Ints) -> pd.DataFrame:
        first = places[:_LISTED]
        return listed(first).assign(cause=[_cause(shown, in_view, q, difference) for q in first])

    return {
        "worse": caused(worse),
        "better": caused(better[::-1]),
        "lowest": listed(low),
        "highest": listed(high),
        "examples": listed(few, FEWEST_QUERIES),
    }


def _cause(
    shown: Comparison,
    in_view: Mapping[str, JudgedRanks],
    query: int,
    difference: Floats,
) -> str:
    """In a few words why a query got better or worse."""
    loses = difference[query] * shown.measure.declaration.direction < 0
    focus, baseline, least = (
        in_view[shown.focus],
        in_view[shown.baseline],
        shown.measure.relevant_from,
    )
    worse = focus if loses else baseline
    return change_in_short(
        top_document(focus, baseline, query, least),
        worse.run_name,
        loses=loses,
        found=bool(worse.relevant(least).count(shown.cutoff)[query]),
        cutoff=shown.cutoff,
    )


def _histogram(scores: Scores, shown: Comparison) -> list[int]:
    """How many queries score in each tenth from 0 to 1; empty of a measure with another range."""
    if not shown.alone or tuple(shown.measure.declaration.range) != (0, 1):
        return []
    own = scores.only([shown.focus]).of(shown.measure)[0]
    counts, _ = np.histogram(own[~np.isnan(own)], bins=_BINS, range=(0, 1))
    return [int(n) for n in counts]


def first_comparison(study: Study, address: Address) -> Comparison:
    """What a run that is compared with nothing is compared with first: the usual baseline, and
    that with the best of the others."""
    found = study.view(address.changed(base="")).comparison
    return study.view(address.changed(base="", run="")).comparison if found.alone else found


def scores_between(run: str, low: float, high: float) -> str:
    """The filter line of the queries on which a run scores from one value to below another; the
    last part of a scale has its end."""
    name = quoted_name(run)
    return f"{name} >= {low:g} and {name} {'<=' if high == 1 else '<'} {high:g}"


def _by_group(groups: pd.DataFrame | None, grouping: str | None, shown: Comparison) -> Sentence:
    if groups is None or grouping is None or shown.alone:
        return Sentence()
    higher = shown.measure.declaration.higher_is_better
    named, noun = spoken(groups, grouping), noun_of(grouping)
    found = groups_finding(named, shown.focus, noun=noun, higher_is_better=higher)
    untested = untested_note(spoken(_in_order(groups, shown).head(LISTED_GROUPS), grouping))
    return found + muted(f" {untested}") if found and untested else found


def _unlisted_by(scores: Scores, shown: Comparison) -> npt.NDArray[np.object_]:
    """Which of the two does not list each query; "" where both do, or neither."""
    own, other = scores.only([shown.focus, shown.baseline]).missing
    return np.select([own & ~other, other & ~own], [shown.focus, shown.baseline], "").astype(object)


def _in_order(groups: pd.DataFrame, shown: Comparison) -> pd.DataFrame:
    """The groups with the largest differences first, of a run alone those of the lowest scores;
    numbers and ranges in their own order."""
    if sizes_only(groups["group"]):
        return groups
    by = groups["mean"] if shown.alone else -groups["difference"].abs()
    return groups.loc[by.sort_values(kind="stable", na_position="last").index]


def _facts(
    study: Study, shown: Comparison, scores: Scores, in_view: Mapping[str, JudgedRanks]
) -> Facts:
    ranks = list(in_view.values())
    listed = sum(int(r.documents(shown.cutoff).sum()) for r in ranks)
    judged = sum(float(r.judged().count(shown.cutoff).sum()) for r in ranks)
    grades = ranks[0].judged_relevance
    return Facts(
        queries=ranks[0].n_queries,
        judgments=int((grades >= 0).sum()),
        lowest_grade=float(grades.min()) if len(grades) else math.nan,
        highest_grade=float(grades.max()) if len(grades) else math.nan,
        judged_share=judged / listed if listed else math.nan,
        cutoff=shown.cutoff,
        all_zero=int((scores.of(shown.measure) == 0).all(axis=0).sum()),
        missing=missing_queries(study, shown, (shown.focus, shown.baseline)),
        left_out=shown.shared,
        unanswerable=int((ranks[0].n_relevant() == 0).sum()),
        unjudged=len({q for n in shown.runs for q in study.judged[n].unjudged_queries}),
        every_run=shown.every_run,
        complete=study.settings.complete,
    )


def missing_queries(study: Study, shown: Comparison, runs: Iterable[str]) -> dict[str, int]:
    """How many of the queries in view each of these runs lacks, those that do; also where what it
    lacks is left out."""
    mask = study.in_view(shown.usual(MISSING))
    found = {run: len(study.judged[run].among(mask).missing_queries) for run in dict.fromkeys(runs)}
    return {run: count for run, count in found.items() if count}


def overview_measures(shown: Comparison) -> list[Measure]:
    """The usual measures at the chosen cutoff, with the chosen one."""
    usual = [parse_measure(m.format(k=shown.cutoff)) for m in _USUAL_MEASURES]
    return usual if shown.measure in usual else [shown.measure, *usual]


def gloss(measure: Measure) -> str:
    """A measure's meaning in a few words, for a table head."""
    text = measure.declaration.gloss
    if measure.cutoff is None and "{k}" in text:
        return text.replace("top {k}", "whole list")
    return text.replace("{k}", str(measure.cutoff))
