"""The three kinds of judgments behind one face: whose queries they are, what is wrong with them,
and what they score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from metrics_core.compatible.trec_eval.collection import read_qrels, repeated_judgments
from metrics_core.compatible.trec_eval.ending import FILES, Ended
from metrics_core.compatible.trec_eval.gains import HIGHEST_BESIDE_GAINS
from metrics_core.compatible.trec_eval.groups import Groups, read_groups
from metrics_core.compatible.trec_eval.labels import judged_ranks, relevance_strings
from metrics_core.compatible.trec_eval.numbers import as_long
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.compatible.trec_eval.parameters import Asked, gains_of
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

HIGHEST_COUNTED = 2**53
"""trec_eval counts documents by level, and has no memory for levels anywhere near as many. Beyond
it, a double does not hold every grade, either."""


class Judgments(Protocol):
    """Judgments of one format."""

    @property
    def format(self) -> Format:
        """Which measures it is for."""

    @property
    def queries(self) -> list[str]:
        """The queries judged."""

    def wrong(
        self, asked: Sequence[Asked], queries: Sequence[str], options: Options
    ) -> dict[str, str]:
        """Those of the queries, given in order, for which nothing can be calculated, each with the
        reason."""

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

    def wrong(
        self, asked: Sequence[Asked], queries: Sequence[str], options: Options
    ) -> dict[str, str]:
        """Queries that judge a document twice or with a grade beyond what can be counted, and the
        first one if all its grades are negative: for later ones trec_eval has room left for levels,
        and goes on."""
        codes, grades = self.qrels.query_codes, self.qrels.relevance
        wrong = _too_high(self.queries, codes, grades, HIGHEST_COUNTED, "can be counted")
        if any(gains_of(one.pairs, options.version) for one in asked):
            beside = "can stand beside a list of gains"
            wrong = _too_high(self.queries, codes, grades, HIGHEST_BESIDE_GAINS, beside)
        if grades[codes == self.queries.index(queries[0])].max() < 0:
            wrong[queries[0]] = "none of its grades is 0 or above"
        twice = "a document is judged twice"
        return wrong | dict.fromkeys(repeated_judgments(self.qrels), twice)

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
                texts = relevance_strings(ranks, as_long(one.numbers[0]))
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

    def wrong(
        self, asked: Sequence[Asked], queries: Sequence[str], options: Options
    ) -> dict[str, str]:
        """Queries with a grade beyond what can be counted; the rest is found on reading."""
        owners = [query for query, _ in self.groups.owner]
        codes, grades = self.groups.code, self.groups.grade
        return _too_high(owners, codes, grades, HIGHEST_COUNTED, "can be counted")

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

    def wrong(
        self, asked: Sequence[Asked], queries: Sequence[str], options: Options
    ) -> dict[str, str]:
        """No query: what is wrong shows when preferences are counted."""
        return {}

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


def _too_high(
    owners: Sequence[str],
    codes: npt.NDArray[Any],
    grades: npt.NDArray[np.int64],
    most: int,
    can: str,
) -> dict[str, str]:
    """The queries with a grade above the highest that `can` be, each with the reason; rows have the
    position of their query among the owners."""
    why = f"{{:,}} is a grade above {most:,}, the highest that {can}"
    rows = np.flatnonzero(grades > most)[::-1].tolist()
    return {owners[codes[row]]: why.format(grades[row]) for row in rows}
