"""The queries that a gate speaks of: those that it finds changed, and those without results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import wording as w
from metrics_core.comparing.gates import NOT_WORSE, GateOutcome
from metrics_core.comparing.pairs import WORSE, differences
from metrics_core.comparing.verdicts import WORSE_RUN
from metrics_core.comparing.winners import sides
from metrics_core.explaining.kinds import kinds
from metrics_core.judging import JudgedRanks
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Queries

_WORST = 5
_NAMED = 5
_TOP = 10
"""The first results, where the measure has no cutoff of its own."""


@dataclass(frozen=True)
class UnansweredQueries:
    """The judged queries for which a run has no results, of how many that are judged."""

    run: str
    query_ids: tuple[str, ...]
    judged: int

    @property
    def sentence(self) -> str:
        """How many, and which: "dense2 has no results for 3 of 104 judged queries: q001, …"."""
        more = len(self.query_ids) - _NAMED
        others = f" and {w.count(more)} more" if more > 0 else ""
        return (
            f"{self.run} has no results for {w.count(len(self.query_ids))} of"
            f" {w.count(self.judged)} judged {w.plural(self.judged, 'query', 'queries')}:"
            f" {', '.join(self.query_ids[:_NAMED])}{others}."
        )


@dataclass(frozen=True)
class BrokenQuery:
    """A query that a run changed: both scores, and the kind of failure that it is now; `text` is ""
    where it is not known."""

    query_id: str
    text: str
    baseline_score: float
    score: float
    kind: str


@dataclass(frozen=True)
class BrokenQueries:
    """The worst of the queries of a gate that is not passed, of which `lost` lost more than 0.01
    and `changed` score otherwise; and the command that shows the first, "" where no file is known.
    """

    found: GateOutcome
    lost: int
    changed: int
    rows: Sequence[BrokenQuery]
    command: str = ""

    @property
    def title(self) -> str:
        """What is listed: "Five worst of 44 lost queries (AP)"."""
        what = f"{self.found.gate.measure}{self.found.gate.slice}"
        word, of_all = (
            ("lost", self.lost) if self.found.outcome == WORSE_RUN else ("changed", self.changed)
        )
        queries = w.plural(of_all, "query", "queries")
        if len(self.rows) == of_all:
            return f"The {w.count(of_all)} {word} {queries} ({what})"
        shown = w.sentence_case(w.number(len(self.rows)))
        return f"{shown} worst of {w.count(of_all)} {word} {queries} ({what})"

    @property
    def sentence(self) -> str:
        """The same with each query and its difference, for one line."""
        each = [
            f"{row.query_id} ({w.difference(row.score - row.baseline_score)})" for row in self.rows
        ]
        return f"{self.title}: {', '.join(each)}."


def unanswered_queries(
    judged: Mapping[str, JudgedRanks], baseline: str, before: Scores | None
) -> list[UnansweredQueries]:
    """Those of each judged run that lacks some, and of the baseline whose scores of a snapshot are
    `before`."""
    every = [(run, ranks.missing_queries, ranks.n_queries) for run, ranks in judged.items()]
    if before is not None:
        lacking = np.array(before.query_ids, dtype=object)[before.missing[0]]
        every.insert(0, (baseline, tuple(lacking), before.n_queries))
    return [UnansweredQueries(run, ids, n) for run, ids, n in every if ids]


def broken_queries(
    found: GateOutcome, scores: Scores, judged: JudgedRanks, texts: Mapping[str, str]
) -> BrokenQueries | None:
    """The queries of a gate, the worst first, of its `scores` and the run `judged`: those that it
    lost where it is worse, all that changed where that cannot be told, None where it is not worse.
    """
    if found.outcome == NOT_WORSE:
        return None
    gate = found.gate
    frame = differences(scores, gate.measure, found.run, found.baseline)
    lost, changed = frame["outcome"] == WORSE, sides(frame["difference"].to_numpy()) != 0
    listed = frame[lost if found.outcome == WORSE_RUN else changed]
    order = np.argsort(listed["difference"].to_numpy() * gate.direction, kind="stable")[:_WORST]
    kind_of = kinds(judged, gate.measure, gate.measure.cutoff or _TOP)
    place = {query_id: i for i, query_id in enumerate(judged.query_ids)}
    rows = [
        BrokenQuery(
            query_id=row["query_id"],
            text=texts.get(row["query_id"], ""),
            baseline_score=row["baseline_score"],
            score=row["score"],
            kind=kind_of[place[row["query_id"]]],
        )
        for row in listed.iloc[order].to_dict("records")
    ]
    return BrokenQueries(found, int(lost.sum()), int(changed.sum()), rows)


def texts_of(queries: Queries | None) -> dict[str, str]:
    """The text of each query, where there is one."""
    if queries is None or "text" not in queries.frame.columns:
        return {}
    known = queries.frame[["query_id", "text"]].dropna()
    return dict(zip(known["query_id"], known["text"].astype(str), strict=True))
