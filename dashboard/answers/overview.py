"""The Overview: which run is better, whether this is significant, and where to look next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.address import Address
from dashboard.address.measure_key import key_at_k
from dashboard.address.view import Comparison
from dashboard.answers.breakdown import contributions_by_column
from dashboard.answers.group_names import group_noun, replace_group_names
from dashboard.answers.overview_measures import (
    measure_gloss,
    missing_scores_text,
    overview_measures,
)
from dashboard.answers.pairs import all_run_pairs, are_pairs_cached, pairs
from dashboard.answers.robustness import missing_queries_doubt
from dashboard.answers.run_comparisons import (
    compare_on_measures,
    doubts_about_test,
    power_sentences,
    run_without_results_by_query,
    select_shown_runs,
)
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.pairs import BETTER, WORSE, query_differences, verdict_interval
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.explaining.top_document import find_top_document
from metrics_core.findings.changes import summarise_change
from metrics_core.findings.costs import other_costs_sentence
from metrics_core.findings.groups import groups_finding
from metrics_core.findings.phrases import describe_judged_results
from metrics_core.findings.queries import ViewFacts
from metrics_core.findings.sentence import Sentence, join_sentences, muted_span
from metrics_core.findings.significance import colour_note_text, effect_size_finding, rounding_note
from metrics_core.findings.verdicts import (
    VerdictFinding,
    measures_finding,
    method_finding,
    single_run_finding,
)
from metrics_core.findings.verdicts import verdict_finding as verdict_of
from metrics_core.judging import JudgedRanks
from metrics_core.scoring.curves import judged_share, judged_share_of_runs
from metrics_core.scoring.means import aggregate
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.derived_groups import DERIVED
from metrics_core.slicing.filtering import quote_name

LISTED_QUERIES = 5
LISTED_GROUPS = 5
"""Maximum number of groups that the Overview lists. The Breakdown page shows all groups."""
_BINS = 10
_MOST_JUDGED = 40
"""Number of best runs for which a leaderboard shows the judged share, in addition to the shown
runs."""
_LENGTH_COLUMN = DERIVED[0].key
SHOWN_IN_FULL = 5
"""Maximum number of loaded runs for which the table has only the shown runs. With more, it is a
leaderboard of all runs."""


@dataclass(frozen=True)
class Overview:
    """The Overview page.

    `measures` are (name, gloss, key in an address); `doubts` are problems of the test. `table` is
    the frame of `compare` for all measures, with columns measure, direction, given (bool), left_out
    (number of queries without a score of one run) and clear (bool: significant). `table` covers the
    shown runs or, in a leaderboard, all loaded runs. `judged_shares` maps the shown runs to their
    judged share. `all_rows` and `shown_rows` are the frames of `compare` on the chosen measure, for
    all loaded and for the shown runs. Runs in `too_few` have too few queries for a verdict.
    `groups` is the frame of `contributions_by_column`.

    `worse`, `better`, `lowest`, `highest` and `examples` are frames of `query_differences` with
    text, meta and unlisted_by (the name of the run that lacks the query, or ""). `examples` has all
    queries if there are too few to test. `worse` and `better` also have cause, in a few words, and
    rows with results from both runs at the end if one run lacks the first five queries.
    `histogram` counts a single run's scores in ten bins from 0 to 1."""

    verdict: VerdictFinding
    test_sentence: Sentence
    doubts: Sentence
    measures_sentence: Sentence
    places_sentence: Sentence
    groups_sentence: Sentence
    facts: ViewFacts
    table: pd.DataFrame
    measures: list[tuple[str, str, str]]
    judged_shares: dict[str, float]
    all_rows: pd.DataFrame
    shown_rows: pd.DataFrame
    worse: pd.DataFrame
    better: pd.DataFrame
    lowest: pd.DataFrame
    highest: pd.DataFrame
    examples: pd.DataFrame
    histogram: list[int]
    interval: tuple[float, float, float]
    groups: pd.DataFrame | None
    grouping: str | None
    too_few: list[str]
    colour_note: str

    @property
    def grouping_name(self) -> str:
        """The name of the grouping column in headings."""
        by = self.grouping or ""
        return "query length (computed)" if by == _LENGTH_COLUMN else by

    @property
    def rounding_note(self) -> str:
        """A note that differences are computed before rounding. It is "" unless a difference in the
        table contradicts the printed means."""
        return rounding_note(self.table)

    @property
    def is_leaderboard(self) -> bool:
        """Whether the table is a leaderboard of all loaded runs with their possible ranks."""
        return len(self.all_rows) > SHOWN_IN_FULL


