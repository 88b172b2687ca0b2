"""The sentences, word for word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core.explaining.diagnosis import diagnose
from metrics_core.findings import (
    Facts,
    Sentence,
    bridge_finding,
    curves_finding,
    explain,
    files_finding,
    mix_finding,
    others_verdict,
    queries_finding,
    reversal_finding,
    strongest_other,
    verdict,
)
from metrics_core.findings.sentence import joined, muted, run, strong
from metrics_core.judging import judge
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

GAINS = {"Returns": 0.2, "Billing": 0.3, "Privacy": 0.1, "Devices": 0.01}


def test_clearly_ahead() -> None:
    sentence = verdict(compared(), "nDCG@10", "hybrid", "bm25")
    assert sentence.text == (
        "hybrid is ahead of bm25 on nDCG@10 by 0.060 [0.030, 0.092]. "
        "46 queries won, 17 lost, 21 the same."
    )
    assert [s.text for s in sentence.spans if s.role == "run"] == ["hybrid", "bm25"]


def test_clearly_ahead_names_the_groups_largest_first() -> None:
    groups = groups_of(GAINS, ["Returns", "Billing", "Privacy"])
    sentence = verdict(compared(), "nDCG@10", "hybrid", "bm25", groups)
    assert sentence.text.endswith("; the gain is clear on its own in Billing, Returns and Privacy.")


@pytest.mark.parametrize("rest", [0.94, 0.001, 0, -0.1])
def test_of_groups_in_which_a_gain_is_not_clear_nothing_is_said(rest: float) -> None:
    groups = groups_of({"Network": 0.3, "Other": rest, "None": 0}, ["Network"])
    sentence = verdict(compared(), "nDCG@10", "hybrid", "bm25", groups)
    assert sentence.text.endswith("; the gain is clear on its own in Network.")
    behind = {"difference": -0.161, "low": -0.2, "high": -0.1, "verdict": "worse"}
    groups = groups_of({"Network": -0.3, "Other": -rest}, ["Network"])
    sentence = verdict(compared(**behind), "nDCG@10", "hybrid", "bm25", groups)
    assert sentence.text.endswith("; the loss is clear on its own in Network.")


def test_of_many_groups_three_are_named_and_the_rest_counted() -> None:
    many = {f"g{i:02}": 0.4 - i / 100 for i in range(40)}
    sentence = verdict(compared(), "nDCG@10", "hybrid", "bm25", groups_of(many, many))
    assert sentence.text.endswith("; the gain is clear on its own in g00, g01, g02 and 37 more.")
    losing = {g: (2, -gap) for g, gap in many.items()} | {"only": (90, 0.5)}
    assert told(losing, many).startswith(
        "dense gains in one of 41 groups, only, and clearly loses in g00, g01, g02 and 37 more."
    )


def test_ahead_with_a_group_that_loses() -> None:
    groups = groups_of({"Billing": 0.3, "Devices": -0.2}, ["Billing", "Devices"])
    sentence = verdict(compared(), "nDCG@10", "hybrid", "bm25", groups)
    assert sentence.text.endswith(
        "the same; the gain is clear on its own in Billing, it loses in Devices."
    )


def test_clearly_behind() -> None:
    changes = {"difference": -0.161, "low": -0.2, "high": -0.1, "verdict": "worse"}
    groups = groups_of({"Billing": 0.3, "Devices": -0.2}, ["Billing", "Devices"])
    sentence = verdict(compared(**changes), "AP", "hybrid", "bm25", groups)
    assert sentence.text == (
        "hybrid is behind bm25 on AP by 0.161 [0.100, 0.200]. "
        "46 queries won, 17 lost, 21 the same; the loss is clear on its own in Devices, "
        "it gains in Billing."
    )


UNCLEAR = {"difference": -0.009, "low": -0.057, "high": 0.038, "verdict": "cannot tell"}


def test_no_clear_difference() -> None:
    changes = UNCLEAR | {"won": 35, "lost": 35, "same": 14}
    groups = groups_of({"Returns": 0.3, "Devices": -0.2}, ["Returns", "Devices"])
    sentence = verdict(compared(**changes), "nDCG@10", "hybrid", "bm25", groups)
    assert sentence.text == (
        "No clear difference between hybrid and bm25 on nDCG@10: −0.009 [−0.057, 0.038]. "
        "35 queries won, 35 lost, 14 the same; it gains in Returns and loses in Devices."
    )


def test_no_clear_difference_without_groups_drops_the_clause() -> None:
    sentence = verdict(compared(**UNCLEAR), "AP", "hybrid", "bm25", groups_of(GAINS))
    assert sentence.text.endswith("[−0.057, 0.038]. 46 queries won, 17 lost, 21 the same.")


def test_one_query_won_is_singular() -> None:
    sentence = verdict(compared(won=1, lost=2, same=1081), "AP", "hybrid", "bm25")
    assert sentence.text.endswith("1 query won, 2 lost, 1,081 the same.")


@pytest.mark.parametrize(("queries", "start"), [(6, "Only 6 queries"), (1, "Only 1 query")])
def test_fewer_than_ten_queries_are_examples(queries: int, start: str) -> None:
    sentence = verdict(compared(queries=queries), "AP", "hybrid", "bm25")
    assert sentence.text == (
        f"{start}: read this as examples, not as a result. "
        "hybrid scores 0.631 and bm25 0.571 on AP."
    )
    three = pd.concat([compared(), compared(run="dense", queries=6).iloc[1:]])
    assert not others_verdict(three, "hybrid", "bm25")


def test_small_differences_have_the_decimals_they_need() -> None:
    small = {"difference": 0.00042, "low": 0.00031, "high": 0.00053}
    assert (
        "by 0.00042 [0.00031, 0.00053]" in verdict(compared(**small), "AP", "hybrid", "bm25").text
    )
    unclear = {"difference": 0.00002, "low": -0.00009, "high": 0.00013, "verdict": "cannot tell"}
    found = verdict(compared(**unclear), "AP", "hybrid", "bm25").text
    assert "+0.00002 [−0.00009, 0.00013]" in found


def test_one_run_only() -> None:
    one = compared().iloc[1:]
    sentence = verdict(one, "nDCG@10", "hybrid", "hybrid")
    assert sentence.text == "hybrid scores 0.631 on nDCG@10; load a second run to compare."
    of_two = verdict(compared(), "nDCG@10", "hybrid", "hybrid")
    assert of_two.text.endswith("; choose another run to compare.")


def test_the_others() -> None:
    rows = pd.concat(
        [
            compared(),
            compared(run="dense", **UNCLEAR).iloc[1:],
            compared(
                run="titles-only", difference=-0.161, low=-0.2, high=-0.12, verdict="worse"
            ).iloc[1:],
            compared(run="fused").iloc[1:],
        ]
    )
    assert others_verdict(rows, "hybrid", "bm25").text == (
        "dense and bm25 are too close to call, −0.009 [−0.057, 0.038]; "
        "titles-only is behind, −0.161 [−0.200, −0.120]; "
        "fused is ahead, +0.060 [0.030, 0.092]."
    )
    assert not others_verdict(compared(), "hybrid", "bm25")


def test_where_less_is_better_a_group_that_falls_gains() -> None:
    groups = groups_of({"Billing": -3.0, "Devices": 2.0}, clear=["Billing", "Devices"])
    fewer = compared(difference=-2.0, low=-3.0, high=-1.0)
    told = verdict(fewer, "Unjudged@10", "hybrid", "bm25", groups, higher_is_better=False).text
    assert "hybrid is ahead of bm25 on Unjudged@10 by 2.000 [1.000, 3.000]" in told
    assert told.endswith("; the gain is clear on its own in Billing, it loses in Devices.")


def test_a_level_pair_has_its_own_words() -> None:
    level = {"difference": 0.0, "verdict": "cannot tell", "reason": "no query differs"}
    level |= {"won": 0, "lost": 0, "same": 84, "differing": 0}
    same = compared(low=np.nan, high=np.nan, **level)
    assert verdict(same, "P@5", "hybrid", "bm25").text == (
        "hybrid and bm25 score the same on P@5: no query differs. "
        "0 queries won, 0 lost, 84 the same."
    )
    alike = compared(low=0.0, high=0.0, **level)
    assert ": no query differs. 0 queries" in verdict(alike, "P@5", "hybrid", "bm25").text
    # Of equal means whose queries differ nobody knows that the runs are level.
    differ = {"low": -0.02, "high": 0.02, "won": 4, "lost": 4, "same": 76, "differing": 8}
    cancelled = compared(**{**level, **differ})
    assert (
        verdict(cancelled, "P@5", "hybrid", "bm25").text
        == "No clear difference between hybrid and bm25 on P@5: 0.000 [−0.020, 0.020]. "
        "4 queries won, 4 lost, 76 the same."
    )
    rows = pd.concat([compared(), cancelled.iloc[1:].assign(run="dense")])
    assert others_verdict(rows, "hybrid", "bm25").text == (
        "dense and bm25 are too close to call, 0.000 [−0.020, 0.020]."
    )
    rows = pd.concat([compared(), same.iloc[1:].assign(run="dense")])
    assert others_verdict(rows, "hybrid", "bm25").text == (
        "dense and bm25 score the same on every query, 0.000."
    )


def test_little_judged_warns_below_four_fifths() -> None:
    facts = {"queries": 1, "judgments": 1, "lowest_grade": 0, "highest_grade": 1, "cutoff": 10}
    facts |= {"all_zero": 0, "missing": {}, "unjudged": 0}
    assert Facts(judged_share=0.79, **facts).little_judged
    assert not Facts(judged_share=0.8, **facts).little_judged


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


@pytest.mark.parametrize(
    ("signs", "text"),
    [
        (
            ".+++++++",
            "hybrid leads bm25 on nDCG from k = 2 to k = 100. At k = 1 no query differs: "
            "the gain comes from the results below the first.",
        ),
        (
            "0+++++++",
            "hybrid leads bm25 on nDCG from k = 2 to k = 100. "
            "At k = 1 the band over all k leaves it open.",
        ),
        (
            "00000000",
            "At no k is the difference between hybrid and bm25 on nDCG clear of chance. "
            "The band holds for all k from 1 to 100 at once.",
        ),
        (
            "...+++++",
            "hybrid leads bm25 on nDCG from k = 5 to k = 100. Up to k = 3 no query differs: "
            "the gain comes from the results below the first 3.",
        ),
        (
            "++++++++",
            "hybrid leads bm25 on nDCG at every k from 1 to 100. "
            "The difference does not hang on the choice of k.",
        ),
        (
            "--------",
            "hybrid trails bm25 on nDCG at every k from 1 to 100. "
            "The difference does not hang on the choice of k.",
        ),
        (
            "??++++++",
            "hybrid leads bm25 on nDCG from k = 3 to k = 100. "
            "Up to k = 2 the band over all k leaves it open.",
        ),
        (
            "++++??..",
            "hybrid leads bm25 on nDCG from k = 1 to k = 5. "
            "Beyond k = 5 the band over all k leaves it open.",
        ),
        (
            "++++....",
            "hybrid leads bm25 on nDCG from k = 1 to k = 5. Beyond k = 5 no query differs.",
        ),
        (
            "++..++++",
            "hybrid leads bm25 on nDCG from k = 1 to k = 2 and from k = 10 to k = 100. "
            "In between no query differs.",
        ),
        (
            "++?++.++",
            "hybrid leads bm25 on nDCG from k = 1 to k = 2, from k = 5 to k = 10 "
            "and from k = 50 to k = 100. In between the band over all k leaves it open.",
        ),
        (
            "---.??++",
            "hybrid leads bm25 on nDCG from k = 50 to k = 100 and trails it "
            "from k = 1 to k = 3. In between the band over all k leaves it open.",
        ),
        (
            "..---...",
            "hybrid trails bm25 on nDCG from k = 3 to k = 10. Up to k = 2 no query differs: "
            "the loss comes from the results below the first 2.",
        ),
        (
            "........",
            "hybrid and bm25 are level on nDCG at every k from 1 to 100.",
        ),
        (
            "...?....",
            "At no k is the difference between hybrid and bm25 on nDCG clear of chance. "
            "The band holds for all k from 1 to 100 at once.",
        ),
        (
            "....+...",
            "At almost no k is the difference between hybrid and bm25 on nDCG clear of chance, "
            "only at k = 10. The band holds for all k from 1 to 100 at once.",
        ),
    ],
)
def test_curves(signs: str, text: str) -> None:
    assert curves_finding(curve_of(signs), "nDCG", "hybrid", "bm25").text == text


def test_curves_of_few_queries_claim_no_lead() -> None:
    few = curve_of("+" * 8).assign(queries=9)
    assert curves_finding(few, "nDCG", "hybrid", "bm25").text == (
        "Only 9 queries: read this as examples, not as a result. No k is looked at for a lead."
    )


def test_curves_of_one_run() -> None:
    text = "hybrid on nDCG; compare another run to see a difference."
    assert curves_finding(curve_of("+" * 8), "nDCG", "hybrid", "hybrid").text == text
    alone = curve_of("+" * 8).assign(difference=np.nan)
    assert curves_finding(alone, "nDCG", "hybrid", "bm25").text == text


# Breakdown


def bridge_of(
    rows: dict[str, tuple[int, float]], clear: Sequence[str] = (), unlike: Sequence[str] = ()
) -> pd.DataFrame:
    """A frame of `bridge`: group -> queries and mean difference."""
    total = sum(n for n, _ in rows.values())
    return pd.DataFrame(
        [(g, n, d, n * d / total, g in clear, g in unlike) for g, (n, d) in rows.items()],
        columns=["group", "queries", "difference", "part", "clear", "unlike"],
    )


def told(
    rows: dict[str, tuple[int, float]],
    clear: Sequence[str] = (),
    unlike: Sequence[str] = (),
    **how: bool,
) -> str:
    return bridge_finding(bridge_of(rows, clear, unlike), "dense", "bm25", **how).text


EVERYWHERE = {"Network": (9, 0.243), "Devices": (25, 0.07), "Errors": (70, 0.073)}


def test_a_gain_everywhere_and_where_it_is_clear_on_its_own() -> None:
    assert told(EVERYWHERE, ["Network"]) == (
        "dense gains everywhere."
        " Only in Network is the gain clear on its own: 9 of 104 queries, +0.243 on average."
    )
    large = {**EVERYWHERE, "Errors": (16, 0.06), "Other": (30, 0.25)}
    assert told(large, ["Other"], ["Other"]) == (
        "dense gains everywhere; more than half of it comes from Other."
        " Only there is the gain clear on its own: 30 of 80 queries, +0.250 on average."
    )
    assert told(EVERYWHERE).endswith("In no group is the difference clear on its own.")
    assert told(EVERYWHERE, list(EVERYWHERE)).endswith(
        "In each group the difference is clear on its own."
    )
    assert told(EVERYWHERE, ["Network", "Errors"]).endswith(
        "The difference is clear on its own in Network and Errors."
    )


def test_a_group_of_most_queries_that_brings_most_is_no_finding() -> None:
    # More than half comes from Errors, two thirds of the queries, in which it is below the mean.
    assert "comes from" not in told(EVERYWHERE, ["Errors"])
    assert "comes from" not in told(EVERYWHERE, ["Errors"], ["Errors", "Network"])
    # It is above the mean, but not shown to be unlike the others.
    assert "comes from" not in told({"a": (70, 0.08), "b": (30, 0.07)}, ["a"])


def test_everywhere_is_every_group_as_it_is_printed() -> None:
    rows = {"a": (20, 0.1), "b": (20, 0.05), "c": (20, 0.0002)}
    assert told(rows).startswith("dense gains in two of three groups. ")


def test_groups_that_clearly_go_the_other_way_are_named() -> None:
    rows = {"Billing": (20, 0.3), "Returns": (20, 0.1), "Devices": (20, -0.2)}
    assert told(rows, ["Devices"], ["Billing"]) == (
        "dense gains in two of three groups and clearly loses in Devices;"
        " most of the gain comes from Billing."
        " Only in Devices is the loss clear on its own: 20 of 60 queries, \u22120.200 on average."
    )
    assert told(rows, [], ["Billing"]).startswith(
        "dense gains in two of three groups; most of the gain comes from Billing. "
    )
    losing = {g: (n, -gap) for g, (n, gap) in rows.items()}
    assert told(losing, ["Devices"], ["Billing"]).startswith(
        "dense loses in two of three groups and clearly gains in Devices; most of the loss comes"
    )
    one = {"Billing": (20, 0.3), "Devices": (20, -0.1)}
    assert told(one).startswith("dense gains in one of two groups, Billing. ")
    assert told(one, ["Devices"]).startswith(
        "dense gains in one of two groups, Billing, and clearly loses in Devices. "
    )


def test_where_less_is_better_a_fall_is_a_gain() -> None:
    rows = {"Billing": (20, -0.3), "Devices": (20, -0.1)}
    assert told(rows, ["Billing"], list(rows), higher_is_better=False) == (
        "dense gains everywhere; most of it comes from Billing."
        " Only there is the gain clear on its own: 20 of 40 queries, \u22120.300 on average."
    )


def test_a_level_whole_one_group_and_too_few_queries() -> None:
    assert told({"a": (10, 0.1), "b": (10, -0.1)}) == (
        "dense and bm25 have the same mean over all groups."
        " In no group is the difference clear on its own."
    )
    assert told({"a": (20, 0.1)}) == "dense gains 0.100: every query is in a."
    assert told({"a": (2, 0.1), "b": (2, 0.1)}).startswith("Only 4 queries: read this as examples")


def test_a_whole_that_only_rounds_to_zero_is_not_level() -> None:
    assert told({"a": (10, 0.1004), "b": (10, -0.1)}).startswith(
        "dense and bm25 differ by less than 0.0005 over all groups."
    )


def test_groups_of_one_run() -> None:
    text = "hybrid by group; compare another run to see a difference."
    assert bridge_finding(bridge_of(EVERYWHERE), "hybrid", "hybrid").text == text


def test_that_most_queries_go_against_the_whole_is_said() -> None:
    rows = {"a": (20, 0.5), "b": (30, -0.05), "c": (10, -0.1)}
    bridge = bridge_of(rows, ["b", "c"])
    assert reversal_finding(bridge).text == (
        "Most queries, 40 of 60, are in groups that clearly lose: the gain over all comes from the"
        " fewer others."
    )
    # Not where it is not clear, nor where it is nothing as printed.
    assert not reversal_finding(bridge_of(rows, ["c"]))
    assert not reversal_finding(bridge_of({"a": (20, 0.5), "b": (40, -0.0004)}, ["b"]))
    assert (
        "in groups that clearly gain: the loss"
        in reversal_finding(bridge, higher_is_better=False).text
    )
    assert not reversal_finding(bridge_of(EVERYWHERE))
    assert not reversal_finding(bridge_of({"a": (3, 0.5), "b": (4, -0.05)}, ["b"]))


def test_the_strongest_finding_of_another_run() -> None:
    dense = groups_of({"Devices": -0.265, "Billing": -0.1}, ["Devices"]).assign(run="dense")
    hybrid = groups_of({"Devices": -0.5, "Billing": 0.3}, ["Devices", "Billing"])
    groups = pd.concat([hybrid, dense], ignore_index=True)
    assert strongest_other(groups, "hybrid", "bm25").text == (
        "dense falls behind in Devices, −0.265 [−0.386, −0.155],"
        " the only group in which it clearly falls behind."
    )
    groups["clear"] = True
    assert strongest_other(groups, "hybrid", "bm25").text.endswith("and in one other group.")
    assert not strongest_other(hybrid, "hybrid", "bm25")


def test_where_less_is_better_another_run_gains_by_a_fall() -> None:
    dense = groups_of({"Devices": -0.265}, ["Devices"]).assign(run="dense")
    text = strongest_other(dense, "hybrid", "bm25", higher_is_better=False).text
    assert text.startswith("dense gains in Devices, ")
    assert text.endswith(", the only group in which it clearly gains.")


def mixed(within: list[float], mix: list[float]) -> str:
    """`mix_finding` of groups whose means change as much as they bring within."""
    frame = pd.DataFrame({"within": within, "mix": mix, "before": 10, "after": 12})
    frame = frame.assign(mean_before=0.5, mean_after=0.5 + frame["within"])
    return mix_finding(frame, "dense", "bm25").text


def test_what_a_mix_consists_of_adds_up_as_printed() -> None:
    assert mixed([0.0536], [-0.0004]) == (
        "Each over the queries it lists, dense (12) and bm25 (10) differ by +0.053: +0.054 within"
        " the groups, \u22120.001 because they list other queries."
    )


def test_a_reversal_within_groups_is_one_as_printed() -> None:
    assert mixed([-0.004, -0.02], [0.1, 0.1]).endswith(
        " Within every group the mean goes the other way, by at least 0.004."
    )
    assert "other way" not in mixed([-0.0004, -0.02], [0.1, 0.1])
    assert "other way" not in mixed([-0.02, -0.02], [0.02, 0.0202])


# Queries


def differences_of(won: list[float], lost: list[float], same: int) -> pd.DataFrame:
    outcome = ["better"] * len(won) + ["worse"] * len(lost) + ["same"] * same
    return pd.DataFrame({"difference": [*won, *lost, *[0.0] * same], "outcome": outcome})


def test_which_queries() -> None:
    frame = differences_of([0.05, 0.142] * 23, [-0.3] * 17, 21)
    assert queries_finding(frame, "hybrid", "bm25", "P@5", 10, "every run").text == (
        "hybrid wins 46 of 84 queries against bm25 on P@5 and loses 17. "
        "Half of all wins are larger than 0.096; 10 queries fail with every run."
    )
    assert queries_finding(frame, "hybrid", "bm25", "P@5", 1, "both runs").text.endswith(
        "; 1 query fails with both runs."
    )
    assert queries_finding(frame, "hybrid", "bm25", "P@5", 0, "both runs").text.endswith(
        "larger than 0.096."
    )
    # 15 of 46 are larger than the middle one, 31 are not smaller.
    tied = differences_of([0.05, 0.096, 0.4] * 15 + [0.096], [-0.3] * 17, 21)
    assert "At least half of all wins are 0.096 or more." in (
        queries_finding(tied, "hybrid", "bm25", "P@5", 0, "both runs").text
    )


def test_which_queries_when_few_win() -> None:
    frame = differences_of([0.2], [-0.1, -0.3], 0)
    assert queries_finding(frame, "hybrid", "bm25", "P@5", 0, "both runs").text == (
        "hybrid wins 1 of 3 queries against bm25 on P@5 and loses 2. "
        "Half of all losses are larger than 0.200."
    )
    level = queries_finding(differences_of([], [], 5), "hybrid", "bm25", "P@5", 0, "both runs")
    assert level.text == "hybrid wins 0 of 5 queries against bm25 on P@5 and loses 0."
    one = queries_finding(differences_of([], [], 5), "bm25", "bm25", "P@5", 0, "every run")
    assert one.text == "5 queries; compare another run to see which it wins and loses on P@5."


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
    **others: Iterable[str],
) -> str:
    """The explanation of query q, hybrid against bm25 (or alone), from the lists."""
    lists = ({} if bm25 is None else {"bm25": bm25}) | {"hybrid": hybrid} | others
    qrels = qrels_of(({"q": grades} if grades else {}) | {"other": {"z": 1}})
    runs = [
        run_of({"q": {d: 1000.0 - i for i, d in enumerate(docs)}, "other": {"z": 1}}, name)
        for name, docs in lists.items()
    ]
    judged = [judge(run, qrels) for run in runs]
    baseline = "hybrid" if bm25 is None else "bm25"
    measured = parse_measure(measure)
    return explain(
        diagnose(runs, judged, qrels, "q", measured, baseline=baseline, focus="hybrid", cutoff=10)
    ).text


def test_a_loss_of_the_best_documents() -> None:
    # AP falls from 1 to (1/5 + 2/7) / 2, and without the two unjudged to (1/3 + 2/4) / 2.
    text = explained("abcd", ["c", "x", "d", "y", "a", "e", "b"], {"a": 3, "b": 3, "c": 0, "d": 0},
                     measure="AP")  # fmt: skip
    assert text == (
        "hybrid loses 0.757: the two best documents fell from ranks 1 and 2 "
        "to ranks 5 and 7; two documents that are not relevant and three unjudged now stand "
        "above them. If unjudged documents are ignored, the loss is 0.583."
    )


def test_a_gain_of_the_best_documents() -> None:
    text = explained("cxdyaeb", "abcd", {"a": 3, "b": 3, "c": 0, "d": 0}, measure="AP")
    assert text == (
        "hybrid gains 0.757: the two best documents rose from ranks 5 and 7 "
        "to ranks 1 and 2; two documents that are not relevant and three unjudged stand above "
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
            "hybrid loses 0.833: the only relevant document fell from "
            "rank 1 to rank 6; five documents that are not relevant now stand above it.",
        ),
        (
            ["a", *FILL[:11]],
            [*FILL[:11], "a"],
            "hybrid loses 1.000: the only relevant document fell from "
            "rank 1 to rank 12, below the top 10; one document that is not relevant now stands in "
            "its top 10.",
        ),
        (
            ["a", *FILL[:11]],
            FILL[:11],
            "hybrid loses 1.000: the only relevant document, at rank 1 "
            "before, is not in its list; one document that is not relevant now stands in its "
            "top 10.",
        ),
        (
            [*FILL[:11], "a"],
            ["a", *FILL[:11]],
            "hybrid gains 1.000: the only relevant document rose from "
            "rank 12 into the top 10, to rank 1; ten documents that are not relevant stand in the "
            "top 10 of bm25.",
        ),
        (
            FILL[:11],
            ["a", *FILL[:11]],
            "hybrid gains 1.000: the only relevant document came in at "
            "rank 1, not in the list of bm25; ten documents that are not relevant stand in the "
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
        "hybrid loses 0.750: the only relevant document fell from rank 1 to "
        "rank 4; three unjudged documents now stand above it. "
        "If unjudged documents are ignored, the loss disappears."
    )
    turns = explained(["n000", "a"], ["x", "y", "a"], ONE, measure="RR")
    assert turns.endswith("If unjudged documents are ignored, it turns into a gain of 0.500.")


def test_only_documents_that_newly_stand_above_are_said_to() -> None:
    # x stood above before and still does; y is new there.
    text = explained(["x", "a", "y"], ["x", "y", "a"], {"a": 1, "x": 0, "y": 0}, measure="RR")
    assert text.endswith("; one document that is not relevant now stands above it.")


def test_documents_of_several_grades() -> None:
    text = explained("abc", "xyzabc", {"a": 1, "b": 2, "c": 2, "d": 1})
    assert ": two documents graded 2 and 1 fell from ranks 1 and 2 to ranks 4 and 5;" in text


def test_no_run_succeeds() -> None:
    assert explained([*FILL[:14], "a"], [*FILL[:13], "a"], ONE) == (
        "No run has a relevant document in its top 10; the best one stands at rank 14 in hybrid."
    )
    assert explained([*FILL[:120], "a"], FILL[:13], ONE) == (
        "No run has a relevant document in its top 10; none is among the first 100 of any run."
    )
    assert explained(None, [*FILL[:13], "a"], ONE) == (
        "hybrid has no relevant document in its top 10; the best one stands at rank 14."
    )
    assert explained(None, FILL[:20], ONE) == (
        "hybrid has no relevant document in its top 10; none is among its first 100."
    )


@pytest.mark.parametrize(
    ("bm25", "hybrid", "tail"),
    [
        ("abcd", "badc", "the same four relevant documents stand in other places."),
        ("ab", "ab", "the same two relevant documents stand in the same places."),
        ("a", "a", "the same relevant document stands in the same place."),
        ("ab", "bc", "hybrid has two relevant in its top 10, bm25 two; one of them is in both."),
        ("abc", "bcd", "hybrid has three relevant in its top 10, bm25 three; "
         "two of them are in both."),
        ("a", "c", "hybrid has one relevant in its top 10, bm25 one; none of them is in both."),
    ],
)  # fmt: skip
def test_both_score_the_same(bm25: str, hybrid: str, tail: str) -> None:
    score = {"abcd": "1.000", "abc": "0.750", "ab": "0.500", "a": "0.250"}[bm25]
    assert explained(bm25, hybrid, FOUR, measure="R@10") == f"Both score {score} on R@10; {tail}"


def test_about_the_same() -> None:
    grades = {f"r{i:03}": 1 for i in range(150)}
    text = explained(sorted(grades)[:100], sorted(grades)[:101], grades, measure="R@1000")
    assert text.startswith("The two score about the same, 0.673 and 0.667 on R@1000; the same")


def test_neither_has_one_but_another_run_does() -> None:
    assert explained(FILL[:12], FILL[:12], ONE, dense=["a"]) == (
        "Both score 0.000 on nDCG@10; neither has a relevant document in its top 10."
    )


def test_one_run_alone() -> None:
    assert explained(None, [*FILL[:3], "a", "b"], FOUR) == (
        "hybrid has 2 of 4 relevant documents in its top 10; the first stands at rank 4."
    )


def test_no_judgments_and_nothing_relevant() -> None:
    assert explained("ab", "ba", {}) == (
        "Nobody has judged this query, so it has no score; the lists can still be read."
    )
    assert explained("ab", "ba", {"a": 0, "b": -1}) == (
        "None of the judged documents is relevant to this query, so every run scores 0."
    )


# Data


@pytest.mark.parametrize(
    ("loaded", "refused", "options", "text"),
    [
        (7, 1, {}, "Seven files are loaded and fit together; one could not be read."),
        (7, 0, {}, "Seven files are loaded and fit together."),
        (1, 0, {}, "One file is loaded."),
        (12, 0, {"fits": False}, "12 files are loaded; they do not fit in every point."),
        (2, 3, {"missing": "judgments"}, "Two files are loaded; judgments still missing; "
         "three could not be read."),
        (0, 0, {}, "Nothing is loaded yet; add judgments and runs."),
        (0, 1, {"missing": "judgments"}, "No files are loaded; judgments still missing; "
         "one could not be read."),
    ],
)  # fmt: skip
def test_files(loaded: int, refused: int, options: dict[str, Any], text: str) -> None:
    assert files_finding(loaded, refused, **({"fits": True} | options)).text == text


# Sentences


def test_a_sentence_is_its_spans() -> None:
    sentence = run("a<b>") + strong(" leads") + muted(".")
    assert sentence.text == "a<b> leads."
    assert [s.role for s in sentence.spans] == ["run", "strong", "muted"]
    assert joined([run("a"), run("b")], "; ").text == "a; b"
    assert not Sentence()


def test_of_the_same_documents_only_those_that_moved_are_counted() -> None:
    text = explained("axb", "abx", {"a": 3, "b": 1, "x": 0}, measure="Success@5")
    assert text == (
        "Both score 1.000 on Success@5;"
        " one of the same two relevant documents stands in another place."
    )


def test_a_missing_list_is_the_cause() -> None:
    text = explained("", "ab", {"a": 1, "b": 0}, measure="RR")
    assert text == ("hybrid gains 1.000: bm25 returned nothing for this query, so it counts 0.")
