"""The three kinds of judgments behind one face: whose queries they are, what is wrong with them,
and what they score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from metrics_core.compatible.trec_eval.collection import read_qrels, repeated_judgments
from metrics_core.compatible.trec_eval.ending import FILES, Ended
from metrics_core.compatible.trec_eval.groups import Groups, read_groups
from metrics_core.compatible.trec_eval.labels import judged_ranks, relevance_strings
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.compatible.trec_eval.parameters import Asked
from metrics_core.compatible.trec_eval.preference_scores import preference_scores
from metrics_core.compatible.trec_eval.preferences import (
    Preferences,
    counted,
    listed,
    read_preferences,
)
from metrics_core.compatible.trec_eval.report import Column
from metrics_core.compatible.trec_eval.table import Format
from metrics_core.compatible.trec_eval.values import Setting, values_of
from metrics_core.tables import Qrels, Run


class Judgments(Protocol):
    """Judgments of one format."""

    @property
    def format(self) -> Format:
        """Which measures it is for."""

    @property
    def queries(self) -> list[str]:
        """The queries judged."""

    def wrong(self, queries: Sequence[str]) -> set[str]:
        """Those of the queries, given in order, for which nothing can be calculated."""

    def relevant(self) -> int:
        """How many documents are judged above 0, whatever -l says."""

    def columns(
        self, asked: Sequence[Asked], run: Run, queries: Sequence[str], options: Options
    ) -> tuple[list[Column], Ended | None]:
        """The measures' columns over the queries, or over those before the one at which it ends."""


def read_judgments(path: str, options: Options) -> Judgments:
    """The judgments in the format that -R names."""
    match options.rel_format:
        case "qrels":
            return LabelledQrels(read_qrels(path, options))
        case "qrels_jg":
            return GroupedQrels(read_groups(path, options))
        case "prefs" | "qrels_prefs":
            subgroups = options.rel_format == "prefs"
            return PreferredDocuments(read_preferences(path, options, subgroups=subgroups))
    raise Ended(FILES, f"trec_eval: Illegal rel_format '{options.rel_format}'")


def setting_of(options: Options) -> Setting:
    """What holds for all measures."""
    # A negative level would make unjudged documents relevant; here it is as 0.
    return Setting(options.version, max(options.level, 0), options.documents)


@dataclass(frozen=True)
class LabelledQrels:
    """-R qrels, the default."""

    qrels: Qrels
    format: Format = "qrels"

    @property
    def queries(self) -> list[str]:
        """The queries judged."""
        return self.qrels.query_ids

    def wrong(self, queries: Sequence[str]) -> set[str]:
        """Queries that judge a document twice, and the first one if all its grades are negative:
        for later ones trec_eval has room left for levels, and goes on."""
        wrong = repeated_judgments(self.qrels)
        first = self.queries.index(queries[0])
        if self.qrels.relevance[self.qrels.query_codes == first].max() < 0:
            wrong.add(queries[0])
        return wrong

    def relevant(self) -> int:
        """How many documents are judged above 0."""
        return int(np.count_nonzero(self.qrels.relevance > 0))

    def columns(
        self, asked: Sequence[Asked], run: Run, queries: Sequence[str], options: Options
    ) -> tuple[list[Column], Ended | None]:
        """The measures' columns over the queries."""
        if not queries:
            return [], None
        ranks = judged_ranks(run, self.qrels, queries, options)
        columns = []
        for one in asked:
            if one.row.name == "relstring":
                texts = relevance_strings(ranks, int(one.numbers[0]))
                columns.append(Column(one, texts=tuple(texts)))
            elif one.row.judgments == "any":
                columns.append(Column(one))
            else:
                columns.append(Column(one, values_of(one, ranks, setting_of(options))))
        return columns, None


@dataclass(frozen=True)
class GroupedQrels:
    """-R qrels_jg: several judges, each with qrels of their own."""

    groups: Groups
    format: Format = "qrels_jg"

    @property
    def queries(self) -> list[str]:
        """The queries judged."""
        return self.groups.queries

    def wrong(self, queries: Sequence[str]) -> set[str]:
        """No query: what is wrong is found on reading."""
        return set()

    def relevant(self) -> int:
        """Not asked for: num_rel has no values for groups."""
        return 0

    def columns(
        self, asked: Sequence[Asked], run: Run, queries: Sequence[str], options: Options
    ) -> tuple[list[Column], Ended | None]:
        """The measures' columns over the queries, each query the mean of its judges."""
        if not queries:
            return [], None
        setting = setting_of(options)
        ranks = self.groups.ranks(run, queries, options)
        columns = []
        for one in asked:
            values = None
            if one.row.judgments != "any":
                values = self.groups.averaged(values_of(one, ranks, setting), queries)
            columns.append(Column(one, values))
        return columns, None


@dataclass(frozen=True)
class PreferredDocuments:
    """-R prefs and qrels_prefs: what judges prefer to what."""

    preferences: Preferences
    format: Format = "prefs"

    @property
    def queries(self) -> list[str]:
        """The queries judged."""
        return list(self.preferences)

    def wrong(self, queries: Sequence[str]) -> set[str]:
        """No query: what is wrong shows when preferences are counted."""
        return set()

    def relevant(self) -> int:
        """Not asked for: num_rel has no values for preferences."""
        return 0

    def columns(
        self, asked: Sequence[Asked], run: Run, queries: Sequence[str], options: Options
    ) -> tuple[list[Column], Ended | None]:
        """The measures' columns over the queries, or over those before a contradiction."""
        lists = listed(run, queries, options)
        scores: list[dict[str, float]] = []
        ended = None
        for query in queries:
            try:
                scores.append(preference_scores(counted(self.preferences[query], lists[query])))
            except Ended as problem:
                ended = problem
                ended.scored = len(scores)
                break
        columns = []
        for one in asked:
            values = None
            if one.row.judgments != "any":
                values = np.array([[s[one.row.name]] for s in scores]).reshape(len(scores), 1)
            columns.append(Column(one, values))
        return columns, ended