@cache_answer
def overview(study: Study, comparison: Comparison) -> Overview:
    """Return the Overview page."""
    measures = overview_measures(study, comparison)
    scores = study.scores(comparison, *measures)
    frames = compare_on_measures(study, comparison, measures)
    all_rows = frames[measures.index(comparison.measure)]
    if len(all_rows) <= SHOWN_IN_FULL:
        frames = [select_shown_runs(frame, comparison) for frame in frames]
    table = pd.concat(
        [
            frame.assign(
                measure=str(m),
                direction=m.declaration.direction,
                given=study.is_given(m),
                left_out=scores.n_queries - frame["queries"],
            )
            for m, frame in zip(measures, frames, strict=True)
        ],
        ignore_index=True,
    )
    table["clear"] = table["verdict"].isin(CLEAR)
    shown_rows = select_shown_runs(all_rows, comparison)
    grouping = _choose_grouping(study, comparison)
    groups = None
    if grouping is not None and scores.n_queries:
        groups = contributions_by_column(study, comparison, grouping)
    mask = study.view_mask(comparison)
    best = all_rows.sort_values("mean", ascending=comparison.measure.declaration.direction < 0)
    run_names = dict.fromkeys([*comparison.runs, *best["run"].head(_MOST_JUDGED)])
    in_view = {
        n: study.judged[n].select_queries(mask)
        for n in run_names
        if n in set(table["run"]) and study.judged
    }
    level, verdict = comparison.method.level, _find_verdict(scores, comparison, all_rows)
    test_sentences = (
        method_finding(all_rows, comparison.method),
        power_sentences(study, comparison),
        effect_size_finding(all_rows.set_index("run").loc[comparison.focus]),
    )
    price = other_costs_sentence(table, comparison.focus, comparison.name, level)
    without_missing = missing_queries_doubt(study, comparison)
    return Overview(
        verdict=replace(verdict, lead=join_sentences([verdict.lead + price, without_missing], " ")),
        test_sentence=join_sentences(test_sentences, " "),
        doubts=doubts_about_test(study, comparison),
        measures_sentence=measures_finding(
            table[table["direction"] == comparison.measure.declaration.direction],
            comparison.focus,
            comparison.name,
        )
        + muted_span(missing_scores_text(scores, study)),
        places_sentence=_places_sentence(study, comparison),
        groups_sentence=_groups_sentence(groups, grouping, comparison),
        facts=_view_facts(study, comparison, scores, in_view),
        table=table,
        measures=[(str(m), measure_gloss(m), key_at_k(m)) for m in measures],
        judged_shares={n: judged_share(ranks, comparison.cutoff) for n, ranks in in_view.items()},
        all_rows=all_rows,
        shown_rows=shown_rows,
        **_make_query_lists(
            study, comparison, scores, in_view if study.is_computed(comparison.measure) else {}
        ),
        histogram=_score_histogram(scores, comparison),
        interval=verdict_interval(all_rows.set_index("run").loc[comparison.focus].to_dict(), level),
        groups=groups,
        grouping=grouping,
        too_few=list(shown_rows.loc[shown_rows["queries"] < FEWEST_QUERIES, "run"]),
        colour_note=colour_note_text(int(all_rows["p_corrected"].notna().sum()), comparison.method),
    )


def compare_all_runs(study: Study, comparison: Comparison) -> AllPairs | None:
    """Return the comparison of all pairs of runs. It determines the possible ranks of each run.
    Returns None if there are only a few runs, or too few queries to test."""
    if len(study.names) <= SHOWN_IN_FULL:
        return None
    pairs = all_run_pairs(study, comparison)
    return pairs if pairs.draws else None


