"""`metrics_core compare`: runs against a baseline, with intervals, tests and verdicts."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.commands import CommandResult, command
from metrics_core.commands.gate.options import GATE_FORMATS, GateOptions, add_gate_options
from metrics_core.commands.latex import table_of_texts
from metrics_core.commands.paper_table import NOTHING_TESTED, Pair, lettered, paper_table
from metrics_core.commands.reading import groups_of, judged_files, nothing_to_compare, say_unused
from metrics_core.commands.reading_options import (
    add_grouping_options,
    add_level_option,
    add_reading_options,
)
from metrics_core.commands.score_tables import IN_FULL, aligned, p_value, piped
from metrics_core.comparing.method import BOOTSTRAP, CORRECTIONS, NO_CORRECTION, TESTS, Method
from metrics_core.comparing.pairs import compare as compared
from metrics_core.comparing.pairs import interval_tested
from metrics_core.comparing.verdicts import AHEAD, BEHIND
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.slicing.bridge import bridge

_COLUMNS = {
    "run": "run",
    "baseline": "baseline",
    "measure": "measure",
    "queries": "n",
    "mean": "mean",
    "baseline_mean": "baseline_mean",
    "difference": "difference",
    "low": "low",
    "high": "high",
    "level": "level",
    "inner_low": "inner_low",
    "inner_high": "inner_high",
    "p": "p",
    "p_corrected": "p_corrected",
    "effect": "effect",
    "effect_low": "effect_low",
    "effect_high": "effect_high",
    "won": "won",
    "lost": "lost",
    "same": "same",
    "verdict": "verdict",
    "reason": "reason",
}
"""The columns of a comparison, and what they are called where they are printed in full."""

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class CompareOptions(GateOptions):
    """What `compare` is asked for besides."""

    test: str
    correction: str
    margin: float | None
    level: float
    more_baselines: Sequence[str]


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, baseline="the run to compare the others with")
    add_grouping_options(
        parser, "show how much each group of queries contributes to the mean difference"
    )
    parser.add_argument("--test", choices=list(TESTS), default="bootstrap", help="statistical test")
    parser.add_argument(
        "--correction",
        choices=list(CORRECTIONS),
        default="",
        help="correction for several runs (default: Holm, if the p-values are fine enough for it)",
    )
    parser.add_argument(
        "--margin", type=float, metavar="SIZE", help="the smallest difference that matters"
    )
    add_level_option(parser)
    parser.add_argument(
        "--baseline",
        dest="more_baselines",
        action="append",
        default=[],
        metavar="RUN",
        help="name of a run to use as a further baseline; repeatable",
    )
    parser.add_argument(
        "--format", choices=sorted({*FORMATS, "latex", *GATE_FORMATS}), default="table"
    )
    add_gate_options(parser)


@command("compare", CompareOptions, help="test runs against a baseline run", arguments=_arguments)
def compare(options: CompareOptions) -> str | CommandResult:
    """A row for each run, baseline and measure, those of one measure and baseline corrected
    together; notes go to stderr. The table and Markdown have three decimals and no reasons, LaTeX
    is the table of a paper, the other formats have all in full. With gates it is their outcome."""
    if options.is_gate:
        _refuse_beside_gates(options)
        from metrics_core.commands.gate.gate_command import gated

        return gated(options)
    _refuse_what_gates_take(options)
    method = Method(options.test, options.correction, options.margin, options.level)
    files = judged_files(options)
    scores = score_runs(files.judged, files.measures, without_relevant=options.without_relevant)
    if len(scores.runs) < 2:
        raise nothing_to_compare(scores.runs[0])
    baselines = list(dict.fromkeys([scores.runs[0], *options.more_baselines]))
    against = [_against(scores, baselines[:place], own) for place, own in enumerate(baselines)]
    say_unused(options)
    if options.by:
        groups = groups_of(options.by, scores.query_ids, options)
        return _BRIDGES[options.format](_bridges(against, groups))
    parts = [
        compared(own, measure, own.runs[0], method=method)
        .iloc[1:]
        .assign(baseline=own.runs[0], measure=str(measure))
        for measure in scores.measures
        for own in against
    ]
    found = pd.concat(parts, ignore_index=True).assign(level=method.level)
    if options.format == "latex":
        return _latex(scores, found, baselines, method)
    return FORMATS[options.format](found.rename(columns=_COLUMNS)[list(_COLUMNS.values())])


def _refuse_beside_gates(options: CompareOptions) -> None:
    """Refuse choices of a comparison, which a gate does not have: its rule is one."""
    given = {
        "--by": options.by,
        "--test": options.test != BOOTSTRAP,
        "--correction": options.correction,
        "--margin": options.margin is not None,
        "--level": options.level != LEVEL,
        "--baseline": options.more_baselines,
    }
    named = next((name for name, value in given.items() if value), None)
    if named:
        raise RanklensError(
            f"{named} cannot be used with a gate: its rule is fixed.",
            "The margin is part of the gate. Leave the option out, or compare without a gate.",
        )


def _refuse_what_gates_take(options: CompareOptions) -> None:
    """Refuse what says nothing without a gate."""
    format = options.format if options.format not in {*FORMATS, "latex"} else ""
    given = {f"--format {options.format}": format, **options.of_gates_alone}
    named = next((name for name, value in given.items() if value), None)
    if named:
        raise RanklensError(f"{named} needs a gate.", "Add one, such as --gate 'nDCG@10 > -0.01'.")


def _against(scores: Scores, before: Sequence[str], baseline: str) -> Scores:
    """The scores of a baseline and of all that are compared with it: each pair once, so without the
    baselines before. Raises UnknownRunError."""
    scores.position(baseline)
    others = [run for run in scores.runs if run != baseline and run not in before]
    return scores.only([baseline, *others])


def _latex(scores: Scores, found: pd.DataFrame, baselines: Sequence[str], method: Method) -> str:
    beaten: dict[str, set[Pair]] = {str(measure): set() for measure in scores.measures}
    for row in found.to_dict("records"):
        if row["verdict"] in AHEAD:
            beaten[row["measure"]].add((row["run"], row["baseline"]))
        elif row["verdict"] in BEHIND:
            beaten[row["measure"]].add((row["baseline"], row["run"]))
    named = [lettered(baseline, scores.runs) for baseline in baselines]
    return paper_table(scores, beaten, _told(found, named, method))


def _told(found: pd.DataFrame, named: Sequence[str], method: Method) -> str:
    """How the letters of a table were found; `named` are the baselines."""
    tested = found[found["p"].notna()]
    if tested.empty:
        return NOTHING_TESTED
    most = int(tested.groupby(["baseline", "measure"]).size().max())
    correction = CORRECTIONS[method.corrected_by]
    corrected = "one comparison per measure, not corrected"
    if most > 1 and method.corrected_by == NO_CORRECTION:
        corrected = correction
    elif most > 1:
        of_each = "measure and baseline (at most " if len(named) > 1 else "measure ("
        corrected = f"corrected for all comparisons per {of_each}{w.number(most)}): {correction}"
    return (
        "Superscripts mark runs that a run significantly outperforms (significance level"
        f" {1 - method.level:.2g}); only pairs with {w.listing(named, 'or')} are compared; test:"
        f" {TESTS[method.test]}; {corrected}."
    )


def _bridges(against: Sequence[Scores], groups: pd.Series) -> pd.DataFrame:
    """What each group adds to the difference of each run and measure; the parts add up to it."""
    parts = [
        bridge(scores, measure, run, scores.runs[0], groups).assign(
            run=run, baseline=scores.runs[0], measure=str(measure)
        )
        for measure in against[0].measures
        for scores in against
        for run in scores.runs[1:]
    ]
    found = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    return found[["run", "baseline", "measure", "group", "n", "difference", "part"]]


def _shown_bridges(frame: pd.DataFrame) -> pd.DataFrame:
    """Bridges as people read them, each with its sum below."""
    rows = []
    for key, own in frame.groupby(["run", "baseline", "measure"], sort=False):
        whole, n = math.fsum(own["part"]), int(own["n"].sum())
        own = own.assign(part=w.parts_of(whole, own["part"].tolist()))
        sums = pd.DataFrame([{"group": "all", "n": n, "difference": whole, "part": whole}])
        for row in pd.concat([own, sums]).to_dict("records"):
            rows.append(
                dict(zip(("run", "baseline", "measure"), key, strict=True))
                | {"group": row["group"], "n": w.count(row["n"])}
                | {name: w.difference(row[name]) for name in ("difference", "part")}
            )
    return pd.DataFrame(rows, dtype=object)


def _interval(row: Mapping[str, Any]) -> tuple[tuple[float, float], str]:
    """The interval that was tested, and which it is where that is not the usual one."""
    low, high, own = interval_tested(row, row["level"])
    return (low, high), "" if own == row["level"] else f" ({w.share(own)})"


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """A comparison as people read it, as texts."""
    ends_of = [_interval(row) for row in frame.to_dict("records")]
    digits = w.column_decimals(*zip(*(ends for ends, _ in ends_of), strict=True)) if ends_of else 3
    rows = [
        {
            "run": row["run"],
            "baseline": row["baseline"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.count(row["n"]),
            "mean": w.score(row["mean"]),
            "difference": w.difference(row["difference"], digits),
            "interval": w.interval(*ends, digits) + note,
            "p": p_value(row["p_corrected"]),
            "won": w.count(row["won"]),
            "lost": w.count(row["lost"]),
            "same": w.count(row["same"]),
        }
        for row, (ends, note) in zip(frame.to_dict("records"), ends_of, strict=True)
    ]
    return pd.DataFrame(rows, dtype=object)


def table(frame: pd.DataFrame) -> str:
    """Aligned columns for a terminal."""
    return aligned(_shown(frame), _LABELS)


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table."""
    return piped(_shown(frame), _LABELS)


def _latex_of(texts: pd.DataFrame) -> str:
    return table_of_texts(list(texts.columns), texts.to_numpy().tolist(), _LABELS)


_BRIDGES: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: aligned(_shown_bridges(frame), _LABELS),
    "markdown": lambda frame: piped(_shown_bridges(frame), _LABELS),
    "latex": lambda frame: _latex_of(_shown_bridges(frame)),
    **IN_FULL,
}
FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": table,
    "markdown": markdown,
    **IN_FULL,
}
