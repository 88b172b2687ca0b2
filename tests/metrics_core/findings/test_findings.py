"""The sentences, word for word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.method import DEFAULT_METHOD, TESTS, Method
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.findings.changes import NO_GRADE_NAMES
from metrics_core.findings.charts import strongest_other_run_finding
from metrics_core.findings.cutoffs import curves_subtitle, curves_title, describe_cutoff
from metrics_core.findings.explanations import explain
from metrics_core.findings.files import files_finding
from metrics_core.findings.groups import (
    GroupNoun,
    crossed_groups_subtitle,
    crossed_groups_title,
    groups_finding,
    groups_subtitle,
    groups_title,
    reversal_finding,
    single_run_title,
    slices_finding,
    untested_note,
)
from metrics_core.findings.phrases import describe_judged_results
from metrics_core.findings.queries import QueryCounts, ViewFacts, queries_finding, queries_subtitle
from metrics_core.findings.sentence import (
    Sentence,
    join_sentences,
    muted_span,
    run_span,
    strong_span,
)
from metrics_core.findings.verdicts import (
    measures_finding,
    single_run_finding,
    verdict_finding,
)
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import qrels_of, run_of


def compared(**changes: Any) -> pd.DataFrame:
    """A frame of `compare`: bm25 and hybrid, 84 queries, hybrid ahead by 0.060."""
    base = {"run": "bm25", "mean": 0.571, "difference": np.nan, "low": np.nan, "high": np.nan}
    base |= {"won": 0, "lost": 0, "same": 84, "queries": 84, "verdict": None, "differing": 0}
    row = {"run": "hybrid", "mean": 0.631, "difference": 0.06, "low": 0.03, "high": 0.092}
    row |= {"won": 46, "lost": 17, "same": 21, "queries": 84, "verdict": "better"}
    row |= {"p_corrected": 0.04, "differing": 70}
    rows = pd.DataFrame([base, row | changes])
    rows["queries"] = rows["queries"].iloc[1]
    return rows


def groups_of(differences: Mapping[str, float], clear: Iterable[str] = ()) -> pd.DataFrame:
    """A frame of `breakdown` for hybrid."""
    rows = [{"group": g, "run": "hybrid", "difference": d} for g, d in differences.items()]
    frame = pd.DataFrame(rows).assign(diff_low=-0.386, diff_high=-0.155, queries=10)
    return frame.assign(clear=frame["group"].isin(list(clear)))


# Overview


def said(measure: str = "nDCG@10", method: Method = DEFAULT_METHOD, **changes: Any) -> str:
    return plain(
        verdict_finding(compared(**changes), measure, "hybrid", "bm25", method=method).text
    )


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_clearly_ahead() -> None:
    found = verdict_finding(compared(), "nDCG@10", "hybrid", "bm25")
    assert found.title.text == "hybrid beats bm25"
    assert (found.badge, found.tone) == ("clear difference", "better")
    assert plain(found.lead.text) == "nDCG@10 rises from 0.571 to 0.631. Significant (p = 0.040)."
    assert [s.text for s in found.title.spans if s.role == "run"] == ["hybrid", "bm25"]
    three = pd.concat([compared(), compared(run="a").iloc[1:], compared(run="b").iloc[1:]])
    told = verdict_finding(three, "nDCG@10", "hybrid", "bm25").lead.text
    assert "Significant after correction for three comparisons (p" in told


def test_another_method_is_said() -> None:
    two = pd.concat([compared(), compared(run="a").iloc[1:]])
    chosen = Method("t-test", "none", level=0.9)
    told = verdict_finding(two, "nDCG@10", "hybrid", "bm25", method=chosen).lead.text
    t = TESTS["t-test"]
    assert f"Significant at 10% by {t}, not corrected for two comparisons" in plain(told)


BEHIND = {"mean": 0.41, "difference": -0.161, "low": -0.2, "high": -0.1, "verdict": "worse"}


def test_clearly_behind() -> None:
    assert said("AP", **BEHIND) == (
        "hybrid falls behind bm25 [clear loss|worse] AP falls from 0.571 to 0.410."
        " Significant (p = 0.040)."
    )


def test_where_less_is_better_what_falls_may_be_ahead() -> None:
    fewer = {"mean": 0.371, "difference": -0.2, "low": -0.3, "high": -0.1}
    assert said("Unjudged@10", **fewer).startswith(
        "hybrid beats bm25 [clear difference|better] Unjudged@10 falls from 0.571 to 0.371."
    )


def test_means_over_different_queries_are_not_subtracted() -> None:
    assert "nDCG@10 rises by 0.060 on the 84 queries with scores from both runs." in said(mean=0.7)
    assert "against 0.571, each averaged over that run’s queries. The difference of" in said(
        mean=0.7, **UNCLEAR
    )


UNCLEAR = {"difference": -0.009, "low": -0.057, "high": 0.038, "verdict": "cannot tell"}
UNCLEAR |= {"p_corrected": 0.71}


def test_no_clear_difference() -> None:
    assert said(mean=0.562, **UNCLEAR) == (
        "hybrid and bm25 [no clear difference|unclear] nDCG@10 is 0.562 against 0.571. The"
        " difference of −0.009 may be chance: p = 0.71, and the true difference could be anywhere"
        " from −0.057 to +0.038."
    )
    few = {"low": np.nan, "high": np.nan, "p_corrected": np.nan, "reason": "only 4 queries differ"}
    assert said(mean=0.562, **UNCLEAR | few).endswith(
        "The difference of −0.0090 is not tested: only 4 queries differ."
    )
    contrary = {"p_corrected": 0.01, "reason": "the mean and this test favour different runs"}
    assert "does not count as significant (p = 0.0100): the mean and" in said(**UNCLEAR | contrary)


@pytest.mark.parametrize(
    ("queries", "title"),
    [
        (6, "Only 6 queries: examples, not a result"),
        (1, "Only 1 query: an example, not a result"),
        (0, "No query has scores from both runs"),
    ],
)
def test_fewer_than_ten_queries_are_examples(queries: int, title: str) -> None:
    found = verdict_finding(compared(queries=queries), "AP", "hybrid", "bm25")
    assert found.title.text == title
    assert (found.badge, found.tone) == ("too few queries", "few")
    if queries == 6:
        assert found.lead.text.startswith(
            "On these six queries, hybrid scores 0.631 and bm25 0.571 on AP: 46 better, 21 same,"
            " 17 worse."
        )


def test_small_differences_have_the_decimals_they_need() -> None:
    small = {"mean": 0.57142, "difference": 0.00042, "low": 0.00031, "high": 0.00053}
    assert "AP rises from 0.57100 to 0.57142." in said("AP", **small)
    unclear = {"difference": 0.00002, "low": -0.00009, "high": 0.00013, "verdict": "cannot tell"}
    assert "The difference of +0.00002 may" in said("AP", p_corrected=0.5, **unclear)


def test_one_run_only() -> None:
    one = compared().iloc[1:]
    found = single_run_finding(one, "nDCG@10", "hybrid", (0.574, 0.697))
    assert found.title.text == "hybrid scores 0.631 on nDCG@10" and not found.badge
    assert plain(found.lead.text) == (
        "95% interval 0.574 to 0.697 over 84 queries. Add a second run to compare."
    )
    of_two = single_run_finding(one, "nDCG@10", "hybrid", (np.nan, np.nan), runs_loaded=2)
    assert of_two.lead.text == "Over 84 queries. Choose another run to compare."
    few = single_run_finding(compared(queries=3).iloc[1:], "nDCG@10", "hybrid", (0.1, 0.2))
    assert (few.badge, few.tone) == ("too few queries", "few")
    assert few.lead.text.startswith("Over 3 queries: examples, not a result. ")


def test_a_level_pair_has_its_own_words() -> None:
    level = {"mean": 0.571, "difference": 0.0, "verdict": "cannot tell"}
    level |= {"reason": "no query differs", "won": 0, "lost": 0, "same": 84, "differing": 0}
    for ends in ({"low": np.nan, "high": np.nan}, {"low": 0.0, "high": 0.0}):
        assert said("P@5", **level | ends) == (
            "hybrid and bm25 [tied|unclear] Both runs have the same score on every query: P@5 is"
            " 0.571."
        )
    # Of equal means whose queries differ nobody knows that the runs are level.
    differ = {"low": -0.02, "high": 0.02, "differing": 8, "p_corrected": 1.0}
    assert said("P@5", **{**level, **differ}) == (
        "hybrid and bm25 [no clear difference|unclear] P@5 is 0.571 for both. But 8 queries differ,"
        " and the true difference could be anywhere from −0.020 to +0.020 (p = 1.00)."
    )


@pytest.mark.parametrize(
    ("clear", "told"),
    [
        ([], "No group is significant on its own."),
        (["Billing"], "hybrid gains in Billing, significant on its own."),
        (
            ["Returns", "Billing"],
            "hybrid gains in Billing and Returns, each significant on its own.",
        ),
        (
            ["Billing", "Devices"],
            "hybrid gains in Billing and loses in Devices, each significant on its own.",
        ),
    ],
)
def test_which_groups_are_clear_is_said_the_largest_first(clear: list[str], told: str) -> None:
    groups = groups_of({"Returns": 0.2, "Billing": 0.3, "Privacy": 0.1, "Devices": -0.2}, clear)
    assert groups_finding(groups, "hybrid").text == told
    assert not groups_finding(groups.assign(difference=np.nan), "hybrid")
    partly_tested = groups.assign(clear=False, diff_low=[np.nan, -0.1, -0.1, np.nan])
    assert groups_finding(partly_tested, "hybrid").text == (
        "No group is significant on its own; only two are tested."
    )


def test_of_many_groups_three_are_named_and_the_rest_counted() -> None:
    many = {f"g{i:02}": 0.4 - i / 100 for i in range(40)}
    found = groups_finding(groups_of(many, many), "hybrid", higher_is_better=False)
    assert found.text == ("hybrid loses in g00, g01, g02 and 37 more, each significant on its own.")
    losing = {g: (2, -gap) for g, gap in many.items()} | {"only": (90, 0.5)}
    assert "40 of 41 groups are significantly worse" in led(losing, [*many, "only"])


def test_other_measures_are_named_where_the_chosen_one_says_nothing() -> None:
    words = {"nDCG@10": "cannot tell", "P@10": "better", "R@10": "worse", "AP": "cannot tell"}
    table = pd.DataFrame({"run": "a", "measure": list(words), "verdict": list(words.values())})
    assert measures_finding(table, "a", "nDCG@10").text == (
        "a is significantly ahead on P@10 and significantly behind on R@10, but not on nDCG@10 and"
        " AP. Decide which measure counts before you look at the results."
    )
    assert not measures_finding(table, "a", "P@10")
    assert not measures_finding(table.assign(verdict="cannot tell"), "a", "nDCG@10")


def test_little_judged_warns_below_four_fifths() -> None:
    facts = {"queries": 1, "judgments": 1, "lowest_grade": 0, "highest_grade": 1}
    facts |= {"judged_text": "judged", "all_zero": 0, "missing": {}, "unjudged": 0}
    assert ViewFacts(judged_share=0.79, **facts).is_little_judged
    assert not ViewFacts(judged_share=0.8, **facts).is_little_judged


# Curves

KS = [1, 2, 3, 5, 10, 20, 50, 100]


def curve_of(signs: str) -> pd.DataFrame:
    """A frame of `curves`: + clearly ahead, - clearly behind, . no query differs, 0 equal means,
    ? unclear, one sign a k."""
    low = {"+": 0.01, "-": -0.2, ".": 0, "0": -0.1, "?": -0.1}
    high = {"+": 0.2, "-": -0.01, ".": 0, "0": 0.1, "?": 0.2}
    own = {"run": "hybrid", "k": KS}
    own |= {
        "difference": [(low[s] + high[s]) / 2 for s in signs],
        "queries": 84,
        "diff_low": [low[s] for s in signs],
        "diff_high": [high[s] for s in signs],
    }
    return pd.DataFrame(own)


EVERY = "after correction for all k from 1 to 100 (this pair only)."


def significant(where: str) -> str:
    return f"Significant {where} after correction for all k from 1 to 100 (this pair only)."


@pytest.mark.parametrize(
    ("signs", "title", "lead"),
    [
        (
            ".+++++++",
            "hybrid is significantly ahead of bm25 on nDCG from k = 2",
            f"{significant('from k = 2')} At k = 1 no query differs, so"
            " the difference comes from results below rank 1.",
        ),
        (
            "0+++++++",
            "hybrid is significantly ahead of bm25 on nDCG from k = 2",
            f"{significant('from k = 2')} At k = 1 the difference is not significant.",
        ),
        (
            "?+++++++",
            "hybrid is significantly ahead of bm25 on nDCG from k = 2",
            f"{significant('from k = 2')} At k = 1 the difference is not significant.",
        ),
        (
            "00000000",
            "hybrid and bm25: no clear difference on nDCG",
            f"No significant difference at any k {EVERY}",
        ),
        (
            "...+++++",
            "hybrid is significantly ahead of bm25 on nDCG from k = 5",
            f"{significant('from k = 5')} Up to k = 3 no query differs, so"
            " the difference comes from results below rank 3.",
        ),
        (
            "++++++++",
            "hybrid is significantly ahead of bm25 on nDCG at every k",
            f"{significant('at every k')}",
        ),
        (
            "--------",
            "hybrid is significantly behind bm25 on nDCG at every k",
            f"{significant('at every k')}",
        ),
        (
            "++++??..",
            "hybrid is significantly ahead of bm25 on nDCG from k = 1 to 5",
            f"{significant('from k = 1 to 5')} Beyond k = 5 the difference is not significant.",
        ),
        (
            "++?++.++",
            "hybrid is significantly ahead of bm25 on nDCG at some k",
            f"{significant('from k = 1 to 2, from k = 5 to 10 and from k = 50')}"
            " Between these ranges, the difference is not significant.",
        ),
        (
            "---.??++",
            "hybrid: clear gains and losses on nDCG, depending on k",
            "Significantly ahead of bm25 from k = 50, behind bm25 from k = 1 to 3, after"
            " correction for all k from 1 to 100 (this pair only). Between these ranges, the"
            " difference is not significant.",
        ),
        (
            "........",
            "hybrid and bm25 score the same on nDCG at every k",
            "No query differs at any k from 1 to 100.",
        ),
        (
            "....+...",
            "hybrid and bm25: clear difference on nDCG only at a few k",
            "Significant only at k = 10, after correction for all k from 1 to 100"
            " (this pair only).",
        ),
    ],
)
def test_curves(signs: str, title: str, lead: str) -> None:
    asked = curve_of(signs), "nDCG", "hybrid", "bm25"
    assert (curves_title(*asked).text, curves_subtitle(asked[0], *asked[2:]).text) == (title, lead)


def test_the_lead_names_other_measures_if_the_title_names_the_only_range() -> None:
    def lead(signs: str, **others: str) -> str:
        curves = {name: curve_of(own) for name, own in others.items()}
        return curves_subtitle(curve_of(signs), "hybrid", "bm25", other_curves=curves).text

    found = lead("?+++++++", P="????????", R="??++++++", RR="++++++++")
    assert (
        found
        == "Significantly different on P at no k, ahead on R from k = 3 and ahead on RR at every k."
    )
    found = lead("--------", P="++++++++", R="??------", RR="++++----")
    assert found == (
        "Significantly ahead on P at every k, behind on R from k = 3, ahead on RR from k = 1 to 5"
        " and behind on RR from k = 10."
    )
    assert lead("?+++++++") == lead("?+++++++") != lead("?++??+++", P="++++++++")
    assert "Significant from" in lead("?++??+++", P="++++++++")


@pytest.mark.parametrize(
    ("signs", "word", "differing", "title", "beside"),
    [
        ("?+++++++", "better", 80, "hybrid beats bm25 on nDCG@10", ""),
        ("--------", "worse", 80, "hybrid falls behind bm25 on nDCG@10", ""),
        ("????????", "cannot tell", 80, "hybrid and bm25: no clear difference on nDCG@10", ""),
        ("........", "cannot tell", 0, "hybrid and bm25 score the same on nDCG@10", ""),
        (
            "????????",
            "better",
            80,
            "hybrid beats bm25 on nDCG@10",
            "k = 10 is significant on its own, but not after correction for all k.",
        ),
        (
            "++++++++",
            "cannot tell",
            80,
            "hybrid and bm25: no clear difference on nDCG@10",
            "In the test of all compared runs, k = 10 is not significant. It is"
            " significant here, because the band is corrected for this pair alone.",
        ),
    ],
)
def test_the_heading_of_curves_is_the_verdict_at_the_chosen_k(
    signs: str, word: str, differing: int, title: str, beside: str
) -> None:
    tested = {"verdict": word, "differing": differing}
    found = describe_cutoff(curve_of(signs), tested, "nDCG@10", ("hybrid", "bm25"), 10)
    assert [one.text for one in found] == [title, beside]


def test_curves_of_few_queries_claim_no_lead() -> None:
    asked = curve_of("+" * 8).assign(queries=9), "nDCG", "hybrid", "bm25"
    assert curves_title(*asked).text == "hybrid and bm25 on nDCG by k"
    assert curves_subtitle(asked[0], *asked[2:]).text == (
        "Only 9 queries: too few for a result. No k is tested."
    )


def test_curves_of_one_run() -> None:
    alone = curve_of("+" * 8).assign(difference=np.nan)
    for frame, baseline in ((curve_of("+" * 8), "hybrid"), (alone, "bm25")):
        lead = curves_subtitle(frame, "hybrid", baseline).text
        assert lead == "Compare another run to see a difference."
    assert curves_title(alone, "nDCG", "hybrid", "hybrid").text == "hybrid on nDCG by k"


# Breakdown


def bridge_of(
    rows: dict[str, tuple[int, float]], clear: Sequence[str] = (), unlike: Sequence[str] = ()
) -> pd.DataFrame:
    """A frame of `Breakdown.bridge`: group -> queries and mean difference."""
    total = sum(n for n, _ in rows.values())
    return pd.DataFrame(
        [(g, n, d, n * d / total, n >= 10, g in clear, g in unlike) for g, (n, d) in rows.items()],
        columns=["group", "queries", "difference", "part", "tested", "clear", "unlike"],
    )


def titled(rows: dict[str, tuple[int, float]], unlike: Sequence[str] = (), **how: Any) -> str:
    found = groups_title(bridge_of(rows, (), unlike), "dense", "bm25", **how).text
    assert len(found) <= 68
    return found


def led(rows: dict[str, tuple[int, float]], clear: Sequence[str] = (), **how: Any) -> str:
    return groups_subtitle(bridge_of(rows, clear), n_tested=len(rows), **how).text


EVERYWHERE = {"Network": (9, 0.243), "Devices": (25, 0.07), "Errors": (70, 0.073)}
CATEGORY = GroupNoun("category", "categories")


def test_means_are_counted_and_a_group_is_named_only_if_it_is_unlike_the_rest() -> None:
    assert titled(EVERYWHERE, noun=CATEGORY) == (
        "dense scores higher than bm25 in all three categories"
    )
    assert titled({"a": (9, 0.1), "b": (9, 0.2)}) == "dense scores higher than bm25 in both groups"
    some = {**EVERYWHERE, "x": (9, -0.01)}
    found = groups_title(bridge_of(some, ["Errors"]), "dense", "bm25").text
    assert found == "dense scores higher than bm25 in three of four groups"
    large = {**EVERYWHERE, "Errors": (16, 0.06), "Other": (30, 0.25)}
    assert titled(large, ["Other"]) == "dense gains most in Other"
    in_all = "dense scores higher than bm25 in all four groups"
    assert titled(large, ["Network"]) == in_all
    # More than half comes from Errors, two thirds of the queries, in which it is below the mean.
    assert "most" not in titled(EVERYWHERE, ["Errors"])
    long = {g * 30: v for g, v in large.items()}
    assert titled(long, ["Other" * 30]) == "dense gains most in one of four groups"
    losing = {g: (n, -gap) for g, (n, gap) in large.items()}
    assert titled(losing) == in_all.replace("higher", "lower")
    assert titled(losing, ["Other"]) == "dense loses most in Other"
    assert titled(losing, ["Other"], higher_is_better=False) == "dense gains most in Other"


def test_means_that_go_both_ways_and_may_be_chance_head_no_page() -> None:
    rows = {f"g{i}": (20, 0.02 if i % 4 else -0.01) for i in range(40)}
    assert titled(rows, noun=CATEGORY) == "No category is significant on its own"
    assert led(rows, noun=CATEGORY) == "The mean is higher in 30 of 40 categories."
    assert titled({g: (5, gap) for g, (_, gap) in rows.items()}, noun=CATEGORY) == (
        "No category has the ten queries needed for a test"
    )
    assert titled(rows, noun=GroupNoun("kind of product and of market", "kinds")) == (
        "No kind of product and of market is significant on its own"
    )


def test_a_level_whole_one_group_and_too_few_queries() -> None:
    assert titled({"a": (10, 0.1), "b": (10, -0.1)}) == "The means are the same"
    near = titled({"a": (10, 0.1004), "b": (10, -0.1)})
    assert near == "The means differ by less than 0.0005"
    # The differences of a small cost are printed with more decimals.
    assert titled({"a": (10, 4e-4), "b": (10, 2e-4)}).startswith(
        "dense scores higher than bm25 in both"
    )
    tiny = titled({"a": (10, 4.00001e-4), "b": (10, -4e-4)})
    assert tiny == "The means differ by less than 0.0000005"
    assert titled({"Returns": (20, 0.1)}) == "All queries are Returns"
    few = {"a": (2, 0.1), "b": (2, 0.1)}
    assert titled(few) == "Only 4 queries: too few for a result"
    assert led({"a": (20, 0.1)}) == "There is only one group, so this column explains nothing."
    assert led(few, noun=CATEGORY) == "No category is tested."


def test_the_lead_tells_a_part_that_is_far_more_than_its_share_of_the_queries() -> None:
    assert led(EVERYWHERE, noun=CATEGORY) == (
        "No category is significant on its own; only two are tested."
        " Network (not tested) adds a quarter of the gain with 9 of the 104 queries."
    )
    against = {**EVERYWHERE, "Returns": (20, -0.1)}
    assert led(against).endswith(
        " Network (not tested) adds +0.018 of the +0.057 with 9 of the 124 queries."
    )
    assert " Devices (not significant) adds " in led({"Devices": (12, 0.3), "b": (60, 0.05)}, "b")
    more = {"Billing": (20, 0.3), "Devices": (20, -0.1)}
    assert " It adds +0.150, more than the total of +0.100," in led(more, ["Billing"])
    assert "Billing" not in led(more), "by chance parts cancel"
    for n in (30, 3):
        rows = {"a": (70, 0.08), "b": (n, 0.07)}
        assert titled(rows) == "dense scores higher than bm25 in both groups"
    small = {"Network": (20, 2e-3), "Devices": (100, -1e-4)}
    assert " adds +0.000333, more than the total of +0.000250, " in led(small, ["Network"])


def test_the_lead_says_which_groups_are_significant_after_correction() -> None:
    even = {"a": (30, 0.1), "b": (30, 0.11), "c": (30, 0.09), "d": (30, 0.1), "e": (5, 0.1)}
    assert led(even, ["a"]) == "Only a is significantly better after correction for five groups."
    assert led(even, ["a", "b"]) == (
        "A and b are significantly better after correction for five groups,"
        " none is significantly worse."
    )
    assert led(even, "abcd").startswith("Four of five groups are significantly better after")
    assert led(even, list(even)).startswith("All five groups are significantly better")
    both = {**even, "c": (30, -0.09)}
    assert led(both, "abc").startswith(
        "A and b are significantly better after correction for five groups,"
        " c is significantly worse."
    )
    assert (
        "Also tested: 1,234 groups of queries, formed by one or two columns. In none of them does"
        in slices_finding(1234, 0)
    )
    assert (
        "Also tested: 20 groups of queries, formed by one or two columns. In two of them, the"
        in slices_finding(20, 2)
    )
    assert slices_finding(0, 0) == ""
    assert led({"a": (9, 0.1), "b": (9, 0.1)}) == "No group has the ten queries needed for a test."


def test_of_one_run_its_lowest_group_is_named() -> None:
    rows = pd.DataFrame({"group": ["a", "b", "c"], "queries": [20, 20, 3], "mean": [0.5, 0.4, 0.1]})
    assert single_run_title(rows, "dense").text == "dense scores lowest in b"
    assert (
        single_run_title(rows, "dense", higher_is_better=False).text == "dense scores highest in a"
    )
    assert (
        single_run_title(rows.assign(mean=0.5), "dense", noun=CATEGORY).text == "dense by category"
    )


def test_crossed_columns_name_the_group_in_which_the_difference_is_largest() -> None:
    margins = pd.DataFrame(
        {
            "column": ["difficulty"] * 3,
            "group": ["easy", "hard", "odd"],
            "queries": [20, 20, 3],
            "difference": [0.07, 0.142, 0.1],
        }
    )
    assert crossed_groups_title(margins, 0.08).text == "By difficulty, the gain is largest for hard"
    less = crossed_groups_title(margins, 0.08, higher_is_better=False).text
    assert less == "By difficulty, the loss is largest for hard"
    # Less than half as much again is not far more, and nothing is more than a whole of nothing; of
    # few queries none is named, and no other in its place.
    plain = "The difference by two columns"
    few = margins.assign(difference=[0.07, 0.142, 0.5])
    assert {crossed_groups_title(margins, whole).text for whole in (0.1, 0.0)} == {plain}
    assert crossed_groups_title(few, 0.08).text == plain
    assert crossed_groups_subtitle(margins).text == "Hard +0.142, odd +0.100, easy +0.070."


def test_why_groups_have_no_interval_is_said() -> None:
    rows = groups_of({"a": 0.1, "b": 0.2, "c": 0.3}, []).assign(queries=[3, 20, 20])
    assert untested_note(rows) == "With fewer than ten queries, a cannot be tested."
    told = untested_note(rows.assign(diff_low=np.nan))
    assert told.endswith(" No interval, because too few queries differ: b and c.")


def test_that_most_queries_go_against_the_whole_is_said() -> None:
    rows = {"a": (20, 0.5), "b": (30, -0.05), "c": (10, -0.1)}
    bridge = bridge_of(rows, ["b", "c"])
    assert reversal_finding(bridge).text == (
        "Most queries (40 of 60) are in groups that lose significantly, so the overall gain comes"
        " from the remaining groups."
    )
    # Not where it is not clear, nor where it is nothing as printed.
    assert not reversal_finding(bridge_of(rows, ["c"]))
    assert not reversal_finding(bridge_of({"a": (20, 0.5), "b": (40, -0.0004)}, ["b"]))
    assert (
        "in groups that gain significantly, so the overall loss"
        in reversal_finding(bridge, higher_is_better=False).text
    )
    assert not reversal_finding(bridge_of(EVERYWHERE))
    assert not reversal_finding(bridge_of({"a": (3, 0.5), "b": (4, -0.05)}, ["b"]))


def test_the_strongest_finding_of_another_run() -> None:
    dense = groups_of({"Devices": -0.265, "Billing": -0.1}, ["Devices"]).assign(run="dense")
    hybrid = groups_of({"Devices": -0.5, "Billing": 0.3}, ["Devices", "Billing"])
    groups = pd.concat([hybrid, dense], ignore_index=True)
    assert strongest_other_run_finding(groups, "hybrid", "bm25").text == (
        "dense is significantly worse only in Devices: −0.265 [−0.386, −0.155]."
    )
    groups["clear"] = True
    assert strongest_other_run_finding(groups, "hybrid", "bm25").text.endswith(
        ", and in one other group."
    )
    assert not strongest_other_run_finding(hybrid, "hybrid", "bm25")


def test_where_less_is_better_another_run_gains_by_a_fall() -> None:
    dense = groups_of({"Devices": -0.265}, ["Devices"]).assign(run="dense")
    text = strongest_other_run_finding(dense, "hybrid", "bm25", higher_is_better=False).text
    assert text.startswith("dense is significantly better only in Devices: ")


# Queries


def differences_of(won: list[float], lost: list[float], same: int) -> pd.DataFrame:
    outcome = ["better"] * len(won) + ["worse"] * len(lost) + ["same"] * same
    return pd.DataFrame({"difference": [*won, *lost, *[0.0] * same], "outcome": outcome})


def which(frame: pd.DataFrame, *pair: str, **told: int) -> tuple[str, str]:
    counts = {"all_zero": 0} | told
    turned = QueryCounts(**counts, every_run="both runs")
    focus, baseline = pair or ("hybrid", "bm25")
    said = [f(frame, focus, baseline, turned).text for f in (queries_finding, queries_subtitle)]
    return said[0], said[1]


def test_which_queries() -> None:
    frame = differences_of([0.05, 0.142] * 23, [-0.3] * 17, 21)
    assert which(frame, all_zero=10) == (
        "hybrid is better on 46 of 84 queries, worse on 17",
        "Median difference: +0.096 where better, −0.300 where worse.",
    )
    assert which(frame[frame["outcome"] != "same"], broken=1200)[1] == (
        "Median difference: +0.096 where better, −0.300 where worse."
        " Start with the 1,200 broken queries: bm25 reaches two thirds of the ideal score, hybrid"
        " does not."
    )
    assert which(differences_of([], [-0.1], 50), broken=1)[1] == (
        "Start with the broken query: bm25 reaches two thirds of the ideal score, hybrid does not."
    )


def test_which_queries_when_few_win() -> None:
    assert which(differences_of([0.2], [-0.1, -0.3], 0)) == (
        "hybrid is better on 1 of 3 queries, worse on 2",
        "Only 3 queries: too few to test, so nothing is coloured. Median difference:"
        " −0.200 where worse.",
    )
    assert which(differences_of([], [], 50)) == ("No query differs by more than 0.01", "")
    none = differences_of([], [], 5).assign(difference=np.nan)
    assert which(none)[1] == "No query has scores from both runs, so nothing is coloured."
    one = which(differences_of([], [], 5), "bm25", "bm25", all_zero=1)
    assert one[0] == "1 of 5 queries scores 0 with both runs"
    assert which(differences_of([], [], 5), "bm25", "bm25")[0] == "5 queries"


# Query

FILL = [f"n{i:03}" for i in range(150)]
ZEROS = dict.fromkeys(FILL, 0)
ONE = {"a": 1, **ZEROS}
FOUR = {"a": 1, "b": 1, "c": 1, "d": 1, **ZEROS}


def explained(
    bm25: Iterable[str] | None,
    hybrid: Iterable[str],
    grades: Mapping[str, int],
    *,
    measure: str = "nDCG@10",
    names: Mapping[float, str] = NO_GRADE_NAMES,
    **others: Iterable[str],
) -> str:
    """The explanation of query q, hybrid against bm25 (or alone), from the lists."""
    lists = ({} if bm25 is None else {"bm25": bm25}) | {"hybrid": hybrid} | others
    qrels = qrels_of(({"q": grades} if grades else {}) | {"other": {"z": 1}})
    runs = [
        run_of({"q": {d: 1000.0 - i for i, d in enumerate(docs)}, "other": {"z": 1}}, name)
        for name, docs in lists.items()
    ]
    judged = [join_judgments(run, qrels) for run in runs]
    baseline = "hybrid" if bm25 is None else "bm25"
    measured = parse_measure(measure)
    return explain(
        diagnose(runs, judged, qrels, "q", measured, baseline=baseline, focus="hybrid", cutoff=10),
        names,
    ).text


def test_a_loss_of_the_best_documents() -> None:
    # AP falls from 1 to (1/5 + 2/7) / 2, and without the two unjudged to (1/3 + 2/4) / 2.
    text = explained("abcd", ["c", "x", "d", "y", "a", "e", "b"], {"a": 3, "b": 3, "c": 0, "d": 0},
                     measure="AP")  # fmt: skip
    assert text == (
        "hybrid scores 0.757 lower: the two documents graded 3 fell from ranks 1 and 2 "
        "to ranks 5 and 7; two non-relevant documents and three unjudged are now "
        "above them. If unjudged documents are ignored, the loss is 0.583."
    )


def test_grades_with_a_name_are_told_by_it() -> None:
    names = {3.0: "highly", 2.0: "fairly"}
    for grades, told in (
        ({"a": 3, "b": 0, "c": 1}, "the only highly relevant document fell from rank 1 to rank 2"),
        ({"a": 2, "b": 0, "c": 3}, "a fairly relevant document fell"),
        ({"a": 1, "b": 0, "c": 3}, "a document graded 1 fell"),
    ):
        assert told in explained("abc", "bac", grades, names=names)
    # "One of the two fell" would say that the other did not.
    two = explained("ab", "xyab", {"a": 3, "b": 3}, names=names)
    assert ": a highly relevant document fell from rank 1 to rank 3;" in two


def test_a_gain_of_the_best_documents() -> None:
    text = explained("cxdyaeb", "abcd", {"a": 3, "b": 3, "c": 0, "d": 0}, measure="AP")
    assert text == (
        "hybrid scores 0.757 higher: the two documents graded 3 rose from ranks 5 and 7 "
        "to ranks 1 and 2; two non-relevant documents and three unjudged are above "
        "them in bm25. If unjudged documents are ignored, the gain is 0.583."
    )


def test_the_cause_is_what_the_measure_counts() -> None:
    # RR: only the first relevant document counts, so the fall of the best one is no cause.
    first = explained("abcde", "badec", {"a": 1, "b": 0, "c": 3}, measure="RR")
    assert "a document graded 1 fell from rank 1 to rank 2" in first
    assert "best" not in first
    # P@3: a fall within the first three costs nothing.
    precise = explained("abcd", "dbac", {"a": 1, "c": 1, "d": 0}, measure="P@3")
    assert "a relevant document fell from rank 3 to rank 4" in precise
    assert "from rank 1" not in precise


def test_no_relevant_document_is_no_claim_about_scores() -> None:
    text = explained("ab", "bc", {"a": 0, "b": 0}, measure="Judged@2")
    assert text == "None of the judged documents is relevant to this query."


@pytest.mark.parametrize(
    ("bm25", "hybrid", "text"),
    [
        (
            ["a", *FILL[:11]],
            [*FILL[:5], "a"],
            "hybrid scores 0.833 lower: the only relevant document fell from "
            "rank 1 to rank 6; five non-relevant documents are now above it.",
        ),
        (
            ["a", *FILL[:11]],
            [*FILL[:11], "a"],
            "hybrid scores 1.000 lower: the only relevant document fell from "
            "rank 1 to rank 12, below the top 10; one non-relevant document is now in "
            "its top 10.",
        ),
        (
            ["a", *FILL[:11]],
            FILL[:11],
            "hybrid scores 1.000 lower: the only relevant document, previously at rank 1, is no"
            " longer retrieved; one non-relevant document is now in its top 10.",
        ),
        (
            [*FILL[:11], "a"],
            ["a", *FILL[:11]],
            "hybrid scores 1.000 higher: the only relevant document rose from "
            "rank 12 to rank 1; ten non-relevant documents are in the "
            "top 10 of bm25.",
        ),
        (
            FILL[:11],
            ["a", *FILL[:11]],
            "hybrid scores 1.000 higher: the only relevant document entered at "
            "rank 1 (not retrieved by bm25); ten non-relevant documents are in the "
            "top 10 of bm25.",
        ),
    ],
)
def test_where_the_only_relevant_document_went(
    bm25: list[str], hybrid: list[str], text: str
) -> None:
    assert explained(bm25, hybrid, ONE, measure="RR@10") == text


def test_what_unjudged_documents_have_to_do_with_it() -> None:
    nothing = explained("a", [*"xyz", "a"], {"a": 1}, measure="RR")
    assert nothing == (
        "hybrid scores 0.750 lower: the only relevant document fell from rank 1 to "
        "rank 4; three unjudged documents are now above it. "
        "If unjudged documents are ignored, the loss disappears."
    )
    turns = explained(["n000", "a"], ["x", "y", "a"], ONE, measure="RR")
    assert turns.endswith("If unjudged documents are ignored, the difference is a gain of 0.500.")


def test_only_documents_that_newly_stand_above_are_said_to() -> None:
    # x stood above before and still does; y is new there.
    text = explained(["x", "a", "y"], ["x", "y", "a"], {"a": 1, "x": 0, "y": 0}, measure="RR")
    assert text.endswith("; one non-relevant document is now above it.")


def test_documents_of_several_grades() -> None:
    text = explained("abc", "xyzabc", {"a": 1, "b": 2, "c": 2, "d": 1})
    assert ": two documents graded 2 and 1 fell from ranks 1 and 2 to ranks 4 and 5;" in text


def test_no_run_succeeds() -> None:
    assert explained([*FILL[:14], "a"], [*FILL[:13], "a"], ONE) == (
        "No run has a relevant document in its top 10; the highest is at rank 14 in hybrid."
    )
    assert explained([*FILL[:120], "a"], FILL[:13], ONE) == (
        "No run has a relevant document in its top 10; none is among the first 100 of any run."
    )
    assert explained(None, [*FILL[:13], "a"], ONE) == (
        "hybrid has no relevant document in its top 10; the highest is at rank 14."
    )
    assert explained(None, FILL[:20], ONE) == (
        "hybrid has no relevant document in its top 10; none is among its first 100."
    )


@pytest.mark.parametrize(
    ("bm25", "hybrid", "tail"),
    [
        ("abcd", "badc", "the same four relevant documents are at other ranks."),
        ("ab", "ab", "the same two relevant documents are at the same ranks."),
        ("a", "a", "the same relevant document is at the same rank."),
        ("ab", "bc", "hybrid has two relevant documents in its top 10, bm25 two; "
         "one of them is in both."),
        ("abc", "bcd", "hybrid has three relevant documents in its top 10, bm25 three; "
         "two of them are in both."),
        ("a", "c", "hybrid has one relevant document in its top 10, bm25 one; "
         "none of them is in both."),
    ],
)  # fmt: skip
def test_both_score_the_same(bm25: str, hybrid: str, tail: str) -> None:
    score = {"abcd": "1.000", "abc": "0.750", "ab": "0.500", "a": "0.250"}[bm25]
    assert explained(bm25, hybrid, FOUR, measure="R@10") == f"Both score {score} on R@10; {tail}"


def test_about_the_same() -> None:
    grades = {f"r{i:03}": 1 for i in range(150)}
    text = explained(sorted(grades)[:100], sorted(grades)[:101], grades, measure="R@1000")
    assert text.startswith("Both runs score about the same, 0.673 and 0.667 on R@1000; the same")


def test_neither_has_one_but_another_run_does() -> None:
    assert explained(FILL[:12], FILL[:12], ONE, dense=["a"]) == (
        "Both score 0.000 on nDCG@10; neither has a relevant document in its top 10."
    )


def test_one_run_alone() -> None:
    assert explained(None, [*FILL[:3], "a", "b"], FOUR) == (
        "hybrid has 2 of 4 relevant documents in its top 10; the first is at rank 4."
    )


def test_no_judgments_and_nothing_relevant() -> None:
    assert explained("ab", "ba", {}) == (
        "This query has no judgments, so it has no score. You can still read the lists."
    )
    assert explained("ab", "ba", {"a": 0, "b": -1}) == (
        "None of the judged documents is relevant to this query, so every run scores 0."
    )


# Data


@pytest.mark.parametrize(
    ("loaded", "refused", "options", "text"),
    [
        (7, 1, {}, "Seven files are loaded; the ids match. One could not be read. "
         "Every query in the runs has judgments."),
        (7, 0, {}, "Seven files are loaded; the ids match. Every query in the runs has"
         " judgments."),
        (7, 0, {"n_incomplete": 2}, "Seven files are loaded; the ids match. "
         "Every query in the runs has judgments; two runs have no results for some queries."),
        (7, 0, {"n_unjudged": 1}, "Seven files are loaded. 1 query in the runs has no judgments."),
        (12, 0, {"files_fit": False}, "12 files are loaded. "
         "Not every id in the runs matches the judgments."),
        (2, 3, {"missing_table": "judgments"}, "Two files are loaded. Three could not be read. "
         "Add judgments."),
        (5, 1, {"unclear_files": ["x.jsonl"], "n_waiting": 1}, "One of six files needs a"
         " look. No known format fits x.jsonl; check its fields."),
        (5, 3, {"unclear_files": ["a", "b"], "n_waiting": 2}, "Two of eight files need a"
         " look. One could not be read. No known format fits a and b; check their fields."),
        (2, 0, {"ambiguous_files": ["a"], "missing_table": "judgments"},
         "One of two files needs your"
         " answer. Judgments or a run? a may be either. Add judgments."),
        (1, 0, {"ambiguous_files": ["a"]},
         "One file needs your answer. Judgments or a run? a may be"
         " either."),
        (0, 0, {}, "Nothing is loaded yet. Add judgments and runs."),
        (0, 1, {"missing_table": "judgments and runs"},
         "No files are loaded. One could not be read. "
         "Add judgments and runs."),
    ],
)  # fmt: skip
def test_files(loaded: int, refused: int, options: dict[str, Any], text: str) -> None:
    assert files_finding(loaded, refused, **({"files_fit": True} | options)).text == text


# Sentences


def test_a_sentence_is_its_spans() -> None:
    sentence = run_span("a<b>") + strong_span(" leads") + muted_span(".")
    assert sentence.text == "a<b> leads."
    assert [s.role for s in sentence.spans] == ["run", "strong", "muted"]
    assert join_sentences([run_span("a"), run_span("b")], "; ").text == "a; b"
    assert not Sentence()


def test_of_the_same_documents_only_those_that_moved_are_counted() -> None:
    text = explained("axb", "abx", {"a": 3, "b": 1, "x": 0}, measure="Success@5")
    assert text == (
        "Both score 1.000 on Success@5; one of the same two relevant documents is at another rank."
    )


def test_a_missing_list_is_the_cause() -> None:
    text = explained("", "ab", {"a": 1, "b": 0}, measure="RR")
    assert text == ("hybrid scores 1.000 higher: bm25 has no results, so it scores 0.")


@pytest.mark.parametrize(
    ("runs", "loaded", "text"),
    [
        (1, 1, "judged in the top 10"),
        (2, 2, "judged in the top 10 of both runs"),
        (4, 4, "judged in the top 10 of all four runs"),
        (5, 20, "judged in the top 10 of the five runs shown"),
    ],
)
def test_a_judged_share_says_which_runs_it_is_about(runs: int, loaded: int, text: str) -> None:
    assert describe_judged_results(10, runs, loaded) == text
