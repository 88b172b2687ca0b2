"""Whatever page asks about two runs, it hears the same: 150 random situations through every
function that tells runs apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing import testing
from metrics_core.comparing.agreement import find_agreement
from metrics_core.comparing.all_pairs.all_pairs import all_pairs
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.pairs import compare
from metrics_core.comparing.verdicts import AHEAD, BEHIND, CLEAR, FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.history import find_first_bad_versions
from metrics_core.slicing.breakdowns import summarise_groups
from tests.situations import Situation, situation

CASES = tuple(g for g in map(situation, range(210)) if len(g.scores.runs) > 1)[:150]


def side_of(verdict: str) -> int:
    return 1 if verdict in AHEAD else -1 if verdict in BEHIND else 0


def contradictions(given: Situation) -> Iterator[str]:
    scores, measure, level = given.scores, given.measure, given.level
    method, combination = Method(level=level), measure.declaration.combination
    rows = compare(scores, measure, given.baseline, method=method).iloc[1:]
    for row in rows.to_dict("records"):
        beyond = bool(row["low"] * given.direction > 0) - bool(row["high"] * given.direction < 0)
        if given.direction < 0:
            beyond = bool(row["high"] < 0) - bool(row["low"] > 0)
        if beyond != side_of(row["verdict"]) and not np.isnan(row["low"]):
            yield f"compare: {row['verdict']} with an interval {row['low']} to {row['high']}"
        if (row["p_corrected"] <= 1 - level + 1e-12) != (row["verdict"] in CLEAR):
            yield f"compare: {row['verdict']} with p {row['p_corrected']}"
        few = row["queries"] < FEWEST_QUERIES or 0 < row["differing"] < FEWEST_DIFFERING
        if few != np.isnan(row["p"]):
            yield f"compare: p {row['p']} of {row['queries']}, {row['differing']} differing"
    yield from _of_all_pairs(given)
    # One run alone: other measures, one cutoff, one group, two versions.
    pair = scores.select_runs([given.baseline, given.focus])
    alone = compare(pair, measure, given.baseline, method=method).iloc[1]
    told = alone["verdict"]
    found = find_agreement(pair, given.focus, given.baseline, level=level).table["verdict"][0]
    if found != told:
        yield f"other measures: {found}, compare: {told}"
    own, other = (given.values(run)[:, None] for run in (given.focus, given.baseline))
    against = testing.PairedScores(own, other, measure)
    (band,) = testing.compare_groups([against], Method(correction=MIN_P, level=level))
    if abs(side_of(told)) != bool(band.low[0] > 0 or band.high[0] < 0):
        yield f"one cutoff: {band.low[0]} to {band.high[0]}, compare: {told}"
    whole = pd.Series("all", index=list(scores.query_ids))
    group = summarise_groups(pair, measure, whole, baseline=given.baseline, level=level).iloc[-1]
    if bool(group["clear"]) != (told in CLEAR):
        yield f"one group: {group['clear']}, compare: {told}"
    at_95 = compare(pair, measure, given.baseline).iloc[1]["verdict"]
    versions = combination.to_scale(np.stack([other[:, 0], own[:, 0]]))
    worse = find_first_bad_versions([versions], direction=given.direction)[0] >= 0
    if worse and at_95 not in BEHIND:
        yield f"history: worse, compare: {at_95}"


def _of_all_pairs(given: Situation) -> Iterator[str]:
    pairs = all_pairs(given.scores, given.measure, level=given.level)
    for place, baseline in enumerate(pairs.runs[:2]):
        rows = compare(given.scores, given.measure, baseline, method=Method(level=given.level))
        said = dict(zip(rows["run"], rows["verdict"], strict=True))
        for run, found in zip(pairs.runs, pairs.verdict[:, place], strict=True):
            if run != baseline and found in CLEAR and side_of(said[run]) != side_of(found):
                yield f"all pairs: {run} {found} than {baseline}, compare: {said[run]}"


@pytest.mark.thorough  # tests/dashboard/answers/test_one_verdict.py holds it through the doors
def test_no_page_contradicts_another() -> None:
    offenders = [(given.seed, said) for given in CASES for said in contradictions(given)]
    assert len(CASES) == 150 and not offenders
