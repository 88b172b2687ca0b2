"""Describe the ranking of runs: the runs that may be the best, and the ranks that are certain. Used
on the Ranking page, and on the Overview if there are many runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.costs import format_ratio_change
from metrics_core.findings.cutoffs import MAX_TITLE_LENGTH
from metrics_core.findings.phrases import few_queries_note
from metrics_core.findings.sentence import (
    Sentence,
    aside_span,
    join_sentences,
    muted_span,
    run_span,
    strong_span,
)

_MAX_NAMED = 3


def ranking_title(
    all_pairs: AllPairs, measure: str, n_queries: int, *, has_direction: bool = True
) -> Sentence:
    """State which runs may be the best. With fewer than ten queries, or if the direction of
    the measure is not declared, name the run with the highest mean instead.

    `measure` is the measure's name, `n_queries` the number of queries in view."""
    if n_queries < FEWEST_QUERIES or not has_direction:
        return _highest_mean_title(all_pairs, measure)
    bests = all_pairs.possible_best_runs
    if len(bests) == 1:
        if all_pairs.last[all_pairs.runs.index(bests[0])] == 1:
            return run_span(bests[0]) + strong_span(f" alone ranks first on {measure}")
        # Every other run is significantly behind some run, but not all of them behind this one.
        return (
            strong_span("Only ")
            + run_span(bests[0])
            + strong_span(f" may be the best on {measure}")
        )
    if len(bests) == len(all_pairs.runs) > 2:
        return strong_span(
            f"Any of the {w.number_word(len(bests))} runs may be the best on {measure}"
        )
    runs_sentence = _join_run_names(bests) + strong_span(f" share first place on {measure}")
    if len(bests) <= _MAX_NAMED and len(runs_sentence.text) <= MAX_TITLE_LENGTH:
        return runs_sentence
    count_text = (
        f"{w.sentence_case(w.number_word(len(bests)))} of {w.number_word(len(all_pairs.runs))} runs"
    )
    return strong_span(f"{count_text} may be the best on {measure}")


def format_pair(all_pairs: AllPairs, row: int, column: int, digits: int) -> tuple[str, str]:
    """Return the tested quantity of a pair and its interval as text: the difference with `digits`
    decimals or, for a cost, the typical ratio as a change in percent. The interval is "" if there
    is none."""
    value, low, high = (float(matrix[row, column]) for matrix in all_pairs.tested)
    text, interval = w.format_difference(value, digits), w.format_interval(low, high, digits)
    if all_pairs.log_ratios is not None:
        text, *ends = (format_ratio_change(math.exp(end)) for end in (value, low, high))
        interval = f"[{', '.join(ends)}]"
    return text, "" if math.isnan(low) else interval


def ranking_subtitle(all_pairs: AllPairs, measure: str, n_queries: int) -> Sentence:
    """State which runs below the best ones have a certain rank, and how many pairs of runs differ
    significantly.

    If `ranking_title` only states how many runs may be the best, this text names them first."""
    if n_queries < FEWEST_QUERIES:
        return few_queries_note(n_queries) + muted_span("No pair is tested.")
    bests, title = all_pairs.possible_best_runs, ranking_title(all_pairs, measure, n_queries)
    sentences = []
    if len(bests) == 2 < len(all_pairs.runs) and all_pairs.log_ratios is None:
        first, second = map(all_pairs.runs.index, bests)
        size = w.format_score(abs(float(all_pairs.difference[first, second])))
        sentences.append(muted_span(f"Their difference of {size} is not significant."))
    if len(bests) < len(all_pairs.runs) and not any(span.role == "run" for span in title.spans):
        sentences.append(_join_run_names(bests) + muted_span("."))
    statement = join_sentences([*sentences, _other_ranks_finding(all_pairs)], " ")
    return statement + aside_span(f"{' ' if statement else ''}{_significant_pairs_text(all_pairs)}")


