"""What there is to judge, and what judging it could do, in words."""

from __future__ import annotations

import pandas as pd

from metrics_core.findings import judge_next_finding, judging_finding
from metrics_core.findings.firmness import Pair
from metrics_core.unjudged.next_judgments import NextJudgments


def test_what_there_is_to_judge() -> None:
    def said(baseline: str, unjudged: int | None, queries: int = 0, total: int = 104) -> str:
        return judging_finding(
            "new",
            baseline,
            5,
            unjudged=unjudged,
            queries=queries,
            total=total,
            first="z comes first",
        ).text

    assert said("old", 1216, 95) == (
        "1,216 documents in the top 5 of new or old have no grade in the files,"
        " on 95 of 104 queries: z comes first."
    )
    assert said("new", 1, 1, 1) == (
        "1 document in the top 5 of new has no grade in the files, on 1 of 1 query: z comes first."
    )
    assert said("old", 0) == "Every document in the top 5 of new or old has a grade in the files."
    assert said("old", None).startswith("Too many results in the top 5 of new or old to judge")


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
