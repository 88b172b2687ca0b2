"""The parts of the Data page: what was read, what was noticed, what could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.blocks import markup as m
from metrics_core import wording as w
from metrics_core.checks.fit import FitLine
from metrics_core.errors import FileFormatError, LineProblem, RanklensError
from metrics_core.notes import Note

Row = Mapping[str, Any]

PREVIEW_ROWS = 5
_SHORT_FILE_NAME = 20


def error_card(error: RanklensError) -> str:
    """What is wrong with a file, what was expected, and how to mend it; never a stack trace."""
    if not isinstance(error, FileFormatError):
        mend = _entry("to mend", m.with_code(error.hint)) if error.hint else ""
        return _card(m.with_code(error.message), mend)
    first = error.problems[0]
    where = f"line {w.count(first.line)}: " if first.line is not None else ""
    title = (
        f"{m.isolated(error.file)} was not loaded: "
        f"{where}expected {m.with_code(first.expected)}, found {m.with_code(first.found)}"
    )
    found = f"<code>{m.isolated(first.text)}</code>" if first.text else m.with_code(first.found)
    entries = _entry("found", found) + _entry("expected", m.with_code(first.expected))
    mend = m.with_code(error.hint)
    if error.offer and error.offer not in error.hint:
        mend += f" It can be read with <code>{m.escaped(error.offer)}</code>."
    if mend:
        entries += _entry("to mend", mend)
    return _card(title, entries, _further(error))


def _card(title: str, entries: str, further: str = "") -> str:
    listed = f"<dl>{entries}</dl>" if entries else ""
    return f'<div class="lens error-card" role="alert"><h3>{title}</h3>{listed}{further}</div>'


def _entry(name: str, markup: str) -> str:
    return f"<div><dt>{name}</dt><dd>{markup}</dd></div>"


def _further(error: FileFormatError) -> str:
    """The other places, folded, and the ones that are only counted."""
    rest = error.problems[1:]
    if not rest:
        return ""
    more = error.count - 1
    noun = w.plural(more, "line") if rest[0].line is not None else w.plural(more, "place")
    items = "".join(f"<li>{_place(problem, error.problems[0])}</li>" for problem in rest)
    beyond = error.count - len(error.problems)
    if beyond:
        items += f"<li>{w.count(beyond)} further ones, not listed</li>"
    return f"<details><summary>and {w.count(more)} more {noun}</summary><ol>{items}</ol></details>"


def _place(problem: LineProblem, first: LineProblem) -> str:
    where = f"line {w.count(problem.line)}: " if problem.line is not None else ""
    found = f"<code>{m.isolated(problem.text)}</code>" if problem.text else ""
    said = f"found {m.with_code(problem.found)}"
    if problem.expected != first.expected:
        said = f"expected {m.with_code(problem.expected)}, {said}"
    return f"{where}{said} {found}"


_NO_REMARKS = '<span class="better">no remarks</span>'
_FILE_HEADS = (
    ("file", "File"),
    ("holds", "Holds"),
    ("read-as", "Read as"),
    ("number", "Rows"),
    ("number", "Queries"),
)


def file_table(rows: Sequence[Row], cutoff: int = 10) -> str:
    """Every loaded file. A row has file, kind, read_as, rows, queries (None where it has none),
    judged (share of the top `cutoff`, or None), notes, style (of a run, or None), is_baseline."""
    heads = [*_FILE_HEADS, ("number judged", f"Top {w.count(cutoff)} judged"), ("notes", "Notes")]
    head = "".join(m.column_head(name, kind) for kind, name in heads)
    body = "".join(_file_row(row) for row in rows)
    return f'<div class="lens files">{m.blocks("Files", head, body)}</div>'


def _file_row(row: Row) -> str:
    style = row.get("style")
    marker = m.dot(style) if style else ""
    numbers = [
        ("rows", "number", w.count(row.get("rows"))),
        ("queries", "number", w.count(row.get("queries"))),
        ("judged", "number judged", w.share(row.get("judged"))),
    ]
    length = m.length(row["file"], _SHORT_FILE_NAME)
    cells = [
        m.row_head(
            f'<span class="run {length}">{marker}<span>{m.isolated(row["file"])}</span></span>',
            "file",
        ),
        m.cell(m.escaped(row["kind"]), "holds"),
        m.cell(m.escaped(row["read_as"]), "read-as"),
        *(
            m.cell(f'<span class="word">{word} </span>{value}', kind)
            for word, kind, value in numbers
        ),
        m.cell(_notes(row["notes"], bool(row.get("is_baseline"))), "notes"),
    ]
    return f'<tr role="row">{"".join(cells)}</tr>'


def _notes(notes: Sequence[Note], is_baseline: bool) -> str:
    if not notes:
        return '<span class="muted">baseline</span>' if is_baseline else _NO_REMARKS
    parts = []
    for note in notes:
        hint = f' title="{m.escaped("; ".join(note.examples))}"' if note.examples else ""
        loud = " loud" if note.loud else ""
        parts.append(f'<li class="warning{loud}"{hint}>{m.with_code(note.message)}</li>')
    return f"<ul>{''.join(parts)}</ul>"


def fit_table(lines: Sequence[FitLine]) -> str:
    """Whether the files belong together; `lines` are those of `fit_report`."""
    body = "".join(
        f'<tr><th scope="row">{m.escaped(line.label)}</th>'
        f'<td class="number"><b>{m.escaped(line.value)}</b></td>'
        f'<td class="{"better" if line.ok else "warning"}">{m.escaped(line.remark)}</td></tr>'
        for line in lines
    )
    label = "Do the files fit together?"
    return f'<div class="lens fit"><table aria-label="{label}"><tbody>{body}</tbody></table></div>'


_STEPS = (
    (
        "Judgments",
        "Which documents answer which query, and how well.",
        "query  0  document  grade\nq001   0  HC-0118   3\nq001   0  HC-0402   0",
    ),
    (
        "Runs, two or more",
        "What each system returned, best first.",
        "query Q0 document rank score name\n"
        "q001  Q0 HC-0118  1    14.2  bm25\n"
        "q001  Q0 HC-0121  2    13.9  bm25",
    ),
    (
        "Queries and documents, if you have them",
        "Texts and groups make single failures readable.",
        "id,text,category,difficulty\n"
        "q001,charged twice,Billing,medium\n"
        "q002,reset sensor,Devices,easy",
    ),
)


def first_run_steps() -> str:
    """What to load, in three steps with a sample of each file."""
    items = "".join(
        f"<li><h2>{title}</h2><p>{text}</p>"
        f'<pre tabindex="0" aria-label="Sample: {title}">{sample}</pre></li>'
        for title, text, sample in _STEPS
    )
    return f'<ol class="lens steps">{items}</ol>'


def preview(kind: str, rows: pd.DataFrame) -> str:
    """The first rows of a file as a small table; `kind` says what the file holds."""
    columns = list(rows.columns)
    head = "".join(f'<th scope="col">{m.escaped(column)}</th>' for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{_value(value)}</td>' for value in values)}</tr>"
        for values in rows.head(PREVIEW_ROWS).itertuples(index=False, name=None)
    )
    label = f"First rows: {m.escaped(kind)}"
    return (
        f'<div class="lens preview" role="region" tabindex="0" aria-label="{label}">'
        f"<table><caption>{label}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _value(value: object) -> str:
    if value is None or value is pd.NA or value != value:
        return w.DASH
    return m.isolated(value)
