"""The table of a paper in LaTeX: runs × measures, with marks for significant differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from metrics_core.base import wording as w
from metrics_core.commands.latex import escape, tabular
from metrics_core.commands.score_tables import LongTable, bold_best
from metrics_core.scoring.scores import Scores

Pair = tuple[str, str]
"""A run, and a run that it significantly outperforms."""

NOTHING_TESTED = "Not tested: there are too few queries, or the runs differ on too few queries."
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def row_letter(number: int) -> str:
    """Return the letter of a row: a to z, then aa, ab and so on; the first row is 0."""
    name, number = "", number + 1
    while number:
        number, last = divmod(number - 1, len(_LETTERS))
        name = _LETTERS[last] + name
    return name


def paper_table(scores: Scores, beaten: Mapping[str, AbstractSet[Pair]], tested: str) -> str:
    """Format runs × measures in the order of `scores`; the paper must load booktabs.

    `beaten` maps the name of each measure to pairs of runs, of which the first outperforms the
    second. The letter of the second run is a superscript of the first run's score. `tested` is
    plain text that describes the test, at the end of the caption.
    """
    names = [str(measure) for measure in scores.measures]
    means = zip(scores.runs, scores.combined().tolist(), strict=True)
    cells = [
        (run, *cell) for run, run_means in means for cell in zip(names, run_means, strict=True)
    ]
    written = bold_best(LongTable(["run", "measure", "value"], cells).wide())
    rows = []
    for row_number, (run, (label, *values)) in enumerate(zip(scores.runs, written, strict=True)):
        row = [row_letter(row_number), label]
        for name, value in zip(names, values, strict=True):
            row += [value, _superscript(run, scores.runs, beaten[name])]
        rows.append(" & ".join(row).rstrip())
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape(name)}}}" for name in names]
    table = tabular("ll" + "r@{}l" * len(names), " & ".join(["", "run", *heads]), rows)
    caption = escape(f"{_means_over(scores)}, with the best in bold. {tested}")
    return (
        "% needs \\usepackage{booktabs}\n"
        f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n{table}\\end{{table}}\n"
    )


def _superscript(run: str, runs: Sequence[str], beaten: AbstractSet[Pair]) -> str:
    letters = [
        row_letter(position)
        for position, other_run in enumerate(runs)
        if (run, other_run) in beaten
    ]
    # "aa" is a run of its own, not "a" twice.
    text = ("," if len(runs) > len(_LETTERS) else "").join(letters)
    return rf"\textsuperscript{{{text}}}" if text else ""


def _means_over(scores: Scores) -> str:
    summed = any(not measure.declaration.combination.averaged for measure in scores.measures)
    n = len(scores.query_ids)
    queries = w.plural(n, "query", "queries")
    return f"{'Means and sums' if summed else 'Means'} over {w.format_count(n)} {queries}"


def run_with_letter(run: str, runs: Sequence[str]) -> str:
    """The name of a run in a caption: "bm25 (a)"."""
    return f"{run} ({row_letter(list(runs).index(run))})"
