"""Describe the groups of queries that the difference between two runs comes from."""

from __future__ import annotations

import math

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.group_nouns import GroupNoun
from metrics_core.findings.phrases import few_queries_note
from metrics_core.findings.sentence import (
    Sentence,
    aside_span,
    join_sentences,
    muted_span,
    run_span,
    strong_span,
)
from metrics_core.scoring.intervals import LEVEL

MAX_TITLE_LENGTH = 64
"""Maximum length of a page title in characters."""

_MAX_NAMED = 3
_CONCENTRATED, _MIN_SHARE = 1.5, 0.1
"""Thresholds for naming a group: a multiple of the overall difference, and a share of the total."""

_SHARES = (
    (0.95, "nearly all"),
    (0.7, "most"),
    (0.55, "more than half"),
    (0.45, "half"),
    (0.36, "two fifths"),
    (0.29, "a third"),
    (0.22, "a quarter"),
    (0.17, "a fifth"),
)
_GROUP = GroupNoun()


def groups_title(
    contributions: pd.DataFrame,
    focus: str,
    baseline: str,
    *,
    noun: GroupNoun = _GROUP,
    higher_is_better: bool = True,
) -> Sentence:
    """Return the title on the groups behind the difference, in at most MAX_TITLE_LENGTH characters.
    It names a group only if it contributes most and differs from the others. Otherwise it counts
    the groups with the direction of the total. If directions differ and no group is significant, it
    says only this. `contributions` is the frame
    of `slicing.contributions.group_contributions` (group, queries, difference, part) with the
    columns tested, clear (significant) and unlike (differs from the other groups)."""
    queries = int(contributions["queries"].sum())
    if queries < FEWEST_QUERIES:
        return few_queries_note(queries).statement_and_rest[0]
    if len(contributions) == 1:
        return strong_span(
            _shorten_title(
                f"All queries are {contributions['group'].iloc[0]}", "", "There is one group"
            )
        )
    total, limit = math.fsum(contributions["part"]), _rounding_limit(contributions)
    if abs(total) < limit:
        if better_run_sign(total):
            return strong_span(f"The means differ by less than {np.format_float_positional(limit)}")
        return strong_span("The means are the same")
    if lead := _find_main_group(contributions, total):
        verb = "gains" if (total > 0) == higher_is_better else "loses"
        shorter = f" {verb} most in one of {w.number_word(len(contributions))} groups"
        return run_span(focus) + strong_span(
            _shorten_title(f" {verb} most in {lead}", focus, shorter)
        )
    if _is_inconclusive(contributions, total):
        significance = _significance_sentence(
            contributions, len(contributions), noun, higher_is_better
        )
        return strong_span(_shorten_title(significance, "", "No group is significant on its own"))
    direction, count_text = _count_agreeing_groups(contributions, total)
    title = run_span(focus) + strong_span(f" scores {direction} than ") + run_span(baseline)
    counted, shorter = f" in {count_text} {noun.plural}", f" in {count_text} groups"
    return title + strong_span(_shorten_title(counted, title.text, shorter))


def _count_agreeing_groups(contributions: pd.DataFrame, total: float) -> tuple[str, str]:
    """Return the total's direction, "higher" or "lower", and in words how many groups share it."""
    agreeing, _ = _split_groups(contributions, total)
    count_text = f"all {w.number_word(len(contributions))}"
    if len(agreeing) < len(contributions):
        count_text = f"{w.number_word(len(agreeing))} of {w.number_word(len(contributions))}"
    elif len(contributions) == 2:
        count_text = "both"
    return "higher" if total > 0 else "lower", count_text


def _is_inconclusive(contributions: pd.DataFrame, total: float) -> bool:
    """Whether a count of groups would mislead: they differ in direction and none is significant."""
    agreeing, _ = _split_groups(contributions, total)
    is_named = abs(total) < _rounding_limit(contributions) or _find_main_group(contributions, total)
    return not (is_named or contributions["clear"].any()) and len(agreeing) < len(contributions)


def _shorten_title(text: str, prefix: str, shorter: str) -> str:
    """Return `text`, or `shorter` if `prefix` and `text` together are too long for a title."""
    return text if len(prefix + text) <= MAX_TITLE_LENGTH else shorter


