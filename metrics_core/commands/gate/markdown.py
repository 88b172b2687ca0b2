"""Format the outcome of a gate for a pull request: a Markdown comment, and GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.base.version import __version__
from metrics_core.commands.gate.terminal import (
    MAX_SHOWN,
    changed_queries_title,
    format_bounds,
    format_change,
    format_margin,
    format_target,
)
from metrics_core.comparing.gates import (
    BELOW,
    CHANGED,
    NO_QUERY_LOST,
    NOT_WORSE,
    GateOutcome,
)
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import (
    correction_finding,
    count_outcomes_finding,
    describe_target,
    floor_finding,
    gate_finding,
    gate_title,
    overlap_finding,
)
from metrics_core.text_tables.score_tables import escape_markdown

FAILING, OPEN, FINE = "❌", "⚪", "✅"
_MANY_GATES = 10
"""If there are more gates than this, the passed gates are collapsed."""
_MAX_QUERY_LENGTH = 120
_MAX_COMMENT_LENGTH = 64_000
"""Maximum number of characters of a comment. GitHub refuses more than 65,536, so some characters
are left for surrounding text."""
_TRUNCATED_NOTE = (
    "**Truncated: a comment can have at most 65,536 characters. The table, JUnit and JSON reports"
    " are complete.**"
)
_JOINER = "\u2060"
_CALLS = re.compile(r"(?<![^\W_])([@#])(?=\w)")
"""Pattern of text that GitHub would turn into a mention or a reference, which notifies people."""


def format_markdown(report: GateReport) -> str:
    """Format the report as a comment for a pull request.

    The comment contains the verdict, a table if there are several gates, the queries that broke,
    and the fingerprints of the files."""
    parts = [f"## {format_heading(report)}", f"{_headline(report)}{_reason_of_only_gate(report)}"]
    parts += [f"⚠️ {_escape_text(unanswered.sentence)}" for unanswered in report.unanswered]
    parts += [_escape_text(sentence) for sentence in report.changes]
    if len(report.outcomes) > 1:
        parts += [*_gate_tables(report), _escape_text(correction_finding(report.n_comparisons))]
        parts += [
            f"{_escape_text(_gate_label(outcome, report))}: {_escape_text(gate_finding(outcome))}"
            for outcome in report.outcomes
            if outcome.outcome == CANNOT_TELL
        ]
    if len(report.words) > 1:
        others = [(f.outcome, floor_finding(f)) for f in report.floors]
        others += [(o.outcome, overlap_finding(o)) for o in report.overlaps]
        marks = {BELOW: FAILING, CANNOT_TELL: OPEN}
        parts += [f"{marks.get(word, FINE)} {_escape_text(text)}" for word, text in others]
    parts += map(_escape_text, report.inconclusive_note)
    for broken in (broken_queries for broken_queries in report.broken if broken_queries.rows):
        parts += _broken_queries_section(broken, is_collapsed=len(report.broken) > 1)
    for overlap in report.overlaps:
        parts += _changed_queries_section(overlap)
    parts += [_escape_text(sentence) for sentence in (*report.below_best, *report.baseline_notes)]
    text, footer = "\n\n".join(part for part in parts if part), _footer(report)
    return f"{_truncate(text, _MAX_COMMENT_LENGTH - len(footer))}\n\n{footer}\n"


def _truncate(text: str, max_length: int) -> str:
    """Truncate a text to `max_length` characters, at the end of a line, and append a note."""
    if len(text) <= max_length:
        return text
    truncated = text[:max_length].rpartition("\n")[0] or text[:max_length]
    if truncated.count("<details>") > truncated.count("</details>"):
        truncated += "\n\n</details>"
    return f"{truncated}\n\n{_TRUNCATED_NOTE}"


def format_heading(report: GateReport) -> str:
    """Return the heading: a symbol for failed, inconclusive or passed, followed by the worst
    outcome."""
    failed = [gate_title(outcome) for outcome in report.outcomes if outcome.outcome == WORSE_RUN]
    failed += [floor_finding(outcome) for outcome in report.floors if outcome.outcome == BELOW]
    failed += [overlap_finding(outcome) for outcome in report.overlaps if outcome.outcome == BELOW]
    if failed:
        return f"{FAILING} {_escape_text(failed[0])}"
    if report.status == CHANGED:
        return (
            f"{OPEN} Some scores cannot be compared, because judgments, queries or measures changed"
        )
    first = [gate_title(outcome) for outcome in report.outcomes]  # worst first
    unclear = [
        floor_finding(outcome) for outcome in report.floors if outcome.outcome == CANNOT_TELL
    ]
    other_titles = [*map(floor_finding, report.floors), *map(overlap_finding, report.overlaps)]
    mark = OPEN if CANNOT_TELL in report.words else FINE
    titles = (
        first if not unclear or CANNOT_TELL in [o.outcome for o in report.outcomes] else unclear
    )
    return f"{mark} {_escape_text((titles or other_titles)[0])}"


def _headline(report: GateReport) -> str:
    runs = w.join_words(f"**{_escape_text(run)}**" for run in report.runs)
    label = f" ({_escape_text(report.label)})" if report.label else ""
    queries = w.plural(report.queries, "query", "queries")
    return (
        f"{runs} against **{_escape_text(report.baseline)}**{label},"
        f" {w.format_count(report.queries)} {queries}:"
        f" {count_outcomes_finding(report.words, len(report.uncompared))}."
    )


def _reason_of_only_gate(report: GateReport) -> str:
    """Return the reason for the outcome if there is only one gate.

    Returns "" if there are several gates, because their reasons are in a table."""
    return f" {_escape_text(gate_finding(report.outcomes[0]))}" if len(report.outcomes) == 1 else ""


def _gate_label(outcome: GateOutcome, report: GateReport) -> str:
    of_run = f"{outcome.run}, " if len(report.runs) > 1 else ""
    return f"{of_run}{describe_target(outcome.gate)}"


def _gate_tables(report: GateReport) -> list[str]:
    """Return the tables of the gates, worst first. If there are many gates, the passed gates are
    collapsed."""
    if len(report.outcomes) <= _MANY_GATES:
        return [_gate_table(report, report.outcomes)]
    passed_outcomes = [outcome for outcome in report.outcomes if outcome.outcome == NOT_WORSE]
    other_outcomes = [outcome for outcome in report.outcomes if outcome.outcome != NOT_WORSE]
    parts = [_gate_table(report, other_outcomes)] if other_outcomes else []
    if passed_outcomes:
        gates = w.plural(len(passed_outcomes), "gate")
        summary = f"<summary>{len(passed_outcomes)} {gates} passed</summary>"
        parts.append(f"<details>{summary}\n\n{_gate_table(report, passed_outcomes)}\n\n</details>")
    return parts


def _gate_table(report: GateReport, outcomes: Sequence[GateOutcome]) -> str:
    holds = ", all gates" if report.n_comparisons > 1 else ""
    head = ["Result", "Run", "Measure", "Queries", "n", "Margin", f"Difference [95%{holds}]"]
    rows = [
        [
            _format_outcome(outcome.outcome),
            _escape_text(outcome.run),
            _escape_text(format_target(outcome.gate)),
            _escape_text(outcome.gate.slice.group or "all"),
            w.format_count(outcome.queries),
            format_margin(outcome.gate),
            _format_difference(outcome),
        ]
        for outcome in outcomes
    ]
    if len(report.runs) == 1:
        head, *rows = [[row[0], *row[2:]] for row in (head, *rows)]
    return _markdown_table([head, *rows], 3)


def _format_difference(outcome: GateOutcome) -> str:
    """Format a difference with its interval.

    An undefined interval is written in brackets, because a dash beside a number would look like a
    minus sign."""
    interval = format_bounds(outcome, outcome.low, outcome.high)
    between = f"[{w.DASH}]" if interval == w.DASH else interval
    return f"**{format_change(outcome)}** {between}"


def _format_outcome(outcome: str) -> str:
    mark = {WORSE_RUN: FAILING, NOT_WORSE: FINE}.get(outcome, OPEN)
    unbroken = outcome.replace(" ", w.NO_BREAK)
    return f"{mark} **{unbroken}**" if mark == FAILING else f"{mark}{w.NO_BREAK}{unbroken}"


def _markdown_table(rows: Sequence[Sequence[str]], n_number_columns: int) -> str:
    """Return a Markdown table, with the header in the first row. Its last `n_number_columns`
    columns are right-aligned."""
    width = len(rows[0])
    rule = ["---" if i < width - n_number_columns else "---:" for i in range(width)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]])


def _broken_queries_section(broken: BrokenQueries, *, is_collapsed: bool) -> list[str]:
    """Return the section on the broken queries of a gate.

    If `is_collapsed` is true and the outcome of the gate is inconclusive, the section is
    collapsed."""
    baseline, run = broken.outcome.baseline, broken.outcome.run
    rows = [["Query", "Now", f"{_escape_text(baseline)} → {_escape_text(run)}", "Difference"]]
    for row in broken.rows:
        text = _escape_text(_shorten(row.text))
        rows.append(
            [
                f"{text} {_format_code(row.query_id)}".strip(),
                _escape_text(row.kind or w.DASH),
                f"{w.format_score(row.baseline_score)} → {w.format_score(row.score)}",
                w.format_difference(row.score - row.baseline_score),
            ]
        )
    title, parts = _escape_text(broken.title), [_markdown_table(rows, 2)]
    if broken.command:
        parts.append(f"Explain the worst query: {_format_code(broken.command)}")
    if is_collapsed and broken.outcome.outcome == CANNOT_TELL:
        return [f"<details><summary>{title}</summary>", *parts, "</details>"]
    return [f"**{title}**", *parts]


def _changed_queries_section(outcome: OverlapOutcome) -> list[str]:
    if not outcome.n_changed:
        return []
    rows = [["Query", "Kept", "RBO"]]
    rows += [
        [_format_code(q), w.format_share(s), w.format_score(r)]
        for q, s, r in outcome.most_changed_queries(MAX_SHOWN)
    ]
    return [f"**{_escape_text(changed_queries_title(outcome))}**", _markdown_table(rows, 2)]


def _footer(report: GateReport) -> str:
    files = [f"{kind} {_escape_text(name)} {mark}" for kind, name, mark in report.files]
    return f"<sub>{' · '.join([*files, f'Ranklens {__version__}'])}</sub>"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUERY_LENGTH else f"{text[:_MAX_QUERY_LENGTH]}…"


def _escape_text(text: str) -> str:
    """Escape text for Markdown, so that it contains no mentions or references."""
    return _CALLS.sub(rf"\1{_JOINER}", escape_markdown(text))


def _format_code(text: str) -> str:
    """Format text as code that can also be used in tables. Text with characters that end code is
    formatted as plain text instead."""
    visible_text = w.escape_controls(text)
    return _escape_text(text) if "`" in visible_text or "|" in visible_text else f"`{visible_text}`"


def format_github(report: GateReport) -> str:
    """Format one GitHub annotation for each outcome, written as a workflow command."""
    level = {WORSE_RUN: "error", BELOW: "error"} | dict.fromkeys(
        (CANNOT_TELL, NO_QUERY_LOST), "warning"
    )
    if report.fail_unclear:
        level[CANNOT_TELL] = "error"
    changed = "notice" if report.allow_changed else "error"
    lines = [
        _format_annotation("warning", "Queries without results", unanswered.sentence)
        for unanswered in report.unanswered
    ]
    lines += [
        _format_annotation(changed, "Changed since the snapshot", text) for text in report.changes
    ]
    has_several_runs = len(report.runs) > 1
    listed = {id(broken.outcome): f" {broken.sentence}" for broken in report.broken if broken.rows}
    annotations = [
        (o.effective_outcome, o.run, gate_title(o), gate_finding(o) + listed.get(id(o), ""))
        for o in report.outcomes
    ]
    annotations += [(f.outcome, f.run, "Floor", floor_finding(f)) for f in report.floors]
    annotations += [(o.outcome, o.run, "Overlap", overlap_finding(o)) for o in report.overlaps]
    for outcome, run, title, sentence in annotations:
        full_title = f"{run}: {title}" if has_several_runs else title
        lines.append(_format_annotation(level.get(outcome, "notice"), full_title, sentence))
    return "".join(f"{line}\n" for line in lines)


def _format_annotation(level: str, title: str, text: str) -> str:
    message = w.escape_controls(text).replace("%", "%25")
    escaped_title = (
        w.escape_controls(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    )
    return f"::{level} title={escaped_title}::{message}"
