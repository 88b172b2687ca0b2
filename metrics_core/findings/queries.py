"""On which queries: what a view of them rests on, and how many the run in focus wins and loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, WORSE
from metrics_core.findings.sentence import Sentence, muted, run, strong


@dataclass(frozen=True)
class Facts:
    """What every number of a view rests on. `unanswerable` queries have no relevant document;
    `missing` is, for each of the compared runs that lacks queries, how many; they count as an empty
    list, or are `left_out`; `every_run` says of which runs `all_zero` speaks."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: Mapping[str, int]
    unjudged: int
    unanswerable: int = 0
    every_run: str = "every run"
    left_out: bool = False

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED)


def queries_finding(
    differences: pd.DataFrame,
    focus: str,
    baseline: str,
    measure: str,
    all_zero: int,
    every_run: str,
) -> Sentence:
    """Which queries? `differences` is the frame of `differences` over the queries in view;
    `every_run` names the runs that all score 0 on `all_zero` of them."""
    total = len(differences)
    if focus == baseline:
        hint = f"compare another run to see which it wins and loses on {measure}"
        return strong(f"{w.count(total)} {w.plural(total, 'query', 'queries')}; ") + muted(
            f"{hint}."
        )
    won = differences[differences["outcome"] == BETTER]["difference"]
    lost = differences[differences["outcome"] == WORSE]["difference"]
    headline = (
        run(focus)
        + strong(f" wins {len(won):,} of {total:,} {w.plural(total, 'query', 'queries')} against ")
        + run(baseline)
        + strong(f" on {measure} and loses {len(lost):,}.")
    )
    parts = []
    if len(won) >= 2:
        parts.append(_half("wins", won.abs()))
    elif len(lost) >= 2:
        parts.append(_half("losses", lost.abs()))
    if all_zero:
        verb = w.plural(all_zero, "fails", "fail")
        noun = w.plural(all_zero, "query", "queries")
        parts.append(f"{all_zero:,} {noun} {verb} with {every_run}")
    return headline + (muted(f" {'; '.join(parts)}.") if parts else Sentence())


def _half(what: str, sizes: pd.Series) -> str:
    """How large half of these are."""
    middle = float(sizes.median())
    if 2 * (sizes > middle).sum() == len(sizes):
        return f"Half of all {what} are larger than {w.score(middle)}"
    if w.score(sizes.min()) == w.score(sizes.max()):
        return f"All {what} are {w.score(middle)}"
    return f"At least half of all {what} are {w.score(middle)} or more"
