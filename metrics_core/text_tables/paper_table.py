"""Write the table of a paper in LaTeX: runs × measures, with marks for significant differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.method import BOOTSTRAP, CORRECTIONS, NO_CORRECTION, TESTS, Method
from metrics_core.comparing.tested_quantities import NOT_TESTED, SIGN, TYPICAL_RATIO
from metrics_core.comparing.verdicts import AHEAD, BEHIND, BETTER_RUN
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.text_tables.latex import build_tabular, escape
from metrics_core.text_tables.score_tables import format_total

Pair = tuple[str, str]
"""A run, and another run that it significantly outperforms."""

NOTHING_TESTED = "Not tested: there are too few queries, or the runs differ on too few queries."
_LABEL = re.compile(r"[\w.:/+-]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def row_letter(number: int) -> str:
    """Return the letter of a row: a to z, then aa, ab and so on. The first row has the number 0."""
    name, number = "", number + 1
    while number:
        number, last = divmod(number - 1, len(_LETTERS))
        name = _LETTERS[last] + name
    return name


@dataclass(frozen=True)
class PaperTable:
    """The table of a paper: a tabular in LaTeX, its caption as plain text, and its default
    label."""

    tabular: str
    caption: str
    default_label: str

    def to_latex(self, caption: str = "", label: str = "") -> str:
        r"""Format the table for a paper. The paper must load booktabs.

        `caption` is plain text at the beginning of the caption, and `label` is for `\ref`. Raises
        ParameterError for a label that LaTeX cannot refer to."""
        label = label or self.default_label
        if not _LABEL.fullmatch(label):
            raise ParameterError(
                f"{w.shorten_value(label)} is not a label.",
                "Use letters, digits and . : / + -, such as 'tab:results'.",
            )
        whole_caption = escape(" ".join(filter(None, (caption, self.caption))))
        return (
            "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n"
            f"\\caption{{{whole_caption}}}\n\\label{{{label}}}\n{self.tabular}\\end{{table}}\n"
        )


class RunMeans(NamedTuple):
    """The combined scores of runs for each measure, float64[run], with the number of queries."""

    runs: Sequence[str]
    by_measure: Mapping[Measure, Floats]
    n_queries: int

    @classmethod
    def from_scores(cls, scores: Scores, measures: Sequence[Measure] = ()) -> RunMeans:
        """Aggregate the scores over queries for each of `measures`, by default for all."""
        columns = dict(zip(scores.measures, scores.combined().T, strict=True))
        selected = {measure: columns[measure] for measure in measures or columns}
        return cls(scores.runs, selected, scores.n_queries)


def comparison_table(
    means: RunMeans, comparison: pd.DataFrame, baselines: Sequence[str], method: Method
) -> PaperTable:
    """Return the paper's table of a comparison with baselines. `comparison` has the columns
    baseline and measure in addition to the columns of `comparing.pairs.compare`."""
    beaten: dict[str, set[Pair]] = {str(measure): set() for measure in means.by_measure}
    for row in comparison.to_dict("records"):
        if row["verdict"] in AHEAD:
            beaten[row["measure"]].add((row["run"], row["baseline"]))
        elif row["verdict"] in BEHIND:
            beaten[row["measure"]].add((row["baseline"], row["run"]))
    names = [_run_with_letter(baseline, means.runs) for baseline in baselines]
    tested = _describe_comparison(comparison, names, method, _describe_marks(means.by_measure))
    return paper_table(means, beaten, tested, "tab:comparison")


def all_pairs_table(
    means: RunMeans, pairs_by_measure: Mapping[str, AllPairs], level: float
) -> PaperTable:
    """Return the paper's table of all pairs of runs. `pairs_by_measure` maps the canonical name of
    each measure to the pairs on this measure."""
    beaten = {name: _find_significant_pairs(pairs) for name, pairs in pairs_by_measure.items()}
    tested = _describe_all_pairs(pairs_by_measure, level, _describe_marks(means.by_measure))
    return paper_table(means, beaten, tested, "tab:all-pairs")


def _describe_marks(measures: Iterable[Measure]) -> str:
    is_rising = all(measure.declaration.direction > 0 for measure in measures)
    runs = "runs with a significantly lower mean" if is_rising else "significantly worse runs"
    return f"Superscripts mark {runs}"


def paper_table(
    means: RunMeans,
    significant_pairs: Mapping[str, AbstractSet[Pair]],
    test_description: str,
    label: str,
) -> PaperTable:
    """Return a table of runs × measures, in the order of `means`.

    `significant_pairs` maps the name of each measure to pairs of runs in which the first
    significantly outperforms the second. The letter of the second run is a superscript of the first
    run's score. `test_description` is plain text that describes the test, at the end of the
    caption."""
    columns = {str(m): _mean_cells(m, values) for m, values in means.by_measure.items()}
    rows = []
    for position, run in enumerate(means.runs):
        row = [row_letter(position), escape(run)]
        for name, cells in columns.items():
            row += [cells[position], _superscript_letters(run, means.runs, significant_pairs[name])]
        rows.append(" & ".join(row).rstrip())
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape(name)}}}" for name in columns]
    table = build_tabular("ll" + "r@{}l" * len(columns), " & ".join(["", "run", *heads]), rows)
    return PaperTable(
        table, f"{_caption_of_means(means)}, with the best in bold. {test_description}", label
    )


def _mean_cells(measure: Measure, means: Floats) -> list[str]:
    """Return the means of the runs, float64[run], as LaTeX cells. The best one is in bold."""
    declaration = measure.declaration
    write = w.format_score if declaration.combination.averaged else format_total
    cells = [escape(write(mean)) for mean in means.tolist()]
    has_best = declaration.combination.averaged and declaration.direction
    if has_best and len(means) > 1 and not np.isnan(means).all():
        best = (np.nanmax if declaration.higher_is_better else np.nanmin)(means)
        for position in np.flatnonzero(means == best):
            cells[position] = rf"\textbf{{{cells[position]}}}"
    return cells


def _superscript_letters(
    run: str, runs: Sequence[str], significant_pairs: AbstractSet[Pair]
) -> str:
    letters = [
        row_letter(position)
        for position, other_run in enumerate(runs)
        if (run, other_run) in significant_pairs
    ]
    # "aa" is a run of its own, not "a" twice.
    text = ("," if len(runs) > len(_LETTERS) else "").join(letters)
    return rf"\textsuperscript{{{text}}}" if text else ""


def _caption_of_means(means: RunMeans) -> str:
    summed = any(not measure.declaration.combination.averaged for measure in means.by_measure)
    n = means.n_queries
    queries = w.plural(n, "query", "queries")
    return f"{'Means and sums' if summed else 'Means'} over {w.format_count(n)} {queries}"


def _run_with_letter(run: str, runs: Sequence[str]) -> str:
    """Return a run with its letter, as in a caption: "bm25 (a)"."""
    return f"{run} ({row_letter(list(runs).index(run))})"


def _describe_comparison(
    comparison: pd.DataFrame, baseline_names: Sequence[str], method: Method, marks: str
) -> str:
    """Return the part of the caption that describes the test with the baselines. The letters in the
    table are based on this test."""
    tested = comparison[comparison["p"].notna()]
    if tested.empty:
        return NOTHING_TESTED
    max_comparisons = int(tested.groupby(["baseline", "measure"]).size().max())
    correction = CORRECTIONS[method.effective_correction]
    corrected = "one comparison per measure, not corrected"
    if max_comparisons > 1 and method.effective_correction == NO_CORRECTION:
        corrected = correction
    elif max_comparisons > 1:
        of_each = "measure and baseline (at most " if len(baseline_names) > 1 else "measure ("
        corrected = (
            f"corrected for all comparisons per {of_each}{w.number_word(max_comparisons)}):"
            f" {correction}"
        )
    return (
        f"{marks} (significance level"
        f" {1 - method.level:.2g}); only pairs that include {w.join_words(baseline_names, 'or')}"
        f" are compared; test: {TESTS[method.test]}; {corrected}.{_describe_costs(comparison)}"
    )


def _describe_costs(comparison: pd.DataFrame) -> str:
    """Return the sentences on measures that are not tested by their means."""
    sentences = []
    for word, tested in (
        (TYPICAL_RATIO, "the test uses logarithms, so it tests the typical ratio, not the mean"),
        (SIGN, "the sign test counts the queries with a higher value"),
        (NOT_TESTED, "it is not declared whether higher or lower is better, so nothing is tested"),
    ):
        names = comparison.loc[comparison["tested"] == word, "measure"].unique()
        if len(names):
            sentences.append(f" For {w.join_words(names)}, {tested}.")
    return "".join(sentences)


def _find_significant_pairs(pairs: AllPairs) -> set[Pair]:
    rows, columns = np.nonzero(pairs.verdict == BETTER_RUN)
    return {(pairs.runs[i], pairs.runs[j]) for i, j in zip(rows, columns, strict=True)}


def _describe_all_pairs(pairs_by_measure: Mapping[str, AllPairs], level: float, marks: str) -> str:
    """Return the part of the caption that describes the test of all pairs. The letters in the table
    are based on this test."""
    if all(np.isnan(pairs.p).all() for pairs in pairs_by_measure.values()):
        return NOTHING_TESTED
    pairs = next(iter(pairs_by_measure.values())).n_pairs
    corrected = (
        f", corrected for {w.number_word(pairs)} comparisons per measure (geometric mean of the"
        " Holm and step-down max-statistic p-values)"
    )
    return (
        f"{marks} (significance level"
        f" {1 - level:.2g}); all pairs of runs are compared; test:"
        f" {TESTS[BOOTSTRAP]}{corrected if pairs > 1 else ''}."
    )