def single_run_title(
    groups: pd.DataFrame, focus: str, *, noun: GroupNoun = _GROUP, higher_is_better: bool = True
) -> Sentence:
    """Name the worst group of a single run. `groups` has the columns group, queries and mean."""
    tested_groups = groups[(groups["queries"] >= FEWEST_QUERIES) & groups["mean"].notna()]
    plain_title = run_span(focus) + strong_span(f" by {noun.singular}")
    if tested_groups["mean"].map(w.format_score).nunique() < 2:
        return plain_title
    worst = tested_groups["mean"].idxmin() if higher_is_better else tested_groups["mean"].idxmax()
    direction = "lowest" if higher_is_better else "highest"
    statement = f" scores {direction} in {tested_groups.loc[worst, 'group']}"
    return (
        plain_title
        if len(focus + statement) > MAX_TITLE_LENGTH
        else run_span(focus) + strong_span(statement)
    )


def groups_subtitle(
    contributions: pd.DataFrame,
    *,
    n_tested: int,
    noun: GroupNoun = _GROUP,
    higher_is_better: bool = True,
) -> Sentence:
    """State which groups have a significant difference, and which contributes more than its share
    of the queries. `contributions` is the frame of `groups_title`; `n_tested` groups are tested."""
    queries = int(contributions["queries"].sum())
    if queries < FEWEST_QUERIES:
        return muted_span(f"No {noun.singular} is tested.") if queries else Sentence()
    if len(contributions) == 1:
        return muted_span("There is only one group, so this column explains nothing.")
    total, text = math.fsum(contributions["part"]), ""
    if _is_inconclusive(contributions, total):
        # The title says already that none is significant.
        direction, count_text = _count_agreeing_groups(contributions, total)
        text = f"The mean is {direction} in {count_text} {noun.plural}."
    else:
        text = f"{_significance_sentence(contributions, n_tested, noun, higher_is_better)}."
    sentence = reversal_finding(contributions, higher_is_better=higher_is_better)
    sentence = sentence or _concentration_sentence(contributions, higher_is_better)
    return join_sentences([muted_span(text), sentence], " ")


def _concentration_sentence(contributions: pd.DataFrame, higher_is_better: bool) -> Sentence:
    """Name the group whose contribution most exceeds its share of the queries, and say if the group
    is not significant. The sentence is empty if the excess is small. Contributions are rounded so
    that the printed numbers add up to the total."""
    total, queries = math.fsum(contributions["part"]), int(contributions["queries"].sum())
    if abs(total) < _rounding_limit(contributions) or len(contributions) < 2:
        return Sentence()
    agreeing, _ = _split_groups(contributions, total)
    excess = (agreeing["part"] - total * agreeing["queries"] / queries) * np.sign(total)
    row = agreeing.loc[excess.idxmax()]
    digits = w.mean_decimals([total])
    parts = w.round_parts(total, contributions["part"].tolist(), digits)
    part = parts[contributions.index.get_loc(row.name)]
    part_text, total_text = (w.format_difference(value, digits) for value in (part, total))
    share = abs(row["part"] / total)
    if abs(row["difference"]) < _CONCENTRATED * abs(total) or share < _MIN_SHARE:
        return Sentence()
    share_words = next((words for min_share, words in _SHARES if share >= min_share), "")
    if share_words and len(agreeing) == len(contributions):
        part_text = f"{share_words} of the {'gain' if (total > 0) == higher_is_better else 'loss'}"
    elif abs(part) > abs(total) + 0.5 / 10**digits:
        if not row["clear"]:
            return Sentence()  # parts that cancel by chance mean nothing
        part_text += f", more than the total of {total_text}"
    else:
        part_text += f" of the {total_text}"
    n, verb = int(row["queries"]), "add" if _is_plural(row["group"]) else "adds"
    comma = "," if "," in part_text else ""
    with_few = f"{comma} with {w.format_count(n)} of the {w.format_count(queries)} queries"
    status = "not significant" if row["tested"] else "not tested"
    name = w.sentence_case(row["group"]) + ("" if row["clear"] else f" ({status})")
    if row["clear"] and contributions["clear"].sum() == 1:
        name = "They" if verb == "add" else "It"  # the previous sentence names only it
    return muted_span(f"{name} {verb} {part_text}") + aside_span(with_few) + muted_span(".")


def _is_plural(name: str) -> bool:
    """Return whether the name of a group is a plural, such as "queries without category"."""
    return name.startswith("queries ")


