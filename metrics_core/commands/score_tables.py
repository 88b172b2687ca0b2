"""Score frames as text: for people, for programs, for papers. One function a format."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd

from metrics_core import wording as w
from metrics_core.formats import spreadsheet_csv
from metrics_core.measures import parse_measure


def table(frame: pd.DataFrame) -> str:
    """Aligned columns for a terminal; a measure a column, three decimals."""
    return aligned(_shown(frame), _n_labels(frame))


def aligned(texts: pd.DataFrame, labels: int) -> str:
    """A frame of texts in aligned columns, so many of them labels and the others numbers."""
    cells = [list(texts.columns), *texts.to_numpy().tolist()]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(cells[0]))]
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
    """As `tsv`, comma separated, for spreadsheets: no name acts as a formula, an undefined value is
    empty."""
    return spreadsheet_csv(frame).decode("utf-8-sig").replace("\r\n", "\n")


def json_text(frame: pd.DataFrame) -> str:
    """A list of objects, one a value; an undefined value is null."""
    records = [
        {key: (None if value != value else value) for key, value in record.items()}
        for record in frame.to_dict("records")
    ]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table; a measure a column, three decimals."""
    return piped(_shown(frame), _n_labels(frame))


def piped(texts: pd.DataFrame, labels: int) -> str:
    """A frame of texts as a Markdown table, so many of its columns labels, the others numbers."""
    head = [_escape_markdown(str(c)) for c in texts.columns]
    rule = ["---" if i < labels else "---:" for i in range(len(head))]
    rows = [[_escape_markdown(text) for text in row] for row in texts.to_numpy().tolist()]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *rows])


def latex(frame: pd.DataFrame) -> str:
    """A LaTeX tabular; a measure a column, three decimals, the best mean of a column in bold."""
    wide, shown = _wide(frame), _shown(frame)
    labels = _n_labels(frame)
    bold = _best_means(wide, labels)
    lines = [f"\\begin{{tabular}}{{{'l' * labels}{'r' * (len(wide.columns) - labels)}}}", "\\hline"]
    lines += [" & ".join(_escape_latex(str(c)) for c in wide.columns) + r" \\", "\\hline"]
    for row, texts in enumerate(shown.to_numpy().tolist()):
        cells = [
            f"\\textbf{{{_escape_latex(text)}}}" if (row, column) in bold else _escape_latex(text)
            for column, text in zip(wide.columns, texts, strict=True)
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, "\\hline", "\\end{tabular}"]) + "\n"


def _best_means(wide: pd.DataFrame, labels: int) -> set[tuple[int, str]]:
    """Row and column of the best mean of each measure, where there is a choice."""
    means = wide[wide["query_id"] == "all"] if "query_id" in wide else wide
    return {
        (row, column)
        for column in wide.columns[labels:]
        if len(means) > 1 and not _is_summed(column)
        for row in means.index[means[column] == _best(means[column])]
    }


def _best(means: pd.Series) -> float:
    higher = parse_measure(str(means.name)).declaration.higher_is_better
    return means.max() if higher else means.min()


PRINTERS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": table,
    "tsv": tsv,
    "csv": csv,
    "json": json_text,
    "markdown": markdown,
    "latex": latex,
}
IN_FULL = {name: PRINTERS[name] for name in ("tsv", "csv", "json")}
"""The formats that print any table as it is, with every decimal."""


def _n_labels(frame: pd.DataFrame) -> int:
    return len(frame.columns) - 2


def _wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels, then a column for each measure, both in the order of the frame."""
    labels = [c for c in frame.columns if c not in ("measure", "value")]
    measures = list(dict.fromkeys(frame["measure"]))
    order = frame[labels].drop_duplicates()
    wide = frame.pivot(index=labels, columns="measure", values="value")[measures]
    return order.merge(wide.reset_index(), on=labels, how="left")


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """The wide frame as people read it: counts as whole numbers, scores with three decimals."""
    wide = _wide(frame).astype(object)
    labels = _n_labels(frame)
    for i, column in enumerate(wide.columns):
        write = str if i < labels else (_total if _is_summed(column) else w.score)
        wide[column] = [write(value) for value in wide[column]]
    return wide


def _total(value: float) -> str:
    """A count as a whole number; a sum of shares, such as Coverage, as a score."""
    return w.count(value) if value != value or value == int(value) else w.score(value)


def _is_summed(column: str) -> bool:
    return not parse_measure(column).declaration.combination.averaged


def _separated(frame: pd.DataFrame, separator: str) -> str:
    lines = [separator.join(frame.columns)]
    for row in frame.to_numpy().tolist():
        cells = [repr(v) if isinstance(v, float) else str(v) for v in row]
        lines.append(separator.join(c.replace("\t", " ").replace("\n", " ") for c in cells))
    return "\n".join(lines) + "\n"


def _escape_markdown(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").splitlines())


_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {w.MINUS: "$-$", w.DASH: "--"}
)


def _escape_latex(text: str) -> str:
    return text.translate(_LATEX)
