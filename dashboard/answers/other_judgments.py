"""Versions that were scored with other judgments. They are runs of another collection, shown beside
the versions of this one but never compared with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.history import HistoryPage, ordered_versions
from dashboard.answers.history_dates import NAMES, NO_DATES, VersionDates, version_dates
from dashboard.study.library import Library
from dashboard.study.study import Study, all_scores
from metrics_core.base import wording as w
from metrics_core.measures import Measure
from metrics_core.scoring.curves import judged_share
from metrics_core.slicing.breakdowns import ALL, summarise_groups

LESS_JUDGED = 0.2
"""A version is marked if its judged share is lower than the largest judged share of all versions by
at least this much. Its mean may then be too low, because unjudged documents count as not
relevant."""

_MEANS = ["run", "queries", "mean", "low", "high", "judged", "answered"]


@dataclass(frozen=True)
class OtherJudgments:
    """The versions in another collection, scored with the judgments of that collection.

    `means` has run, queries, mean, low, high, judged (judged share of the top results), answered
    (number of queries with results). The means are over the `shared` queries, which are the queries
    in view that the other collection judges too. `judgments` and `queries` are the other
    collection's total numbers; `other_text` is the number of shared queries whose text differs
    between the collections. `why_not` says why there are no means."""

    collection_id: str
    name: str
    judgments: int = 0
    queries: int = 0
    shared: int = 0
    other_text: int = 0
    means: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=_MEANS))
    dates: VersionDates = NO_DATES
    why_not: str = ""


def versions_of_collection(
    study: Study,
    comparison: Comparison,
    order: str,
    collection_id: str,
    collection_name: str,
    library: Library | None,
) -> OtherJudgments:
    """Return the versions of the collection `collection_id` in the given order. `library` is the
    collection's content, or None if the collection no longer exists."""
    if library is None:
        return OtherJudgments(
            collection_id, collection_name, why_not="This collection was not found."
        )
    other = library.study
    if other is None or not other.names:
        return OtherJudgments(
            collection_id, collection_name, why_not="None of the runs match the judgments."
        )
    query_ids = study.query_ids
    in_view = study.view_mask(comparison)
    ids = tuple(q for q, is_in in zip(query_ids, in_view, strict=True) if is_in)
    shared = set(ids) & set(other.query_ids)
    lack_error = next(
        (e for r in other.judged.values() if (e := comparison.measure.find_missing_data(r))), None
    )
    if not shared or lack_error:
        why_not = (
            lack_error.message
            if lack_error
            else "The collection has no judgments for the queries in view."
        )
        return OtherJudgments(collection_id, collection_name, why_not=why_not)
    dates = version_dates(other.names, library.run_files)
    return OtherJudgments(
        collection_id,
        collection_name,
        judgments=len(other.qrels),
        queries=len(other.query_ids),
        shared=len(shared),
        other_text=sum(_has_different_text(study, other, q) for q in shared),
        means=other.cached_answer(
            _version_means,
            ordered_versions(other, order, (), dates),
            comparison.measure,
            comparison.cutoff,
            ids,
        ),
        dates=dates,
    )


def _has_different_text(study: Study, other_study: Study, query_id: str) -> bool:
    """Return whether both collections have a text for a query, and the two texts differ."""
    text, other_text = study.texts[query_id], other_study.texts[query_id]
    return query_id not in (text, other_text) and text.split() != other_text.split()


def _version_means(
    study: Study, runs: Sequence[str], measure: Measure, cutoff: int, ids: tuple[str, ...]
) -> pd.DataFrame:
    mask = pd.Index(study.query_ids).isin(ids)
    scores = study.cached_answer(all_scores, measure).select_runs(runs).select_queries(mask)
    groups = pd.Series(ALL, index=list(scores.query_ids))
    means = summarise_groups(scores, measure, groups)
    ranks = [study.judged[run].select_queries(mask) for run in runs]
    means["judged"] = [judged_share(r, cutoff) for r in ranks]
    means["answered"] = [int((r.retrieved > 0).sum()) for r in ranks]
    return means[_MEANS]


def version_rows(
    page: HistoryPage,
    dates: VersionDates,
    other_collections: Sequence[OtherJudgments],
    *,
    by_date: bool,
) -> pd.DataFrame:
    """Return the versions in the order in which the chart shows them.

    Columns: run, collection and judged_by (both "" for the open collection), queries, mean, low,
    high, judged, answered, date, unknown (bool, see `LESS_JUDGED`), and change and outcome of
    `HistoryPage.overall`. If `by_date` is true, dates that come from files are included, and the
    collections are sorted by their earliest version. Otherwise, the other collections come before
    the open one."""
    most = page.overall["judged"].max()
    unknown = (page.overall["judged"] <= most - LESS_JUDGED) & (not page.complete)
    parts = [(o.dates, o.means.assign(collection=o.collection_id, judged_by=o.name, unknown=False))
             for o in other_collections if len(o.means)]  # fmt: skip
    parts.append((dates, page.overall.assign(collection="", judged_by="", unknown=unknown)))
    if by_date:
        parts.sort(key=lambda part: min(part[0].sort_key(run) for run in part[1]["run"]))
    frames = [
        frame.assign(date=[run_dates.date_text(run) if by_date or run_dates.source == NAMES else ""
                           for run in frame["run"]])
        for run_dates, frame in parts
    ]  # fmt: skip
    rows = pd.concat(frames, ignore_index=True)
    columns = ["run", "collection", "judged_by", *_MEANS[1:], "date", "unknown"]
    return rows.reindex(columns=[*columns, "change", "outcome"])


def version_sentences(
    rows: pd.DataFrame, other_collections: Sequence[OtherJudgments], cutoff: int
) -> list[str]:
    """Return sentences that say which versions have few judged results, and which were scored with
    other judgments. `rows` is the frame of `version_rows`."""
    sentences = []
    unknown = rows[rows["unknown"]]
    if len(unknown):
        best = w.format_share(rows.loc[rows["collection"] == "", "judged"].max())
        shares = [
            f"{run} ({w.format_share(share)} of its top {w.format_count(cutoff)})"
            for run, share in zip(unknown["run"], unknown["judged"], strict=True)
        ]
        sentences.append(
            f"Fewer results are judged for {w.shorten_list(shares)} than for other versions (up"
            f" to {best}). Most measures count unjudged documents as not relevant, so the"
            " means shown as hollow points may be too low."
        )
    sentences += [
        f"No versions of {other.name} are shown: {other.why_not}"
        for other in other_collections
        if other.why_not
    ]
    comparable = [other for other in other_collections if not other.why_not]
    if comparable:
        sentences.append(
            "Diamonds mark versions scored with other judgments, so their means are not comparable"
            " with the other means. Comparisons, groups and query histories leave these versions"
            " out."
        )
    return [*sentences, *map(_other_judgments_sentence, comparable)]


def _other_judgments_sentence(other_collection: OtherJudgments) -> str:
    sentence = (
        f"{other_collection.name} has"
        f" {w.format_with_noun(other_collection.judgments, 'judgment', 'judgments')} for"
        f" {w.format_query_count(other_collection.queries)}. Its means cover only"
        f" the {w.format_query_count(other_collection.shared)} that are also in view here."
    )
    if other_collection.other_text:
        sentence += (
            f" {w.sentence_case(w.number_word(other_collection.other_text))} of these queries"
            f" {w.plural(other_collection.other_text, 'has', 'have')} a different text in"
            f" {other_collection.name}."
        )
    return sentence
