"""What there is to judge, and what judging it could do, in words."""

from __future__ import annotations

import pandas as pd

from metrics_core.findings.grading import (
    all_judged_finding,
    judge_next_finding,
    judging_finding,
    judging_subtitle,
    judgments_effect_finding,
)
from metrics_core.findings.robustness import ComparedPair
from metrics_core.unjudged.next_judgments import NextJudgments


def test_what_there_is_to_judge() -> None:
    def said(unjudged: int | None, settle: int | None, baseline: str = "old") -> tuple[str, str]:
        lead = judging_subtitle("new", baseline, 5, n_unjudged=unjudged, n_to_settle=settle)
        return judging_finding(5, unjudged, settle, leader="new").text, lead.text

    assert said(1216, 81) == (
        "Judging 81 documents could rule out a reversal",
        "If none of these 81 documents is relevant, the 1,135 others cannot reverse the order of"
        " the runs.",
    )
    assert said(2, 1) == (
        "Judging 1 document could rule out a reversal",
        "If it is not relevant, the 1 other cannot reverse the order of the runs.",
    )
    assert said(3, 3)[1] == (
        "If none of these 3 documents is relevant, nothing can reverse the order of the runs."
    )
    assert said(1, None, "new") == (
        "1 unjudged document in the top 5",
        "In the top 5 of new.",
    )
    assert said(216, 0)[0] == (
        "216 unjudged documents cannot reverse the order: new has the better mean"
    )
    assert said(0, None) == (
        "Every document in the top 5 is judged",
        "The uploaded judgments cover the whole top 5 of new or old.",
    )
    assert said(None, None)[0] == "Too many results to judge one by one"


def test_what_came_of_judging() -> None:
    assert (
        all_judged_finding(81).text == "81 of 81 judged"
        and all_judged_finding(1).text == "1 of 1 judged"
    )
    settled = judgments_effect_finding(0.1, 0.012, can_reverse=False).text
    assert settled == "The worst-case difference is now +0.012: nothing can reverse the order."
    still = judgments_effect_finding(0.1, -0.02, can_reverse=True).text
    assert still == (
        "The worst-case difference is now −0.020: other documents could still reverse the order."
    )
    assert (
        judgments_effect_finding(0.1, None, can_reverse=True).text
        == "The difference is now +0.100."
    )


def test_what_judging_could_do() -> None:
    def said(turn: int | None, settle: int | None, *, of: int = 9) -> str:
        found = NextJudgments(pd.DataFrame(), turn, settle)
        return judge_next_finding(found, ComparedPair("new", "old", "AP", "better", 1), of)

    assert said(3, 2) == (
        "If the 2 documents that could help old most are judged not relevant, the other 7"
        " cannot reverse the order."
    )
    assert said(1, None) == (
        "If the document that could help old most got the highest grade, old would have the"
        " better mean."
    )
    assert said(None, 0) == "The verdict is safe, whatever grades the unjudged documents get."
    assert said(None, None) == "Judging these documents alone would not decide the order."
    assert said(None, 1, of=1) == (
        "If the one unjudged document is judged not relevant, nothing can reverse the order."
    )
    assert said(None, 9).startswith("If all 9 unjudged documents are judged not relevant,")
    assert "most is judged not relevant, the other 8 cannot" in said(None, 1)


def test_where_the_lead_may_be_chance_no_verdict_is_safe() -> None:
    safe = NextJudgments(pd.DataFrame(), None, 0)
    said = judge_next_finding(safe, ComparedPair("new", "old", "AP", "cannot tell", 1), 9)
    assert said.startswith("new has the better mean, whatever grades the unjudged documents get.")


def test_of_two_that_are_level_none_would_take_the_lead() -> None:
    level = ComparedPair("new", "old", "AP", "cannot tell", 0)
    some = NextJudgments(pd.DataFrame({"doc_id": ["d"]}), 1, None)
    assert judge_next_finding(some, level, 9).startswith(
        "Effects in both directions count, because the runs"
    )
    none = NextJudgments(pd.DataFrame(), None, None)
    assert judge_next_finding(none, level, 9).endswith(
        "whatever grades the unjudged documents get."
    )
