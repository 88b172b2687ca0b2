"""The queries that a gate reports: queries whose score changed, and queries without results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import wording as w
from metrics_core.comparing.gates import NOT_WORSE, GateOutcome
from metrics_core.comparing.pairs import WORSE, query_differences
from metrics_core.comparing.verdicts import WORSE_RUN
from metrics_core.comparing.winners import better_run_signs
from metrics_core.explaining.query_kinds import classify_queries
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.given_measures import is_given_measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Queries

_WORST = 5
_NAMED = 5
_TOP = 10
"""Number of top results that are considered if the measure has no cutoff."""


@dataclass(frozen=True)
class UnansweredQueries:
    """The judged queries for which a run has no results. `judged` is the number of all judged
    queries."""

    run: str
    query_ids: tuple[str, ...]
    judged: int

    @property
    def sentence(self) -> str:
        """Sentence on the number and the ids of the queries: "dense2 has no results for 3 of 104
        judged queries: q001, …"."""
        n_more = len(self.query_ids) - _NAMED
        others_text = f" and {w.format_count(n_more)} more" if n_more > 0 else ""
        return (
            f"{self.run} has no results for {w.format_count(len(self.query_ids))} of"
            f" {w.format_query_count(self.judged, 'judged ')}:"
            f" {', '.join(self.query_ids[:_NAMED])}{others_text}."
        )


@dataclass(frozen=True)
class BrokenQuery:
    """A query whose score changed, with the scores of baseline and run.

    `text` is the query's text, or "" if the text is unknown. `kind` is the way in which the query
    fails in the run."""

    query_id: str
    text: str
    baseline_score: float
    score: float
    kind: str


@dataclass(frozen=True)
class BrokenQueries:
    """The worst queries of a gate that did not pass.

    `lost` is the number of queries that lost more than 0.01, `changed` the number of queries with a
    changed score. `command` is the command that explains the first of `rows`; it is empty if no
    file is known."""

    outcome: GateOutcome
    lost: int
    changed: int
    rows: Sequence[BrokenQuery]
    command: str = ""

    @property
    def title(self) -> str:
        """Title of the list of queries: "Five worst of 44 lost queries (AP)"."""
        target = f"{self.outcome.gate.measure}{self.outcome.gate.slice}"
        word, of_all = (
            ("lost", self.lost) if self.outcome.outcome == WORSE_RUN else ("changed", self.changed)
        )
        queries = w.plural(of_all, "query", "queries")
        if len(self.rows) == of_all:
            return f"The {w.format_count(of_all)} {word} {queries} ({target})"
        count_text = w.sentence_case(w.number_word(len(self.rows)))
        return f"{count_text} worst of {w.format_count(of_all)} {word} {queries} ({target})"

    @property
    def sentence(self) -> str:
        """The title, followed by each query and its difference, on one line."""
        clauses = [
            f"{row.query_id} ({w.format_difference(row.score - row.baseline_score)})"
            for row in self.rows
        ]
        return f"{self.title}: {', '.join(clauses)}."


def unanswered_queries(
    judged: Mapping[str, JudgedRanks], baseline: str, baseline_scores: Scores | None
) -> list[UnansweredQueries]:
    """Return the unanswered queries of each run that lacks results for some queries.

    `judged` maps the names of runs to judged ranks (the ranks of judged documents). If the baseline
    is a snapshot, `baseline_scores` are the scores in the snapshot; otherwise it is None."""
    all_runs = [(run, ranks.missing_queries, ranks.n_queries) for run, ranks in judged.items()]
    if baseline_scores is not None:
        missing_ids = np.array(baseline_scores.query_ids, dtype=object)[baseline_scores.missing[0]]
        all_runs.insert(0, (baseline, tuple(missing_ids), baseline_scores.n_queries))
    return [UnansweredQueries(run, ids, n) for run, ids, n in all_runs if ids]


def broken_queries(
    outcome: GateOutcome, scores: Scores, judged: JudgedRanks | None, texts: Mapping[str, str]
) -> BrokenQueries | None:
    """Return the worst queries of a gate that did not pass, worst first; None if the gate passed.

    If the outcome is "worse", they are chosen from the queries that lost. If it is "cannot tell",
    they are chosen from all queries with a changed score. `scores` are the scores on the gate's
    slice, `judged` the judged ranks of the run (None for scores that another tool computed), and
    `texts` the query texts by id."""
    if outcome.outcome == NOT_WORSE:
        return None
    gate = outcome.gate
    frame = query_differences(scores, gate.measure, outcome.run, outcome.baseline)
    is_lost = frame["outcome"] == WORSE
    is_changed = better_run_signs(frame["difference"].to_numpy()) != 0
    listed = frame[is_lost if outcome.outcome == WORSE_RUN else is_changed]
    order = np.argsort(listed["difference"].to_numpy() * gate.direction, kind="stable")[:_WORST]
    kinds: dict[str, str] = {}
    if judged is not None and not is_given_measure(gate.measure):
        kind_of = classify_queries(judged, gate.measure, gate.measure.cutoff or _TOP)
        kinds = dict(zip(judged.query_ids, kind_of, strict=True))
    rows = [
        BrokenQuery(
            query_id=row["query_id"],
            text=texts.get(row["query_id"], ""),
            baseline_score=row["baseline_score"],
            score=row["score"],
            kind=kinds.get(row["query_id"], ""),
        )
        for row in listed.iloc[order].to_dict("records")
    ]
    return BrokenQueries(outcome, int(is_lost.sum()), int(is_changed.sum()), rows)


def query_texts(queries: Queries | None) -> dict[str, str]:
    """Return the texts of the queries by id. Queries without a text are omitted."""
    if queries is None or "text" not in queries.frame.columns:
        return {}
    with_text = queries.frame[["query_id", "text"]].dropna()
    return dict(zip(with_text["query_id"], with_text["text"].astype(str), strict=True))