def _significance_sentence(
    contributions: pd.DataFrame, n_tested: int, noun: GroupNoun, higher_is_better: bool
) -> str:
    """State which groups have a significant difference. The text does not end with a full stop."""
    if (contributions["queries"] < FEWEST_QUERIES).all():
        return (
            f"No {noun.singular} has the {w.number_word(FEWEST_QUERIES)} queries needed for a test"
        )
    clear = contributions[contributions["clear"]]
    if clear.empty:
        return _no_significance_text(contributions["tested"], noun)
    n = max(n_tested, len(contributions))
    correction = f" after correction for {w.number_word(n)} {noun.plural}" * (n > 1)
    is_gain = (clear["difference"] > 0) == higher_is_better
    sides = [("better", clear[is_gain]), ("worse", clear[~is_gain])]
    sides.sort(key=lambda side: -len(side[1]))
    (first, larger_side), (second, smaller_side) = sides
    if smaller_side.empty and len(larger_side) == len(contributions) > 1:
        every_one = (
            "Both" if len(contributions) == 2 else f"All {w.number_word(len(contributions))}"
        )
        return f"{every_one} {noun.plural} are significantly {first}{correction}"
    subject = _group_subject(larger_side, contributions, noun)
    subject = f"Only {subject}" if len(clear) == 1 else w.sentence_case(subject)
    clause = f"{subject} significantly {first}{correction}"
    if len(smaller_side):
        other = _group_subject(smaller_side, contributions, noun, brief=True)
        return f"{clause}, {other} significantly {second}"
    return clause if len(clear) == 1 else f"{clause}, none is significantly {second}"


def _no_significance_text(is_tested: pd.Series, noun: GroupNoun) -> str:
    """State that none of the tested groups is significant. The text has no full stop."""
    n_tested = int(is_tested.sum())
    if not n_tested:
        return f"No {noun.singular} has enough differing queries to be tested"
    limit = f"; only {w.number_word(n_tested)} {w.plural(n_tested, 'is', 'are')} tested"
    return f"No {noun.singular} is significant on its own" + limit * (n_tested < len(is_tested))


def groups_finding(
    groups: pd.DataFrame, focus: str, *, noun: GroupNoun = _GROUP, higher_is_better: bool = True
) -> Sentence:
    """Name the groups that have a significant difference, in the order of their differences."""
    rows = groups[(groups["run"] == focus) & groups["difference"].notna()]
    if rows.empty:
        return Sentence()
    clear = rows[rows["clear"]]
    if clear.empty:
        return muted_span(f"{_no_significance_text(rows['diff_low'].notna(), noun)}.")
    better = clear["difference"].to_numpy() * (1 if higher_is_better else -1)
    names, largest = clear["group"].tolist(), np.argsort(-np.abs(better), kind="stable")
    sides = {
        "gains": [names[i] for i in largest if better[i] > 0],
        "loses": [names[i] for i in largest if better[i] < 0],
    }
    clauses = [f"{verb} in {w.shorten_list(named)}" for verb, named in sides.items() if named]
    themselves = w.plural(len(clear), "significant on its own", "each significant on its own")
    return run_span(focus) + muted_span(f" {' and '.join(clauses)}, {themselves}.")


def _group_subject(
    chosen_groups: pd.DataFrame, all_groups: pd.DataFrame, noun: GroupNoun, *, brief: bool = False
) -> str:
    """Return groups as the subject of a sentence: by name if they are few, otherwise by number. If
    `brief` is true, the number of all groups is omitted ("three are")."""
    is_one = len(chosen_groups) == 1 and not _is_plural(chosen_groups["group"].iloc[0])
    verb = "is" if is_one else "are"
    if len(chosen_groups) <= _MAX_NAMED:
        return f"{w.join_words(chosen_groups['group'])} {verb}"
    if brief:
        return f"{w.number_word(len(chosen_groups))} {verb}"
    return (
        f"{w.number_word(len(chosen_groups))} of {w.number_word(len(all_groups))} {noun.plural}"
        f" {verb}"
    )


def slices_finding(n_slices: int, n_differing: int, *, compares_means: bool = True) -> str:
    """State in how many of the tested slices the difference or the typical ratio deviates
    significantly from its value on all other queries. The text is "" if no slice was tested."""
    if not n_slices:
        return ""
    value = "difference" if compares_means else "typical ratio"
    clause = f"none of them does the {value} depart"
    if n_differing:
        clause = f"{w.number_word(n_differing)} of them, the {value} departs"
    return (
        f"Also tested: {w.format_with_noun(n_slices, 'group')} of queries, formed by one or two"
        f" columns. In {clause} significantly from that of the other queries"
        f" (false discovery rate {w.format_share(1 - LEVEL)})."
    )


