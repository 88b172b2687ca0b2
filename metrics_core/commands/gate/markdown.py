"""The outcome of a gate on a pull request: a comment in Markdown, and GitHub's annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.base.version import __version__
from metrics_core.commands.gate.terminal import (
    MOST_SHOWN,
    digits_of,
    margin_of,
    title_of_changed,
)
from metrics_core.commands.score_tables import in_markdown
from metrics_core.comparing.gates import (
    BELOW,
    CHANGED,
    NO_QUERY_LOST,
    NOT_WORSE,
    FloorOutcome,
    GateOutcome,
)
from metrics_core.comparing.verdicts import CANNOT_TELL, WORSE_RUN
from metrics_core.explaining.overlap import OverlapOutcome
from metrics_core.findings.gate_queries import BrokenQueries
from metrics_core.findings.gate_report import GateReport
from metrics_core.findings.gates import (
    about,
    correction_finding,
    counted_finding,
    floor_finding,
    gate_finding,
    gate_title,
    overlap_finding,
)

FAILING, OPEN, FINE = "❌", "⚪", "✅"
_MANY = 10
"""From so many gates on those that passed are folded."""
_LONGEST = 120
_MOST = 64_000
"""GitHub refuses a comment of more than 65,536 characters; room is left for what stands around."""
_CUT = (
    "**Truncated: a comment can have at most 65,536 characters. The table, JUnit and JSON reports"
    " are complete.**"
)
_JOINER = "\u2060"
_CALLS = re.compile(r"(?<![^\W_])([@#])(?=\w)")
"""What GitHub takes for a person or an issue, and tells them."""


def markdown(report: GateReport) -> str:
    """A comment on a pull request: the verdict, a table of gates where there are several, the
    queries that broke, and the fingerprints of the files."""
    parts = [f"## {heading(report)}", f"{_sides(report)}{_why_of_one(report)}"]
    parts += [f"⚠️ {_text(one.sentence)}" for one in report.unanswered]
    parts += [_text(sentence) for sentence in report.changes]
    if len(report.outcomes) > 1:
        parts += [*_tables(report), _text(correction_finding(report.tested))]
        parts += [
            f"{_text(_what(found, report))}: {_text(gate_finding(found))}"
            for found in report.outcomes
            if found.outcome == CANNOT_TELL
        ]
    several = len(report.words) > 1
    parts += [_floor(found) for found in report.floors if several]
    parts += [_overlap(found) for found in report.overlaps if several]
    parts += map(_text, report.unclear)
    for broken in (own for own in report.broken if own.rows):
        parts += _broken(broken, folded=len(report.broken) > 1)
    for overlap in report.overlaps:
        parts += _changed(overlap)
    parts += [_text(sentence) for sentence in (*report.below_best, *report.kept)]
    text, footer = "\n\n".join(part for part in parts if part), _footer(report)
    return f"{_fitted(text, _MOST - len(footer))}\n\n{footer}\n"


def _fitted(text: str, most: int) -> str:
    """A text of `most` characters at most, cut at the end of a line, which is said below it."""
    if len(text) <= most:
        return text
    kept = text[:most].rpartition("\n")[0] or text[:most]
    if kept.count("<details>") > kept.count("</details>"):
        kept += "\n\n</details>"
    return f"{kept}\n\n{_CUT}"


def heading(report: GateReport) -> str:
    """The worst that was found, with its mark."""
    failed = [gate_title(found) for found in report.outcomes if found.outcome == WORSE_RUN]
    failed += [floor_finding(found) for found in report.floors if found.outcome == BELOW]
    failed += [overlap_finding(found) for found in report.overlaps if found.outcome == BELOW]
    if failed:
        return f"{FAILING} {_text(failed[0])}"
    if report.status == CHANGED:
        return f"{OPEN} Some scores cannot be compared: judgments, queries or measures changed"
    first = [gate_title(found) for found in report.outcomes]  # the worst first
    unclear = [floor_finding(found) for found in report.floors if found.outcome == CANNOT_TELL]
    others = [*map(floor_finding, report.floors), *map(overlap_finding, report.overlaps)]
    mark = OPEN if CANNOT_TELL in report.words else FINE
    told = first if not unclear or CANNOT_TELL in [o.outcome for o in report.outcomes] else unclear
    return f"{mark} {_text((told or others)[0])}"


def _sides(report: GateReport) -> str:
    runs = w.listing(f"**{_text(run)}**" for run in report.runs)
    label = f" ({_text(report.label)})" if report.label else ""
    queries = w.plural(report.queries, "query", "queries")
    return (
        f"{runs} against **{_text(report.baseline)}**{label}, {w.count(report.queries)} {queries}:"
        f" {counted_finding(report.words, len(report.uncompared))}."
    )


def _why_of_one(report: GateReport) -> str:
    """Why the only gate came to its outcome; several have a table."""
    return f" {_text(gate_finding(report.outcomes[0]))}" if len(report.outcomes) == 1 else ""


def _what(found: GateOutcome, report: GateReport) -> str:
    of_run = f"{found.run}, " if len(report.runs) > 1 else ""
    return f"{of_run}{about(found.gate)}"


def _tables(report: GateReport) -> list[str]:
    """The gates, the worst first; of many those that passed are folded."""
    if len(report.outcomes) <= _MANY:
        return [_table(report, report.outcomes)]
    passed = [found for found in report.outcomes if found.outcome == NOT_WORSE]
    others = [found for found in report.outcomes if found.outcome != NOT_WORSE]
    shown = [_table(report, others)] if others else []
    if passed:
        gates = w.plural(len(passed), "gate")
        summary = f"<summary>{len(passed)} {gates} passed</summary>"
        shown.append(f"<details>{summary}\n\n{_table(report, passed)}\n\n</details>")
    return shown


def _table(report: GateReport, outcomes: Sequence[GateOutcome]) -> str:
    holds = ", all gates" if report.tested > 1 else ""
    head = ["Result", "Run", "Measure", "Queries", "n", "Margin", f"Difference [95 %{holds}]"]
    rows = [
        [
            _marked(found.outcome),
            _text(found.run),
            _text(str(found.gate.measure)),
            _text(found.gate.slice.group or "all"),
            w.count(found.queries),
            margin_of(found.gate),
            _difference(found),
        ]
        for found in outcomes
    ]
    if len(report.runs) == 1:
        head, *rows = [[row[0], *row[2:]] for row in (head, *rows)]
    return _piped([head, *rows], 3)


def _difference(found: GateOutcome) -> str:
    """A difference with its interval; a dash beside a number would look like a minus."""
    digits = digits_of(found)
    interval = w.interval(found.low, found.high, digits)
    between = f"[{w.DASH}]" if interval == w.DASH else interval
    return f"**{w.difference(found.difference, digits)}** {between}"


def _marked(outcome: str) -> str:
    mark = {WORSE_RUN: FAILING, NOT_WORSE: FINE}.get(outcome, OPEN)
    unbroken = outcome.replace(" ", w.NO_BREAK)
    return f"{mark} **{unbroken}**" if mark == FAILING else f"{mark}{w.NO_BREAK}{unbroken}"


def _piped(rows: Sequence[Sequence[str]], numbers: int) -> str:
    """A table of Markdown whose last columns are numbers."""
    width = len(rows[0])
    rule = ["---" if i < width - numbers else "---:" for i in range(width)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]])


def _floor(found: FloorOutcome) -> str:
    mark = {BELOW: FAILING, CANNOT_TELL: OPEN}.get(found.outcome, FINE)
    return f"{mark} {_text(floor_finding(found))}"


def _overlap(found: OverlapOutcome) -> str:
    return f"{FAILING if found.outcome == BELOW else FINE} {_text(overlap_finding(found))}"


def _broken(broken: BrokenQueries, *, folded: bool) -> list[str]:
    """The queries of a gate; of several gates those that cannot be told are `folded`."""
    baseline, run = broken.found.baseline, broken.found.run
    rows = [["Query", "Now", f"{_text(baseline)} → {_text(run)}", "Difference"]]
    for row in broken.rows:
        text = _text(_shortened(row.text))
        rows.append(
            [
                f"{text} {_code(row.query_id)}".strip(),
                _text(row.kind),
                f"{w.score(row.baseline_score)} → {w.score(row.score)}",
                w.difference(row.score - row.baseline_score),
            ]
        )
    title, shown = _text(broken.title), [_piped(rows, 2)]
    if broken.command:
        shown.append(f"Explain the worst query: {_code(broken.command)}")
    if folded and broken.found.outcome == CANNOT_TELL:
        return [f"<details><summary>{title}</summary>", *shown, "</details>"]
    return [f"**{title}**", *shown]


def _changed(found: OverlapOutcome) -> list[str]:
    if not found.changed:
        return []
    rows = [["Query", "Kept", "RBO"]]
    rows += [[_code(q), w.share(s), w.score(r)] for q, s, r in found.most_changed(MOST_SHOWN)]
    return [f"**{_text(title_of_changed(found))}**", _piped(rows, 2)]


def _footer(report: GateReport) -> str:
    files = [f"{what} {_text(name)} {mark}" for what, name, mark in report.files]
    return f"<sub>{' · '.join([*files, f'Ranklens {__version__}'])}</sub>"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _text(text: str) -> str:
    """A text letter for letter, that calls nobody."""
    return _CALLS.sub(rf"\1{_JOINER}", in_markdown(text))


def _code(text: str) -> str:
    """A text as code, also inside of a table; as a plain text where it holds what ends code."""
    plain = w.visible(text)
    return _text(text) if "`" in plain or "|" in plain else f"`{plain}`"


def github(report: GateReport) -> str:
    """Annotations, as workflow commands: a line for each outcome."""
    level = {WORSE_RUN: "error", BELOW: "error"} | dict.fromkeys(
        (CANNOT_TELL, NO_QUERY_LOST), "warning"
    )
    if report.fail_unclear:
        level[CANNOT_TELL] = "error"
    changed = "notice" if report.allow_changed else "error"
    lines = [
        _annotation("warning", "Queries without results", one.sentence) for one in report.unanswered
    ]
    lines += [_annotation(changed, "Changed since the snapshot", text) for text in report.changes]
    several = len(report.runs) > 1
    listed = {id(broken.found): f" {broken.sentence}" for broken in report.broken if broken.rows}
    told = [
        (o.counts_as, o.run, gate_title(o), gate_finding(o) + listed.get(id(o), ""))
        for o in report.outcomes
    ]
    told += [(f.outcome, f.run, "Floor", floor_finding(f)) for f in report.floors]
    told += [(o.outcome, o.run, "Overlap", overlap_finding(o)) for o in report.overlaps]
    for outcome, run, title, sentence in told:
        named = f"{run}: {title}" if several else title
        lines.append(_annotation(level.get(outcome, "notice"), named, sentence))
    return "".join(f"{line}\n" for line in lines)


def _annotation(level: str, title: str, text: str) -> str:
    message = w.visible(text).replace("%", "%25")
    named = w.visible(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={named}::{message}"