def are_all_runs_compared(study: Study, comparison: Comparison) -> bool:
    """Return whether the result of `compare_all_runs` is in the cache or is not needed. Computing
    it takes a while."""
    return len(study.names) <= SHOWN_IN_FULL or are_pairs_cached(study, comparison)


def is_overview_cached(study: Study, comparison: Comparison) -> bool:
    """Return whether the page is in the cache. Computing it takes a while."""
    return study.has_answer(overview, comparison)


def _choose_grouping(study: Study, comparison: Comparison) -> str | None:
    """Return the column to group by: the first column of the files that splits the queries,
    otherwise the query length. Returns None if neither splits the queries."""
    if study.queries is None:
        return None
    candidates = (*study.groupings, _LENGTH_COLUMN)
    return next(
        (column for column in study.splitting_columns(comparison) if column in candidates), None
    )


def _places_sentence(study: Study, comparison: Comparison) -> Sentence:
    """State which of a few loaded runs may be the best, as on the Ranking page."""
    if not 2 < len(study.names) <= SHOWN_IN_FULL:
        return Sentence()
    return pairs(study, comparison).title + muted_span(".")


def _find_verdict(scores: Scores, comparison: Comparison, all_rows: pd.DataFrame) -> VerdictFinding:
    if not comparison.is_single_run:
        method = comparison.method
        return verdict_of(all_rows, comparison.name, *comparison.pair, method=method)
    level = comparison.method.level
    means = aggregate(scores.select_runs([comparison.focus]), level=level).set_index("measure")
    ends = tuple(means.loc[comparison.name, ["low", "high"]])
    loaded = comparison.loaded
    return single_run_finding(
        all_rows, comparison.name, comparison.focus, ends, runs_loaded=loaded, level=level
    )


def _make_query_lists(
    study: Study, comparison: Comparison, scores: Scores, in_view: Mapping[str, JudgedRanks]
) -> dict[str, pd.DataFrame]:
    """Return the fields worse, better, lowest, highest and examples of `Overview`."""
    gaps = query_differences(scores, comparison.measure, *comparison.pair)
    # Given scores, which may come first among all measures, are missing for other queries.
    own_scores = study.scores(comparison, comparison.measure)
    gaps["unlisted_by"] = run_without_results_by_query(own_scores, comparison)
    difference, score = gaps["difference"].to_numpy(), gaps["score"].to_numpy()
    outcome = gaps["outcome"].to_numpy()
    rising = np.argsort(difference, kind="stable")
    if not comparison.measure.declaration.higher_is_better:
        rising = rising[::-1]
    worse, better = (rising[outcome[rising] == side] for side in (WORSE, BETTER))
    low, high = (rising[np.argsort(by[rising], kind="stable")] for by in (score, -score))
    # A score of 0 means nothing if the query has no relevant document.
    if in_view:
        low = low[in_view[comparison.focus].n_relevant()[low] > 0]
    scored = rising[~np.isnan(difference[rising])]
    few = scored if len(scored) < FEWEST_QUERIES else scored[:0]

    def select_query_rows(positions: Ints, max_rows: int = LISTED_QUERIES) -> pd.DataFrame:
        return study.with_texts(gaps.iloc[positions[:max_rows]])

    def select_rows_with_cause(positions: Ints) -> pd.DataFrame:
        in_both = gaps["unlisted_by"].to_numpy()[positions] == ""
        n_more = 0 if in_both[:LISTED_QUERIES].any() else LISTED_QUERIES
        first = np.append(positions[:LISTED_QUERIES], positions[in_both][:n_more])
        return study.with_texts(gaps.iloc[first]).assign(
            n_unlisted=(~in_both).sum(),
            unlisted_sum=difference[positions][~in_both].sum(),
            cause=[
                _describe_query_cause(comparison, in_view, q, difference) if in_view else ""
                for q in first
            ],
        )

    return {
        "worse": select_rows_with_cause(worse),
        "better": select_rows_with_cause(better[::-1]),
        "lowest": select_query_rows(low),
        "highest": select_query_rows(high),
        "examples": select_query_rows(few, FEWEST_QUERIES),
    }


