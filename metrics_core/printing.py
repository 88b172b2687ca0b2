"""Score frames as text: for people, for programs, for papers. One function a format."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd

from metrics_core import wording as w


def table(frame: pd.DataFrame) -> str:
    """Aligned columns for a terminal; a measure a column, three decimals."""
    wide = _wide(frame)
    cells = [list(wide.columns), *[[_short(v) for v in row] for row in wide.to_numpy().tolist()]]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(cells[0]))]
    labels = _n_labels(frame)
    lines = []
    for row in cells:
        parts = [
            str(cell).ljust(width) if i < labels else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def tsv(frame: pd.DataFrame) -> str:
    """One value a line, tab separated, with a header; values in full precision (repr)."""
    return _separated(frame, "\t")


def csv(frame: pd.DataFrame) -> str:
    """As `tsv`, comma separated and quoted where needed."""
    text: str = frame.assign(value=[repr(v) for v in frame["value"]]).to_csv(
        index=False, lineterminator="\n"
    )
    return text


def json_text(frame: pd.DataFrame) -> str:
    """A list of objects, one a value; an undefined value is null."""
    records = [
        {key: (None if value != value else value) for key, value in record.items()}
        for record in frame.to_dict("records")
    ]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table; a measure a column, three decimals."""
    wide = _wide(frame)
    labels = _n_labels(frame)
    head = [_escape_markdown(str(c)) for c in wide.columns]
    rule = ["---" if i < labels else "---:" for i in range(len(head))]
    rows = [[_escape_markdown(_short(value)) for value in row] for row in wide.to_numpy().tolist()]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *rows])


def latex(frame: pd.DataFrame) -> str:
    """A LaTeX tabular; a measure a column, three decimals, the best mean of a column in bold."""
    wide = _wide(frame)
    labels = _n_labels(frame)
    best = {c: wide[c].max() for c in wide.columns[labels:] if len(wide) > 1}
    lines = [f"\\begin{{tabular}}{{{'l' * labels}{'r' * (len(wide.columns) - labels)}}}", "\\hline"]
    lines += [" & ".join(_escape_latex(str(c)) for c in wide.columns) + r" \\", "\\hline"]
    for row in wide.to_dict("records"):
        cells = []
        for column, value in row.items():
            text = _escape_latex(_short(value))
            cells.append(f"\\textbf{{{text}}}" if best.get(column) == value else text)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, "\\hline", "\\end{tabular}"]) + "\n"


PRINTERS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": table,
    "tsv": tsv,
    "csv": csv,
    "json": json_text,
    "markdown": markdown,
    "latex": latex,
}


def _n_labels(frame: pd.DataFrame) -> int:
    return len(frame.columns) - 2


def _wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels, then a column for each measure, both in the order of the frame."""
    labels = [c for c in frame.columns if c not in ("measure", "value")]
    measures = list(dict.fromkeys(frame["measure"]))
    order = frame[labels].drop_duplicates()
    wide = frame.pivot(index=labels, columns="measure", values="value")[measures]
    return order.merge(wide.reset_index(), on=labels, how="left")


def _short(value: object) -> str:
    if isinstance(value, float):
        # Counts (NumQ, NumRet, …) are whole numbers; a score never exceeds 1 and is whole.
        return w.count(value) if value > 1 and value.is_integer() else w.score(value)
    return str(value)


def _separated(frame: pd.DataFrame, separator: str) -> str:
    lines = [separator.join(frame.columns)]
    for row in frame.to_numpy().tolist():
        cells = [repr(v) if isinstance(v, float) else str(v) for v in row]
        lines.append(separator.join(c.replace("\t", " ").replace("\n", " ") for c in cells))
    return "\n".join(lines) + "\n"


def _escape_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _escape_latex(text: str) -> str:
    escaped = text.replace("\\", r"\textbackslash ")
    for character in "&%$#_{}":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped.replace(w.MINUS, "$-$").replace(w.DASH, "--")