def crossed_groups_title(
    margins: pd.DataFrame, total: float, *, higher_is_better: bool = True
) -> Sentence:
    """Name the group with the largest difference among the groups of two columns, if it is far
    above `total`. Columns of `margins`: column, group, queries, difference."""
    plain_title = strong_span("The difference by two columns")
    groups = margins[margins["queries"] > 0]
    queries = int(groups.groupby("column")["queries"].sum().max()) if len(groups) else 0
    if queries < FEWEST_QUERIES or abs(total) < _rounding_limit(margins):
        return plain_title
    times = groups["difference"] / total
    largest = groups.loc[times.groupby(groups["column"]).idxmax()]
    largest = largest.assign(share=times * groups["queries"] / queries)
    is_concentrated = times[largest.index] >= _CONCENTRATED
    is_concentrated &= (largest["share"] >= _MIN_SHARE) & (largest["queries"] >= FEWEST_QUERIES)
    if not is_concentrated.any():
        return plain_title
    row = largest.loc[largest["share"].where(is_concentrated).idxmax()]
    noun = "gain" if (total > 0) == higher_is_better else "loss"
    statement = f"By {row['column']}, the {noun} is largest for {row['group']}"
    return strong_span(statement) if len(statement) <= MAX_TITLE_LENGTH else plain_title


def crossed_groups_subtitle(margins: pd.DataFrame) -> Sentence:
    """List the largest mean differences of the groups of one column. `margins` has only the rows of
    that column: group, difference."""
    groups = margins[margins["difference"].notna()]
    groups = groups.sort_values("difference", key=abs, ascending=False, kind="stable")
    clauses = [
        f"{group} {w.format_difference(gap)}"
        for group, gap in groups[["group", "difference"]].to_numpy()[: _MAX_NAMED + 1]
    ]
    return muted_span(f"{w.sentence_case(', '.join(clauses))}.") if clauses else Sentence()


def untested_note(groups: pd.DataFrame, *, tests_means: bool = True) -> str:
    """Explain why groups lack an interval. Columns used: group, queries, difference, diff_low.
    `tests_means` is false for a cost, whose mean difference has no interval."""
    with_difference = groups[groups["difference"].notna()]
    is_small = with_difference["queries"] < FEWEST_QUERIES
    rarely_differing = with_difference[~is_small & with_difference["diff_low"].isna()]
    notes = []
    if is_small.any():
        names = w.shorten_list(list(with_difference.loc[is_small, "group"]))
        few = f"With fewer than {w.number_word(FEWEST_QUERIES)} queries,"
        notes.append(f"{few} {names} cannot be tested.")
    if not tests_means:
        notes.append("For each group, the typical ratio is tested, not the mean.")
    elif len(rarely_differing):
        notes.append(
            "No interval, because too few queries differ:"
            f" {w.shorten_list(list(rarely_differing['group']))}."
        )
    return " ".join(notes)


def _rounding_limit(groups: pd.DataFrame) -> float:
    """Return the absolute value below which a difference of the groups is printed as 0."""
    return float(0.5 / 10 ** w.mean_decimals(groups["difference"]))


def _split_groups(contributions: pd.DataFrame, total: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the groups whose rounded difference has the direction of the total, and the groups
    that significantly oppose the total."""
    gaps = contributions["difference"]
    side = np.sign(gaps * total) * (gaps.abs() >= _rounding_limit(contributions))
    return contributions[side > 0], contributions[(side < 0) & contributions["clear"]]


def _find_main_group(contributions: pd.DataFrame, total: float) -> str:
    """Return the name of the group with the largest contribution among the groups that agree with
    the total. It is "" unless the test for slices shows that the difference is larger in this group
    than in all other queries. Headings name a group only by this rule."""
    agreeing, _ = _split_groups(contributions, total)
    if len(agreeing) < 2:
        return ""
    row = agreeing.loc[agreeing["part"].abs().idxmax()]
    return str(row["group"]) if row["unlike"] and abs(row["difference"]) > abs(total) else ""


def reversal_finding(contributions: pd.DataFrame, *, higher_is_better: bool = True) -> Sentence:
    """State that most queries are in groups with a significant difference of the opposite sign. The
    text is empty if this is not the case. `contributions` is the same as for `groups_title`."""
    total, queries = math.fsum(contributions["part"]), int(contributions["queries"].sum())
    if queries < FEWEST_QUERIES or abs(total) < _rounding_limit(contributions):
        return Sentence()
    _, opposing = _split_groups(contributions, total)
    opposed = int(opposing["queries"].sum())
    if 2 * opposed <= queries:
        return Sentence()
    gains = (total > 0) == higher_is_better
    return muted_span(
        f"Most queries ({w.format_count(opposed)} of {w.format_count(queries)}) are in groups that"
        f" {'lose' if gains else 'gain'} significantly, so the overall"
        f" {'gain' if gains else 'loss'} comes from the remaining groups."
    )
