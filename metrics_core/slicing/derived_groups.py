"""Derive groups of queries for breakdowns from data that every collection has.

`DERIVED` lists the derived columns. A column is omitted if the collection lacks the data that it
needs, or if all queries would be in one group."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import NO_GROUP
from metrics_core.slicing.ranges import add_nouns_to_ranges, label_ranges

Groups = tuple[Ints, Sequence[str]]
"""Group of each query: the position of its name in a sequence of group names, int64[query] (-1 if
the query has no group), and the sequence."""

MARK = " \u00b7 derived"
"""Suffix of the name of a derived column, which distinguishes it from columns in files."""

_ASKING = """am are can could did do does had has have how is should was were what when where which
who whom whose why will would"""
_QUESTION = re.compile(rf"(?i)(?:{'|'.join(_ASKING.split())})\b.*\s\S|.*[?\uff1f\u061f]\s*$")


@dataclass(frozen=True)
class GroupSource:
    """The data from which groups are derived: the judged queries, `texts` by query_id (if any), the
    judged ranks (the ranks of judged documents) and scores of all runs, the compared runs and the
    measure."""

    query_ids: pd.Index
    texts: Mapping[str, str]
    judged: Mapping[str, JudgedRanks]
    scores: Scores
    measure: Measure
    run: str
    baseline: str
    cutoff: int

    @property
    def other_runs(self) -> list[str]:
        """The names of the runs that are not compared."""
        return [name for name in self.scores.runs if name not in (self.run, self.baseline)]


@dataclass(frozen=True)
class DerivedColumn:
    """A column of groups derived from the data.

    `groups` returns the groups of the queries, or None if the column is unavailable. `title` is the
    name of the column in a menu of columns. In `title` and `explanation`, {k} is replaced by the
    cutoff. `phrase` describes the queries of a group in a sentence; `phrase_of_one` replaces it if
    the group's name starts with 1. `depends_on_pair` says whether the groups depend on the compared
    runs and the measure."""

    name: str
    title: str
    explanation: str
    groups: Callable[[GroupSource], Groups | None]
    phrase: str = "{}"
    phrase_of_one: str = ""
    depends_on_pair: bool = False

    @property
    def key(self) -> str:
        """The column's name with its suffix `MARK`."""
        return self.name + MARK

    def describe_group(self, group: str) -> str:
        """Return a phrase that describes the queries of a group, for use in a sentence."""
        return ((group.startswith("1 ") and self.phrase_of_one) or self.phrase).format(group)


def _group_by_length(source: GroupSource) -> Groups | None:
    counts = _map_texts(source, lambda text: len(text.split()))
    return None if counts is None else _group_counts(counts, "word", "words")


def _group_by_query_form(source: GroupSource) -> Groups | None:
    form = _map_texts(source, lambda t: "questions" if _QUESTION.match(t.strip()) else "keywords")
    return None if form is None else pd.factorize(form)


def _group_by_relevant_count(source: GroupSource) -> Groups | None:
    if not source.judged:
        return None
    ranks = next(iter(source.judged.values()))
    return _group_counts(pd.Series(ranks.n_relevant()), "relevant", "relevant")


def _group_counts(counts: pd.Series, singular: str, plural_form: str) -> Groups:
    """Group counts into ranges, and name each range with a noun: "1 word", "2 or 3 words"."""
    codes, names = pd.factorize(label_ranges(counts))
    return codes, add_nouns_to_ranges(names, singular, plural_form)


def _group_by_judged_share(source: GroupSource) -> Groups | None:
    if not source.judged:
        return None
    pair = [source.judged[name] for name in dict.fromkeys((source.run, source.baseline))]
    listed = sum(ranks.documents(source.cutoff) for ranks in pair)
    judged = sum(ranks.judged().count(source.cutoff) for ranks in pair)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.asarray(judged / np.asarray(listed))
    names = ["under half judged", "half to 80% judged", "80% or more judged", "all judged"]
    return _group_by_ranges(share, np.array([0.5, 0.8, 1.0]), names)


