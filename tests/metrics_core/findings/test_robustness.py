"""The words of the strip: each rule at its edges, and what is never coloured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metrics_core.base import wording as w
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.coverage import QueryCoverage
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.fragility import find_fragility
from metrics_core.findings import file_risks, open_verdicts
from metrics_core.findings import verdict_risks as ways
from metrics_core.findings.robustness import (
    ComparedPair,
    RobustnessCheck,
    build_robustness,
    robustness_finding,
)
from metrics_core.scoring.intervals import Interval
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import EstimatedDifference

CLEAR = ComparedPair("new", "old", "nDCG@10", "better", 1)
CHANCE = ComparedPair("new", "old", "nDCG@10", "cannot tell", 1)
LEVEL = ComparedPair("new", "old", "nDCG@10", "cannot tell", 0)
NOTHING = np.zeros(1)


def reach_of(
    now: float, low: float, high: float, *, exact: bool = True, why: str = ""
) -> DifferenceBounds:
    return DifferenceBounds(now, low, high, NOTHING, NOTHING, exact, why)


def likely(low: float, high: float) -> EstimatedDifference:
    return EstimatedDifference(Interval(*np.array([(low + high) / 2, low, high])))


@pytest.mark.parametrize(
    ("reached", "span", "word", "tone"),
    [
        (reach_of(0.1, 0.02, 0.2), likely(0.08, 0.12), "cannot reverse it", "firm"),
        (reach_of(0.1, -0.02, 0.2), likely(0.08, 0.12), "unlikely to reverse it", ""),
        (reach_of(0.1, -0.02, 0.2), likely(-0.01, 0.12), "could reverse it", "not firm"),
        (reach_of(-0.1, -0.2, 0.02), likely(-0.12, -0.08), "unlikely to reverse it", ""),
        (reach_of(-0.1, -0.2, 0.02), likely(-0.12, 0.01), "could reverse it", "not firm"),
        (reach_of(-0.1, -0.2, -0.02), likely(-0.12, -0.08), "cannot reverse it", "firm"),
        (reach_of(0.1, np.nan, np.nan, why="No bound."), likely(0.1, 0.2), "–", ""),
    ],
)
def test_unjudged_documents(
    reached: DifferenceBounds, span: EstimatedDifference, word: str, tone: str
) -> None:
    entry = ways.unjudged_check(reached, span, 0.12, 10)
    assert (entry.word, entry.tone) == (word, tone)
    assert "12% of the top 10 results of the two runs are unjudged." in entry.reason


def test_a_bound_is_said_to_be_one() -> None:
    worst = "Worst case: not below −0.020."
    bound = reach_of(0.1, -0.02, 0.2, exact=False)
    assert worst in ways.unjudged_check(bound, likely(0.08, 0.12), 0.12, 10).reason
    behind = reach_of(-0.1, -0.2, 0.02, exact=False)
    found = ways.unjudged_check(behind, likely(-0.12, -0.08), 0.12, 10)
    assert "Worst case: not above +0.020." in found.reason
    exact = ways.unjudged_check(reach_of(0.1, -0.02, 0.2), likely(0.08, 0.12), 0.12, 10)
    assert exact.reason.endswith("Worst case: −0.020.")


def test_where_the_difference_would_likely_lie_is_told() -> None:
    entry = ways.unjudged_check(reach_of(0.1, -0.02, 0.2), likely(0.08, 0.12), 0.12, 10)
    assert "the difference is likely to be between +0.080 and +0.120. Worst case:" in entry.reason


def test_nothing_is_likely_where_nothing_says_what_is_usual() -> None:
    nothing = EstimatedDifference(None, "Nobody knows.")
    entry = ways.unjudged_check(reach_of(0.1, -0.02, 0.2), nothing, 0.96, 10)
    assert (entry.word, entry.tone) == ("unknown", "")
    assert entry.reason.endswith("unjudged. Nobody knows. Worst case: −0.020.")
    closed = ways.unjudged_check(reach_of(0.1, 0.02, 0.2), nothing, 0.96, 10)
    assert (closed.word, closed.tone) == ("cannot reverse it", "firm")
    level = ways.unjudged_check(reach_of(0, -0.5, 1), nothing, 0.96, 10)
    assert (level.word, level.tone) == ("could separate them", "")
    assert "Whatever grades the unjudged documents get, the difference ranges" in level.reason


def test_all_judged() -> None:
    entry = ways.unjudged_check(reach_of(0.1, 0.1, 0.1), likely(0.1, 0.1), 0.0, 10)
    assert entry.reason == "Every document in both runs’ top 10 is judged." and entry.tone == "firm"


@pytest.mark.parametrize(
    ("values", "word", "tone"),
    [
        ([0.1] * 60 + [-0.1] * 40, "ahead even if any 19 queries are removed", "firm"),
        ([0.1] * 54 + [-0.1] * 46, "removing only the 9 best queries reverses it", ""),
        ([0.1] * 51 + [-0.1] * 49, "removing only the 3 best queries reverses it", "not firm"),
        ([0.1] * 20, "every query supports it", "firm"),
        ([0.0] * 20, "–", ""),
        # A tenth of ten queries is one, of fifty five.
        ([0.9] + [0.1] * 3 + [-0.1] * 6, "removing only the best query reverses it", "not firm"),
        ([0.1] * 27 + [-0.1] * 23, "removing only the 5 best queries reverses it", ""),
        ([0.1] * 18 + [-0.1] * 12, "ahead even if any 5 queries are removed", "firm"),
    ],
)
def test_single_queries(values: list[float], word: str, tone: str) -> None:
    differences = np.array(values)
    entry = ways.single_queries_check(find_fragility(differences), CLEAR, differences)
    assert (entry.word, entry.tone) == (word, tone)


def told_of(
    differences: list[float],
    nothing: Sequence[int] = (),
    lacking: Mapping[str, list[int]] | None = None,
    depth: int | None = 10,
) -> str:
    """The reason, where the run behind found nothing for the queries at some places."""
    values, places = np.array(differences), np.arange(len(differences))
    told = {"new": [], "old": [], **(lacking or {})}
    missed = ways.MissedQueries(
        np.isin(places, nothing), {name: np.isin(places, at) for name, at in told.items()}, depth
    )
    return ways.single_queries_check(find_fragility(values), CLEAR, values, missed).reason


def test_the_queries_for_which_the_other_found_nothing() -> None:
    values = [0.6, 0.4, 0.5, -0.5] + [0.1, -0.1] * 5
    carried = (
        "The two queries for which only new has a relevant result in the top 10 account for"
        " all of the difference; the other queries"
    )
    assert carried in told_of(values, [0, 1])
    assert (
        "The two queries for which only new has a relevant result in the list account for all"
        in told_of(values, [0, 1], depth=None)
    )
    assert (
        "The five queries that contribute most account for all of the difference; the other queries"
        in told_of(values)
    )


def test_one_query_carries_its_share() -> None:
    values = [0.5] + [0.2] * 12 + [-0.1] * 4
    said = (
        "The one query for which only new has a relevant result in the top 3 accounts for"
        " 20% of the difference."
    )
    assert said in told_of(values, [0], depth=3)


def test_that_a_run_lists_none_of_them_is_said() -> None:
    values = [0.6, 0.4, 0.5, -0.5] + [0.1, -0.1] * 5
    assert "The two queries for which old has no results account for all" in told_of(
        values, [0, 1], {"old": [0, 1, 3]}
    )
    assert "in the top 10, including one without results from old, account for all" in told_of(
        values, [0, 1], {"old": [1, 3]}
    )
    largest = [0.6, 0.5, 0.5, 0.4, 0.4] + [0.1, -0.1] * 5 + [-0.5]
    some = {"old": [0, 1, 2, 3], "new": [0, 1, 2, 3, 4, 9]}
    assert "The five queries that contribute most (no results from new) account for all" in told_of(
        largest, [], some
    )


def test_of_fewer_than_five_that_speak_for_it_so_many_are_counted() -> None:
    assert "The three queries that contribute most account for all of the difference;" in told_of(
        [0.6, 0.5, 0.5] + [-0.1] * 7
    )
    assert "The one query that contributes most accounts for all of the difference;" in told_of(
        [0.9] + [-0.1] * 7
    )


@pytest.mark.parametrize(
    ("differing", "word", "tone"),
    [
        (6, "6 of 50 queries support it", "firm"),
        (2, "only 2 of 50 queries support it", "not firm"),
    ],
)
def test_where_most_are_level_it_rests_on_those_that_differ(
    differing: int, word: str, tone: str
) -> None:
    values = np.array([0.1] * differing + [0.0] * (50 - differing))
    entry = ways.single_queries_check(find_fragility(values), CLEAR, values)
    assert (entry.word, entry.tone) == (word, tone)
    assert entry.reason == "No query contradicts the lead."


def by_k(side: list[int], clear: list[int]) -> Crossings:
    sides, clears = np.array(side), np.array(clear)
    k = np.arange(1, len(side) + 1)
    return Crossings(sides * 0.1, sides, k, clears * 0.1, clears * 0.1, clears)


@pytest.mark.parametrize(
    ("found", "word", "tone", "said"),
    [
        (
            by_k([0, 1, 1, 1], [0, 1, 1, 1]),
            "significant from k = 2",
            "firm",
            "At k = 1 the runs are tied.",
        ),
        (
            by_k([1, 1, 1], [0, 1, 1]),
            "significant from k = 2",
            "firm",
            "new leads at every k, but not significantly at k = 1.",
        ),
        (by_k([1, 1], [1, 1]), "significant at every k", "firm", "at every cutoff"),
        (
            by_k([-1, -1, 1], [0, 0, 1]),
            "significant from k = 3",
            "firm",
            "At k = 1 and 2 old leads.",
        ),
        (
            by_k([-1, 1, 1], [-1, 0, 1]),
            "reverses with k",
            "not firm",
            "old is significantly ahead at k = 1",
        ),
        (
            by_k([1, 1], [0, 0]),
            "not significant at any k",
            "",
            "Tested alone, k = 2 is significant, but no k is significant when all",
        ),
        (by_k([1, 1, 1], [1, 1, 0]), "significant at k = 1 and 2", "firm", "Elsewhere"),
        (None, "none", "", "scores whole lists and has no cutoff"),
    ],
)
def test_cutoffs(found: Crossings | None, word: str, tone: str, said: str) -> None:
    entry = ways.cutoff_check(found, CLEAR, 2, {"new": 3, "old": 3})
    assert (entry.word, entry.tone) == (word, tone)
    assert said in entry.reason


def test_a_band_of_the_pair_alone_is_said_to_be_one() -> None:
    chance, lists = replace(CLEAR, verdict="cannot tell"), {"new": 3, "old": 3}
    entry = ways.cutoff_check(by_k([1, 1, 1], [0, 1, 1]), chance, 2, lists)
    alone = "In the test of all compared runs, k = 2 is not significant. It is"
    alone += " significant here, because these ranges are corrected"
    assert f"{alone} for this pair alone." in entry.reason
    assert "alone" not in ways.cutoff_check(by_k([1, 1, 1], [0, 0, 1]), chance, 2, lists).reason
    chosen = open_verdicts.cutoff_check(by_k([1, 1, 1], [0, 1, 1]), 2)
    other = open_verdicts.cutoff_check(by_k([1, 1, 1], [0, 0, 1]), 2)
    assert chosen and chosen.brief == "significant from k = 2 on, for this pair alone"
    assert other and other.brief == "significant at k = 3"


def test_a_cutoff_beyond_the_lists_is_that_of_whole_lists() -> None:
    entry = ways.cutoff_check(by_k([1, 1, 1], [0, 1, 1]), CLEAR, 10, {"new": 3, "old": 3})
    assert entry.tone == "firm" and "on its own" not in entry.reason


def test_short_lists_are_told() -> None:
    entry = ways.cutoff_check(by_k([1] * 9, [1] * 9), CLEAR, 2, {"new": 9, "old": 4})
    assert entry.reason == ("Half of the old lists end by rank 4, which favours new at larger k.")


def agreement_of(sides: list[int], verdicts: list[str]) -> Agreement:
    names = ["nDCG@10", "P@1", "RR", "AP"][: len(sides)]
    table = pd.DataFrame(
        {"measure": names, "difference": np.array(sides) * 0.1, "side": sides, "verdict": verdicts}
    )
    return Agreement(table, np.eye(len(sides)))


def test_other_measures() -> None:
    entry = ways.other_measures_check(agreement_of([1, 1], ["better", "cannot tell"]), CLEAR, 2)
    assert (entry.word, entry.tone) == ("1 of 1 agrees", "firm")
    assert entry.reason == "new leads on all other measures."
    mixed = agreement_of([1, 0, -1, 1], ["better", "cannot tell", "cannot tell", "better"])
    entry = ways.other_measures_check(mixed, CLEAR, 4)
    assert (entry.word, entry.tone) == ("1 of 3 agrees", "not firm")
    assert entry.reason == (
        "Tied on P@1. old leads on RR, but not significantly."
        " On 0 of 3, all four runs are in the same order as on nDCG@10."
    )
    against = agreement_of([1, -1], ["better", "worse"])
    assert ways.other_measures_check(against, CLEAR, 2).word == "0 of 1 agree"
    assert (
        "old is significantly ahead on P@1." in ways.other_measures_check(against, CLEAR, 2).reason
    )


def test_equal_scores() -> None:
    assert file_risks.ties_check((0.1, 0.1), 0.1, (0, 9), is_exact=True) is None
    cases = {
        (0.05, 0.2, 0.1, True): ("cannot reverse it", "firm"),
        (-0.05, 0.2, 0.1, True): ("could reverse it", "not firm"),
        (-0.2, 0.05, -0.1, True): ("could reverse it", "not firm"),
        (0.05, 0.2, 0.1, False): ("–", ""),
        (0.1, 0.1, 0.1, True): ("cannot reverse it", "firm"),
    }
    for (low, high, now, exact), expected in cases.items():
        entry = file_risks.ties_check((low, high), now, (3, 9), exact)
        assert entry is not None and (entry.word, entry.tone) == expected


def test_missing_queries() -> None:
    assert file_risks.missing_queries_check({"new": 0, "old": 0}, 0.1, 0.1, 9) is None
    lacking: dict[str, tuple[str, ...]] = {"new": (), "old": ("q1",)}
    coverage = QueryCoverage(2000, 766, lacking, {})
    assert file_risks.missing_queries_caveat(coverage, 0.1, 0.07).text == (
        "Without the 1,234 queries that old has no results for, the difference is +0.070."
    )
    both = QueryCoverage(2, 1, {"new": ("q1",), "old": ("q1",)}, {})
    one = file_risks.missing_queries_caveat(both, 0.1, 0.15).text
    assert one.startswith("Without the 1 query that new or old has no results for, ")
    for without_missing in (0.1, 0.081, float("nan")):
        assert not file_risks.missing_queries_caveat(coverage, 0.1, without_missing)
    kept = file_risks.missing_queries_check({"new": 0, "old": 2}, 0.1, 0.05, 7)
    assert kept is not None and kept.tone == "firm"
    assert kept.word == kept.brief == "still in the same direction on the other queries"
    assert "old has no results for 2 queries" in kept.reason and "+0.050" in kept.reason
    tested = [
        file_risks.missing_queries_check({"new": 0, "old": 2}, 0.1, 0.05, 7, p)
        for p in (0.021, 0.08)
    ]
    assert tested[0] and tested[0].word == "still significant on the other queries"
    assert tested[0].tone == "firm"
    assert tested[0].reason.endswith(f"+0.050 ({w.format_p_value(0.021)}).")
    assert tested[1] and (tested[1].word, tested[1].tone) == ("carry its significance", "")
    assert tested[1].reason.endswith(f"+0.050 (not significant, {w.format_p_value(0.08)}).")
    shares = [
        file_risks.missing_queries_check({"old": 2}, 0.1, 0.05, 7, share=share)
        for share in (0.43, 0.1, 1.2)
    ]
    assert [each is not None and "for 43% of the difference" in each.reason
            for each in shares] == [True, False, False]  # fmt: skip
    turned = file_risks.missing_queries_check({"new": 1, "old": 2}, 0.1, -0.05, 7)
    assert turned is not None and (turned.word, turned.tone) == ("reverse it", "not firm")
    apart = file_risks.missing_queries_check({"new": 5, "old": 4}, 0.1, float("nan"), 0)
    assert apart is not None and apart.word == "decide it"


BEST_QUERY = "Removing only the best query reverses it"
ENTRIES = [
    RobustnessCheck("a", "Unjudged documents", "cannot reverse it", "firm", "Why.", "in brief"),
    RobustnessCheck("queries", "Single queries", BEST_QUERY.lower(), "not firm", "Why.", "-"),
    None,
]


def test_a_clear_verdict_keeps_its_tones() -> None:
    found = build_robustness(CLEAR, ENTRIES, 104)
    assert [entry.tone for entry in found.all_checks] == ["firm", "not firm"]
    assert found.text.startswith("Two checks show how robust the verdict is.")
    said = robustness_finding(found).text
    assert said == f"The lead of new holds in one of two checks; one fails. {BEST_QUERY}."
    both = [ENTRIES[0], replace(ENTRIES[1], tone="firm")]
    assert robustness_finding(build_robustness(CLEAR, both, 104)).text == (
        "The lead of new holds in all two checks. No check found anything that could reverse it."
    )


def test_where_none_is_closed_and_no_word_is_toned_there_is_a_verdict_still() -> None:
    plain = [RobustnessCheck("a", "Cutoff", "not clear", "", "Why.", "not clear")] * 2
    assert robustness_finding(build_robustness(CLEAR, plain, 104)).text == (
        "The lead of new holds in none of two checks; two are open."
        " Cutoff: not clear. Cutoff: not clear."
    )


@pytest.mark.parametrize(
    ("part", "word", "said"),
    [
        (
            "unjudged",
            "unlikely to reverse it",
            "Unjudged documents could reverse it, but are unlikely to.",
        ),
        ("unjudged", "could reverse it", "Unjudged documents could reverse it."),
        ("unjudged", "unknown", "The effect of unjudged documents is unknown."),
        ("ties", "could reverse it", "Ties could reverse it."),
        ("missing", "decide it", "Queries missing from one run decide it."),
        ("cutoff", "reverses with k", "It reverses with k."),
        ("measures", "9 of 15 agree with RR", "Title: 9 of 15 agree with RR."),
    ],
)
def test_the_lead_says_what_a_check_found_that_does_not_hold(
    part: str, word: str, said: str
) -> None:
    entries = [ENTRIES[0], RobustnessCheck(part, "Title", word, "", "Why.", "in brief")]
    assert (
        robustness_finding(build_robustness(CLEAR, entries, 104)).statement_and_rest[1].text == said
    )
    # What speaks against it outright comes before what is open.
    last = build_robustness(CLEAR, [*entries, ENTRIES[1]], 104)
    assert robustness_finding(last).statement_and_rest[1].text == f"{BEST_QUERY}. {said}"


def test_of_what_may_be_chance_nothing_is_coloured() -> None:
    found = build_robustness(CHANCE, ENTRIES, 104)
    assert [entry.tone for entry in found.all_checks] == ["", ""]
    assert "Not significant yet" in found.text
    assert robustness_finding(found).text.startswith("No clear difference between new")


def test_few_queries_have_no_strip() -> None:
    found = build_robustness(ComparedPair("new", "old", "AP", "cannot tell", 1), ENTRIES, 4)
    assert found.all_checks == () and found.text.startswith("Only 4 queries")
    assert robustness_finding(found).text == found.text


# Two that are level: nobody leads, so nothing can turn; what could part them is told instead.


def test_a_level_pair_has_no_leader() -> None:
    with pytest.raises(ValueError, match="no leader"):
        LEVEL.leader(LEVEL.side)
    found = build_robustness(LEVEL, ENTRIES, 104)
    assert [entry.tone for entry in found.all_checks] == ["", ""]
    assert found.text.startswith("The runs are tied, so there is no lead to reverse.")
    assert robustness_finding(found).text.startswith("new and old are tied on nDCG@10. ")


@pytest.mark.parametrize(
    ("reached", "word", "said"),
    [
        (
            reach_of(0.0, -0.5, 1.0),
            "could separate them",
            "the difference ranges between −0.500 and",
        ),
        (
            reach_of(0.0, -0.5, 1.0, exact=False),
            "could separate them",
            "the difference stays between −0.500 and",
        ),
        (reach_of(0.0, 0.0, 0.0), "cannot separate them", "the runs stay tied."),
    ],
)
def test_unjudged_documents_of_two_that_are_level(
    reached: DifferenceBounds, word: str, said: str
) -> None:
    entry = ways.unjudged_check(reached, likely(-0.1, 0.1), 0.12, 10)
    assert entry.word == word and said in entry.reason and "worst" not in entry.reason


def test_the_documents_may_all_be_judged_of_two_that_are_level() -> None:
    assert (
        ways.unjudged_check(reach_of(0, 0, 0), likely(0, 0), 0.0, 10).word == "cannot separate them"
    )


def test_what_cancels_but_for_rounding_has_no_sign() -> None:
    differences = np.array([0.1, 0.2, -0.3] * 5)
    assert differences.sum() != 0
    entry = ways.single_queries_check(find_fragility(differences), LEVEL, differences)
    assert (entry.word, entry.reason) == (
        "–",
        "The runs are tied, so there is no direction to reverse.",
    )


@pytest.mark.parametrize(
    ("found", "word", "said"),
    [
        (by_k([0] * 9, [0] * 9), "tied at every k", "at every cutoff."),
        (
            by_k([0, 0, 1, 1], [0, 0, 1, 1]),
            "tied at k = 1 and 2",
            "new is significantly ahead from k = 3",
        ),
        (by_k([0, -1, -1], [0, 0, 0]), "tied at k = 1", "old leads from k = 2 on, not signi"),
        (
            by_k([1, 0, -1], [1, 0, 0]),
            "tied at k = 2",
            "new is significantly ahead at k = 1. old leads",
        ),
        (
            by_k([0, 1] * 4, [0] * 8),
            "tied at some cutoffs",
            "k = 2 and k = 4 and at other k, not",
        ),
    ],
)
def test_cutoffs_of_two_that_are_level(found: Crossings, word: str, said: str) -> None:
    entry = ways.cutoff_check(found, LEVEL, 2, {"new": 3, "old": 3})
    assert entry.word == word and said in entry.reason


def test_other_measures_of_two_that_are_level() -> None:
    mixed = agreement_of([0, 1, -1, 1], ["cannot tell", "better", "cannot tell", "cannot tell"])
    entry = ways.other_measures_check(mixed, LEVEL, 2)
    assert entry.word == "0 of 3 are tied"
    assert entry.reason == (
        "new is significantly ahead on P@1. old leads on RR, but not significantly."
    )
    entry = ways.other_measures_check(agreement_of([0, 0], ["cannot tell"] * 2), LEVEL, 2)
    assert (entry.word, entry.reason) == (
        "1 of 1 is tied",
        "No run leads on any measure.",
    )


def test_a_measure_without_a_difference_is_not_level() -> None:
    found = agreement_of([1, 0], ["better", "cannot tell"])
    found.table["difference"] = [0.1, np.nan]
    entry = ways.other_measures_check(found, CLEAR, 2)
    assert (entry.word, entry.tone) == (w.DASH, "")
    assert entry.reason == "No other measure has scores for both runs."


def test_equal_scores_of_two_that_are_level() -> None:
    cases = {
        (-0.1, 0.1, True): "could separate them",
        (0.0, 0.1, True): "could separate them",
        (0.0, 0.0, True): "cannot separate them",
        (0.0, 0.1, False): "could separate them",
    }
    for (low, high, exact), expected in cases.items():
        entry = file_risks.ties_check((low, high), 0.0, (3, 9), exact)
        assert entry is not None and entry.word == expected


def test_missing_queries_where_one_of_the_differences_is_level() -> None:
    cases = {
        (0.0, 0.1): "make them tied",
        (0.0, 0.0): "still tied on the other queries",
        (0.1, 0.0): "cause all of the difference",
    }
    for (now, on_shared), expected in cases.items():
        entry = file_risks.missing_queries_check({"new": 0, "old": 2}, now, on_shared, 7)
        assert entry is not None and entry.word == expected
