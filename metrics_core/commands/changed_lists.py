"""`metrics_core compare none`: compare the results of runs without judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.commands.reading_options import refuse_options
from metrics_core.explaining.list_changes import (
    find_changes_of_runs,
    find_list_changes,
    summarise_changes,
)
from metrics_core.findings.list_changes import list_changes_finding
from metrics_core.tables import Run
from metrics_core.text_tables.latex import format_tabular
from metrics_core.text_tables.score_tables import FULL_FORMATS, align_texts, markdown_table

NO_JUDGMENTS = "none"
"""Value of the argument QRELS for a comparison without judgments."""
LIST_COLUMNS = ("overlap", "rbo")
"""The columns that `--show` adds to a comparison of scores."""
_LABELS = 2


def describe_changed_lists(runs: Sequence[Run], top: int, level: float, format: str) -> str:
    """Return a table on how the first `top` results of each run differ from the results of the
    first run. The table has one row per run. In the formats table and Markdown, sentences precede
    it.

    Raises RanklensError if there is only one run."""
    changes = find_changes_of_runs(runs, runs[0], top)
    frame = summarise_changes(changes, level)
    if format in FULL_FORMATS:
        return FULL_FORMATS[format](frame)
    texts = pd.DataFrame([_format_row(row) for row in frame.to_dict("records")])
    if format == "latex":
        return format_tabular(list(texts.columns), texts.to_numpy().tolist(), _LABELS)
    findings = map(list_changes_finding, changes)
    sentences = [f"{finding.title.text}. {finding.lead.text}" for finding in findings]
    draw = markdown_table if format == "markdown" else align_texts
    return "\n".join([*sentences, "", draw(texts, _LABELS)])


def refuse_options_needing_judgments(options: Mapping[str, object]) -> None:
    """Raise RanklensError if an option that needs judgments is set on a command line without
    judgments. `options` are the values of these options by name."""
    hint = f"Replace {NO_JUDGMENTS!r} with a file of judgments."
    refuse_options(options, "{} needs judgments.", hint)


def list_change_columns(
    comparison: pd.DataFrame, runs: Sequence[Run], names: Sequence[str], top: int
) -> dict[str, list[float]]:
    """Return the values of the columns with these names, one value for each row of a comparison.

    The available columns are the mean overlap and the mean rank-biased overlap of the run's lists
    with the baseline's lists. Raises RanklensError for an unknown name."""
    unknown = next((name for name in names if name not in LIST_COLUMNS), None)
    if unknown:
        raise RanklensError(
            f"--show has no column {unknown!r}.", f"Available: {', '.join(LIST_COLUMNS)}."
        )
    by_name = {run.name: run for run in runs}
    pairs = list(zip(comparison["run"], comparison["baseline"], strict=True)) if names else []
    changes = {
        (run, baseline): find_list_changes(by_name[run], by_name[baseline], top)
        for run, baseline in dict.fromkeys(pairs)
    }
    return {name: [float(getattr(changes[pair], name).mean()) for pair in pairs] for name in names}


def _format_row(row: dict[str, Any]) -> dict[str, str]:
    counts = ("changed", "none_kept", "same_first", "new_documents")
    return {
        "run": row["run"],
        "baseline": row["baseline"],
        "queries": w.format_count(row["queries"]),
        "kept": f"{row['kept']:.1f} of {row['k']}",
        "interval": w.format_interval(row["low"], row["high"], 1),
        **{name.replace("_", " "): w.format_count(row[name]) for name in counts},
        "first change": w.format_grade(row["first_change"]),
        "RBO": w.format_score(row["rbo"]),
    }
