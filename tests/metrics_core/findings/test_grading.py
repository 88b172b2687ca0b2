"""What there is to judge, and what judging it could do, in words."""

from __future__ import annotations

import pandas as pd

from metrics_core.findings import judge_next_finding, judging_finding, judging_lead
from metrics_core.findings.firmness import Pair
from metrics_core.unjudged.next_judgments import NextJudgments


def test_what_there_is_to_judge() -> None:
    def said(unjudged: int | None, settle: int | None, baseline: str = "old") -> tuple[str, str]:
        lead = judging_lead(
            "new",
            baseline,
            5,
            unjudged=unjudged,
            queries=min(unjudged or 0, 95),
            total=104 if unjudged != 1 else 1,
            first="z comes first",
            settle=settle,
        )
        return judging_finding(5, unjudged, settle).text, lead.text

    assert said(1216, 81) == (
        "81 of 1,216 unjudged documents would settle it",
        "In the top 5 of new or old, on 95 of 104 queries; z comes first."
        " Once the first 81 turn out not relevant, no grade of the others can reverse the order.",
    )
    assert said(1, 1)[0] == "1 of 1 unjudged document would settle it"
    assert "Once the first turns out not relevant" in said(1, 1)[1]
    assert said(1, None, "new") == (
        "1 document in the top 5 without a grade",
        "In the top 5 of new, on 1 of 1 query; z comes first.",
    )
    assert said(216, 0)[0] == "216 unjudged documents cannot reverse the order"
    assert said(0, None) == (
        "Every document in the top 5 is judged",
        "The files grade all that new or old list up to rank 5.",
    )
    assert said(None, None)[0] == "Too many results to judge one by one"


def test_what_judging_could_do() -> None:
    def said(turn: int | None, settle: int | None, *, exact: bool = True) -> str:
        found = NextJudgments(pd.DataFrame(), turn, settle, exact)
        return judge_next_finding(found, Pair("new", "old", "AP", "better", 1))

    assert said(3, 2).startswith("If the first 3 had the highest grade, old would lead; if the")
    assert said(1, None).startswith("If the first had the highest grade, old would lead.")
    assert said(None, 0).startswith("The verdict is safe whatever they are worth.")
    assert "fewer might do" in said(3, 2, exact=False) and "fewer" not in said(3, 2)
    assert said(None, None).startswith("No number of these decides it alone.")
    assert said(None, 1).startswith("If the first turns out not relevant, it is settled.")


def test_where_the_lead_may_be_chance_no_verdict_is_safe() -> None:
    safe = NextJudgments(pd.DataFrame(), None, 0, exact=True)
    said = judge_next_finding(safe, Pair("new", "old", "AP", "cannot tell", 1))
    assert said.startswith("new has the better mean whatever they are worth.")


def test_of_two_that_are_level_none_would_take_the_lead() -> None:
    level = Pair("new", "old", "AP", "cannot tell", 0)
    some = NextJudgments(pd.DataFrame({"doc_id": ["d"]}), 1, None, exact=True)
    assert judge_next_finding(some, level).startswith("The two are level. The documents that")
    none = NextJudgments(pd.DataFrame(), None, None, exact=True)
    assert judge_next_finding(none, level).endswith("whatever the unjudged documents are worth.")