def _describe_query_cause(
    comparison: Comparison, in_view: Mapping[str, JudgedRanks], query: int, difference: Floats
) -> str:
    """Return a phrase that says why a query got better or worse."""
    loses = difference[query] * comparison.measure.declaration.direction < 0
    focus = in_view[comparison.focus]
    baseline = in_view[comparison.baseline]
    least = comparison.measure.relevant_from
    worse = focus if loses else baseline
    return summarise_change(
        find_top_document(focus, baseline, query, least),
        worse.run_name,
        is_loss=loses,
        has_relevant=bool(worse.relevant(least).count(comparison.cutoff)[query]),
        cutoff=comparison.cutoff,
    )


def _score_histogram(scores: Scores, comparison: Comparison) -> list[int]:
    """Return the number of queries in each of ten bins of a single run's scores. The result is
    empty if several runs are compared, or if the measure does not range from 0 to 1."""
    if not comparison.is_single_run or tuple(comparison.measure.declaration.range) != (0, 1):
        return []
    focus_scores = scores.select_runs([comparison.focus]).values_of(comparison.measure)[0]
    counts, _ = np.histogram(focus_scores[~np.isnan(focus_scores)], bins=_BINS, range=(0, 1))
    return [int(n) for n in counts]


def comparison_to_offer(study: Study, address: Address) -> Comparison:
    """Return the comparison to offer if a run is shown alone: this run with the default baseline.
    If the run is itself the default baseline, return the default comparison."""
    comparison = study.view(address.with_values(base="")).comparison
    return (
        study.view(address.with_values(base="", run="")).comparison
        if comparison.is_single_run
        else comparison
    )


def score_filter(run: str, low: float, high: float) -> str:
    """Return the filter line that selects the queries for which the score of a run is in [low,
    high). If `high` is 1, scores of 1 are included."""
    name = quote_name(run)
    return f"{name} >= {low:g} and {name} {'<=' if high == 1 else '<'} {high:g}"


def _groups_sentence(
    groups: pd.DataFrame | None, grouping: str | None, comparison: Comparison
) -> Sentence:
    if groups is None or grouping is None or comparison.is_single_run:
        return Sentence()
    higher = comparison.measure.declaration.higher_is_better
    named_groups, noun = replace_group_names(groups, grouping), group_noun(grouping)
    return groups_finding(named_groups, comparison.focus, noun=noun, higher_is_better=higher)


def _view_facts(
    study: Study, comparison: Comparison, scores: Scores, in_view: Mapping[str, JudgedRanks]
) -> ViewFacts:
    ranks = [in_view[name] for name in comparison.runs if name in in_view]
    grades = ranks[0].judged_relevance if ranks else np.zeros(0)
    return ViewFacts(
        queries=scores.n_queries,
        judgments=int((grades >= 0).sum()),
        lowest_grade=float(grades.min()) if len(grades) else math.nan,
        highest_grade=float(grades.max()) if len(grades) else math.nan,
        judged_share=judged_share_of_runs(ranks, comparison.cutoff),
        judged_text=describe_judged_results(comparison.cutoff, len(ranks), comparison.loaded),
        all_zero=int((scores.values_of(comparison.measure) == 0).all(axis=0).sum()),
        missing=count_unanswered(study, comparison, comparison.pair),
        left_out=comparison.is_limited_to_shared_queries,
        unanswerable=int((ranks[0].n_relevant() == 0).sum()) if ranks else 0,
        unjudged=len({q for r in ranks for q in r.unjudged_queries}),
        every_run=comparison.every_run,
        complete=study.settings.complete,
    )


def count_unanswered(study: Study, comparison: Comparison, runs: Iterable[str]) -> dict[str, int]:
    """Return, for each run, the number of queries for which it has no results. Runs with results
    for all queries are omitted. Queries that the view excludes because they lack results count too.
    The result is empty if another tool computed the scores."""
    if not study.is_computed(comparison.measure):
        return {}
    mask = study.view_mask(replace(comparison, is_limited_to_shared_queries=False))
    counts = {run: len(study.judged[run].select_queries(mask).missing_queries) for run in runs}
    return {run: count for run, count in counts.items() if count}