def sole_best_finding(best_run_by_measure: Mapping[str, str], chosen_measure: str) -> Sentence:
    """State for each measure other than `chosen_measure` whether a single run ranks first. The
    sentence is empty if there are no such measures.

    `best_run_by_measure` maps each measure to the run that alone ranks first on it, "" for none."""
    by_run: dict[str, list[str]] = {}
    for measure, name in best_run_by_measure.items():
        if measure != chosen_measure:
            by_run.setdefault(name, []).append(measure)
    clauses = [
        muted_span(f"{'on' if i else 'On'} {w.join_words(measures)}, ")
        + (run_span(name) + muted_span(" alone") if name else muted_span("no run alone"))
        + muted_span(" ranks first")
        for i, (name, measures) in enumerate(by_run.items())
    ]
    return join_sentences(clauses, "; ") + muted_span(".") if clauses else Sentence()


def _significant_pairs_text(all_pairs: AllPairs) -> str:
    clear, n_pairs = int(all_pairs.clear.sum()) // 2, all_pairs.n_pairs
    if n_pairs == 1:
        return f"The difference is {'' if clear else 'not '}significant."
    count_text = (
        "None"
        if not clear
        else "All"
        if clear == n_pairs
        else w.sentence_case(w.number_word(clear))
    )
    subject = (
        f"{count_text} {w.number_word(n_pairs)}"
        if count_text == "All"
        else f"{count_text} of {w.number_word(n_pairs)}"
    )
    verb = w.plural(clear, "differs", "differ")
    return f"{subject} pairs {verb} significantly after correction."


def _highest_mean_title(all_pairs: AllPairs, measure: str) -> Sentence:
    """Name the runs with the highest mean. The title does not call any of them the best."""
    if not all_pairs.runs or math.isnan(all_pairs.means[0]):
        return strong_span(f"No run has a mean {measure}")
    top = [
        name
        for name, mean in zip(all_pairs.runs, all_pairs.means, strict=True)
        if not better_run_sign(float(mean - all_pairs.means[0]))
    ]
    if len(top) == 1:
        return run_span(top[0]) + strong_span(f" scores highest on {measure}")
    if len(top) == len(all_pairs.runs):
        return strong_span(f"All {w.number_word(len(top))} runs score the same on {measure}")
    return strong_span(
        f"{w.sentence_case(w.number_word(len(top)))} runs score highest on {measure}"
    )


def _other_ranks_finding(all_pairs: AllPairs) -> Sentence:
    """State the rank of each run that cannot be the best and has only one possible rank."""
    lower_runs = [
        (name, int(first), int(last))
        for name, first, last in zip(all_pairs.runs, all_pairs.first, all_pairs.last, strict=True)
        if first > 1
    ]
    settled = [(name, first) for name, first, last in lower_runs if first == last]
    if not settled:
        return Sentence()
    if len(settled) > _MAX_NAMED:
        is_all = len(settled) == len(lower_runs)
        count_text = "All" if is_all else f"{w.sentence_case(w.number_word(len(settled)))} of the"
        return muted_span(
            f"{count_text} {w.number_word(len(lower_runs))} other runs have a definite rank."
        )
    clauses = [
        run_span(name) + muted_span(f" ranks {w.ordinal_word(rank)}") for name, rank in settled
    ]
    *head, end = clauses
    return (join_sentences(head, ", ") + muted_span(" and ") + end if head else end) + muted_span(
        "."
    )


def _join_run_names(names: Sequence[str]) -> Sentence:
    """List the names of runs: all names if there are only a few, otherwise three names and the
    number of remaining runs."""
    first_names = names if len(names) <= _MAX_NAMED + 1 else names[:_MAX_NAMED]
    parts = [run_span(name) for name in first_names]
    if len(first_names) < len(names):
        parts.append(strong_span(f"{w.format_count(len(names) - len(first_names))} more"))
    sentence = parts[0]
    for position, part in enumerate(parts[1:], 2):
        sentence = sentence + strong_span(" and " if position == len(parts) else ", ") + part
    return sentence
