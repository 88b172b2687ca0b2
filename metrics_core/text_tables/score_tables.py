"""Scores as text for people, programs and papers, with one function for each format."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.formats import escape_formula, spreadsheet_csv
from metrics_core.measures import find_measure
from metrics_core.text_tables.latex import build_tabular, escape


@dataclass(frozen=True)
class LongTable:
    """A table with one value per row: label columns, then measure and value. `directions` has the
    direction of the measures whose names do not imply it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    directions: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_table(cls, source: LongTable | pd.DataFrame) -> LongTable:
        """Convert a frame with label columns, measure and value to a LongTable. A LongTable is
        returned unchanged."""
        if isinstance(source, LongTable):
            return source
        return cls(list(source.columns), source.to_numpy().tolist())

    @property
    def labels(self) -> list[str]:
        """The names of the columns before measure and value."""
        return [name for name in self.columns if name not in ("measure", "value")]

    def to_wide_table(self) -> WideTable:
        """Return a table with one column for each measure, in order of first appearance, and one
        row for each combination of labels."""
        label_columns = [self.columns.index(name) for name in self.labels]
        measure, value = self.columns.index("measure"), self.columns.index("value")
        measures = list(dict.fromkeys(row[measure] for row in self.rows))
        cells: dict[tuple[Any, ...], dict[str, float]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[i] for i in label_columns), {})[row[measure]] = row[value]
        rows = [[values.get(name, float("nan")) for name in measures] for values in cells.values()]
        return WideTable(self.labels, measures, list(cells), rows, self.directions)


@dataclass(frozen=True)
class WideTable:
    """A table with one row for each combination of labels and one value for each measure. A missing
    value is NaN."""

    labels: list[str]
    measures: list[str]
    keys: list[tuple[Any, ...]]
    values: list[list[float]]
    directions: Mapping[str, int]

    def formatted_cells(self) -> list[list[str]]:
        """Format the cells: counts as whole numbers, scores with three decimals."""
        write = [format_total if _is_summed(name) else w.format_score for name in self.measures]
        return [
            [
                *map(str, key),
                *(format_value(v) for format_value, v in zip(write, values, strict=True)),
            ]
            for key, values in zip(self.keys, self.values, strict=True)
        ]

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [*self.labels, *self.measures]


def format_table(source: LongTable | pd.DataFrame) -> str:
    """Return aligned columns for a terminal: one column for each measure, with three decimals."""
    wide = LongTable.from_table(source).to_wide_table()
    return _align_rows(wide.header, wide.formatted_cells(), len(wide.labels))


def align_texts(texts: pd.DataFrame, n_label_columns: int) -> str:
    """Align a frame of text cells. The first `n_label_columns` columns contain labels, the others
    numbers."""
    return _align_rows(list(texts.columns), texts.to_numpy().tolist(), n_label_columns)


def align_records(records: Sequence[dict[str, str]], n_label_columns: int) -> str:
    """Align records of text cells in the same way as `align_texts`. All records must have the same
    columns as the first record."""
    return _align_rows(list(records[0]), [list(row.values()) for row in records], n_label_columns)