def _group_by_difficulty(source: GroupSource) -> Groups | None:
    """Group the queries into thirds by the mean score of the runs that are not compared. If the
    compared runs were included, the groups would depend on the difference that they are meant to
    explain."""
    direction = source.measure.declaration.direction
    if not source.other_runs or not direction:
        return None
    values = source.scores.select_runs(source.other_runs).values_of(source.measure)
    is_defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        mean = np.where(is_defined, values, 0.0).sum(axis=0) / is_defined.sum(axis=0)
    mean = mean * direction
    if np.isnan(mean).all():
        return None
    cuts = np.nextafter(np.nanquantile(mean, [1 / 3, 2 / 3]), np.inf)
    return _group_by_ranges(mean, cuts, [f"{how} for other runs" for how in _HARD_TO_EASY])


_HARD_TO_EASY = ("hard", "medium", "easy")

DERIVED = (
    DerivedColumn(
        "words in the query",
        "query length",
        "Number of words in the query text, in ranges with about the same number of queries.",
        _group_by_length,
        "queries of {}",
    ),
    DerivedColumn(
        "questions or keywords",
        "question or keywords",
        "Questions end in a question mark or begin with a word such as what, how or is; all other"
        " queries are keywords.",
        _group_by_query_form,
    ),
    DerivedColumn(
        "relevant documents",
        "relevant documents",
        "Number of documents judged relevant, in ranges with about the same number of queries.",
        _group_by_relevant_count,
        "queries with {} documents",
        "queries with {} document",
    ),
    DerivedColumn(
        "judged in the top k",
        "judged in the top {k}",
        "Share of judged documents in the first {k} results of the two compared runs. If it is"
        " low, a difference may come from missing judgments.",
        _group_by_judged_share,
        "queries {}",
        depends_on_pair=True,
    ),
    DerivedColumn(
        "how hard for the other runs",
        "difficulty for the other runs",
        "Queries in thirds by the mean score of all runs except the two compared. The groups"
        " therefore do not depend on the difference that they explain.",
        _group_by_difficulty,
        "queries {}",
        depends_on_pair=True,
    ),
)


def make_derived_columns(
    source: GroupSource, candidates: Sequence[DerivedColumn] = DERIVED
) -> dict[str, pd.Series]:
    """Return the derived columns that have at least two groups, as a dictionary. The keys are the
    names of the columns with the suffix `MARK`.

    Each column is a Series indexed by query_id with the group of each query as text; NO_GROUP if
    the query has no group."""
    columns = {}
    for column in candidates:
        codes, names = column.groups(source) or _NO_GROUPS
        if len(np.unique(codes[codes >= 0])) > 1:
            # The last name is for queries without a group, code -1.
            texts = pd.array([*names, NO_GROUP], dtype="str")
            columns[column.key] = pd.Series(texts.take(codes), source.query_ids)
    return columns


_NO_GROUPS: Groups = (np.zeros(0, dtype=np.int64), ())


def find_derived_column(key: str) -> DerivedColumn | None:
    """Return the derived column with this key. Returns None if no derived column has the key."""
    return next((column for column in DERIVED if column.key == key), None)


def _map_texts(source: GroupSource, function: Callable[[str], object]) -> pd.Series | None:
    """Return the result of `function` for the text of each query; NaN if the query has no text.

    Returns None if no query has a text."""
    texts = [source.texts.get(query_id, "") for query_id in source.query_ids]
    return pd.Series([function(t) if t else np.nan for t in texts]) if any(texts) else None


def _group_by_ranges(values: Floats, lower_bounds: Floats, names: Sequence[str]) -> Groups:
    """Return the range of each value. A value equal to a boundary belongs to the range above it."""
    codes = np.searchsorted(lower_bounds, np.nan_to_num(values), side="right")
    return np.where(np.isnan(values), -1, codes), names