def _align_rows(header: list[str], rows: list[list[str]], n_label_columns: int) -> str:
    cells = [[w.escape_controls(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = []
    for row in cells:
        parts = [
            cell.ljust(width) if i < n_label_columns else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def format_tsv(source: LongTable | pd.DataFrame) -> str:
    """Return one value per line, tab-separated, with a header, in full precision (repr). Cells that
    a spreadsheet would take for a formula are escaped."""
    long = LongTable.from_table(source)
    lines = []
    for row in (map(str, long.columns), *long.rows):
        cells = [repr(v) if isinstance(v, float) else str(escape_formula(v)) for v in row]
        lines.append("\t".join(cell.translate(_BLANKS) for cell in cells))
    return "\n".join(lines) + "\n"


_BLANKS = str.maketrans("\t\n\r", "   ")
"""Characters that would end a cell or a line. They are replaced by blanks."""


def format_csv(source: LongTable | pd.DataFrame) -> str:
    """Return the scores as CSV for spreadsheets, with one score per line. Cells that would be
    formulas are escaped; undefined scores are empty."""
    frame = source
    if isinstance(source, LongTable):
        frame = pd.DataFrame(list(source.rows), columns=list(source.columns))
    return spreadsheet_csv(frame).decode("utf-8-sig").replace("\r\n", "\n")


def format_json(source: LongTable | pd.DataFrame) -> str:
    """Return a list of JSON objects, one for each value. Undefined values are null."""
    long = LongTable.from_table(source)
    records = [
        {key: (None if v != v else v) for key, v in zip(long.columns, row, strict=True)}
        for row in long.rows
    ]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def format_markdown(source: LongTable | pd.DataFrame) -> str:
    """Return a Markdown table with one column for each measure and three decimals."""
    wide = LongTable.from_table(source).to_wide_table()
    return _markdown_rows(wide.header, wide.formatted_cells(), len(wide.labels))


def markdown_table(texts: pd.DataFrame, n_label_columns: int) -> str:
    """Format a frame of text cells as a Markdown table. The first `n_label_columns` columns contain
    labels, the others numbers."""
    return _markdown_rows(
        [str(c) for c in texts.columns], texts.to_numpy().tolist(), n_label_columns
    )


def _markdown_rows(header: list[str], texts: list[list[str]], n_label_columns: int) -> str:
    names = [escape_markdown(name) for name in header]
    rule = ["---" if i < n_label_columns else "---:" for i in range(len(names))]
    rows = [[escape_markdown(text) for text in row] for row in texts]
    return "".join(f"| {' | '.join(row)} |\n" for row in [names, rule, *rows])


def format_latex(source: LongTable | pd.DataFrame) -> str:
    """Return a LaTeX tabular with one column for each measure and three decimals. The best mean of
    each measure is in bold."""
    wide = LongTable.from_table(source).to_wide_table()
    alignment = "l" * len(wide.labels) + "r" * len(wide.measures)
    rows = [" & ".join(row) for row in _format_with_bold_best(wide)]
    return build_tabular(alignment, " & ".join(map(escape, wide.header)), rows)


def _format_with_bold_best(wide_table: WideTable) -> list[list[str]]:
    """Return labels and values as LaTeX cells. The best mean of each measure is in bold."""
    bold = _best_means(wide_table)
    return [
        [
            f"\\textbf{{{escape(text)}}}" if (row, name) in bold else escape(text)
            for name, text in zip(wide_table.header, texts, strict=True)
        ]
        for row, texts in enumerate(wide_table.formatted_cells())
    ]


def _best_means(wide_table: WideTable) -> set[tuple[int, str]]:
    """Return (row, measure name) of the best mean of each measure, including ties. The result is
    empty if there is only one mean. Measures that are summed or have no declared direction are left
    out."""
    query_column = wide_table.labels.index("query_id") if "query_id" in wide_table.labels else None
    means = [
        row
        for row, key in enumerate(wide_table.keys)
        if query_column is None or key[query_column] == "all"
    ]
    best_cells = set()
    for column, name in enumerate(wide_table.measures):
        column_values = {row: wide_table.values[row][column] for row in means}
        column_values = {row: value for row, value in column_values.items() if value == value}
        direction = wide_table.directions.get(name, find_measure(name).declaration.direction)
        if len(means) > 1 and column_values and direction and not _is_summed(name):
            best = (max if direction > 0 else min)(column_values.values())
            best_cells |= {(row, name) for row, value in column_values.items() if value == best}
    return best_cells


PRINTERS: dict[str, Callable[[LongTable | pd.DataFrame], str]] = {
    "table": format_table,
    "tsv": format_tsv,
    "csv": format_csv,
    "json": format_json,
    "markdown": format_markdown,
    "latex": format_latex,
}
FULL_FORMATS = {name: PRINTERS[name] for name in ("tsv", "csv", "json")}
"""Formats that can print any table in full precision."""


def format_p_value(p: float) -> str:
    """Format a p-value for a table."""
    return "<0.0001" if p < 0.0001 else w.format_score(p, 4)


def format_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of runs as human-readable text cells. Columns: run, other, measure, verdict, n,
    difference, interval, p."""
    digits = w.column_decimals(frame["low"], frame["high"])
    rows = [
        {
            "run": row["run"],
            "other": row["other"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.format_count(row["n"]),
            "difference": w.format_difference(row["difference"], digits),
            "interval": w.format_interval(row["low"], row["high"], digits),
            "p": format_p_value(row["p_corrected"]),
        }
        for row in frame.to_dict("records")
    ]
    return pd.DataFrame(rows, dtype=object)


def format_total(value: float) -> str:
    """Format a count as a whole number. A sum of shares, such as Coverage, is formatted as a
    score."""
    return w.format_count(value) if value != value or value == int(value) else w.format_score(value)


def _is_summed(column: str) -> bool:
    return not find_measure(column).declaration.combination.averaged


_MARKDOWN = re.compile(
    r"[\\`*|~$]"
    # Inside a word, as in the names of measures and columns, it has no meaning in Markdown.
    r"|(?<![^\W_])_|_(?![^\W_])"
    # Ends of links and of footnotes, but not intervals.
    r"|\](?=[(\[:])|\[(?=\^)"
)


def escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it unchanged, without HTML, links or emphasis."""
    return _MARKDOWN.sub(r"\\\g<0>", html.escape(w.escape_controls(text), quote=False))


def escape_markdown_line(text: str) -> str:
    """Escape text that fills a whole line, so that Markdown shows it unchanged. In addition to
    `escape_markdown`, this prevents the line from being shown as a heading, a list or code."""
    return re.sub(r"^(\d*)(?=[.)#+=-])", r"\1\\", escape_markdown(text.lstrip()))
