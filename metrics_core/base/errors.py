"""All errors that are shown to users.

    RanklensError                  a user's mistake: a message, and a hint on how to fix it
    ├── TableError                 rows of a table break its rules (by row; the file is not known)
    ├── FileFormatError            a file cannot be read: file, physical line, found, expected
    ├── UnknownMeasureError        no measure has this name; the nearest names
    ├── ParameterError             a parameter is invalid
    ├── LackingDataError           a measure needs data that the files lack (subtopics, prices)
    ├── UnknownRunError            no run has this name; the available names
    ├── UnknownColumnError         no metadata column has this name; the available names
    ├── FilterLineError            a filter is malformed: position, found, expected
    └── NoSharedQueriesError       run and judgments have no query in common

A programming mistake raises a built-in exception of Python.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics_core.base.wording import escape_controls, escape_controls_in_lines

MOST_PROBLEMS_SHOWN = 100
"""Maximum number of problems that are listed for a file. Their total number is also given."""

_CLOSE, _NEARLY, _NEAR_WORD = 0.6, 0.1, 0.5


class RanklensError(Exception):
    """A user's mistake: `message` names the problem, and `hint` says how to fix it. The hint may be
    empty.

    Control characters in both strings are escaped (`wording.escape_controls_in_lines`)."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = escape_controls_in_lines(message)
        self.hint = escape_controls_in_lines(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return escape_controls_in_lines(self._full_text())

    def _full_text(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


@dataclass(frozen=True)
class RowProblem:
    """A row that breaks the rules of a table. `row` is its index, from 0, in the table that was
    read."""

    row: int
    found: str
    expected: str
    hint: str = ""


class TableError(RanklensError):
    """Rows break the rules of a table.

    A reader that knows the file converts this error to a FileFormatError.

    problems  the first problems, at most `MOST_PROBLEMS_SHOWN`
    count     number of all problems
    offer     reading choice that would accept the rows (such as `duplicates=best`), or "" """

    def __init__(
        self,
        message: str,
        problems: Sequence[RowProblem],
        count: int | None = None,
        hint: str = "",
        offer: str = "",
    ) -> None:
        super().__init__(message, hint)
        self.offer = offer
        self.problems = tuple(problems[:MOST_PROBLEMS_SHOWN])
        self.count = len(problems) if count is None else count

    def _full_text(self) -> str:
        lines = [self.message]
        lines += [f"row {p.row + 1}: expected {p.expected}, found {p.found}" for p in self.problems]
        return "\n".join([*lines, self.hint] if self.hint else lines)


@dataclass(frozen=True)
class LineProblem:
    """A problem in a file.

    line      physical line, from 1; None if the file has no lines
    found     what the file contains
    expected  what it should contain
    text      the line, shortened; "" if showing it does not help
    hint      how to fix it
    """

    line: int | None
    found: str
    expected: str
    text: str = ""
    hint: str = ""


class FileFormatError(RanklensError):
    """A file cannot be read in the format it seems to have, or has no known format.

    file      name that the user gave, shown as text and never used as a path
    problems  the first problems, at most `MOST_PROBLEMS_SHOWN`
    count     number of all problems
    hint      how to fix the file
    offer     reading choice that would accept it (such as `duplicates=best`), or ""
    """

    def __init__(
        self,
        file: str,
        problems: Sequence[LineProblem],
        *,
        hint: str = "",
        count: int | None = None,
        offer: str = "",
    ) -> None:
        if not problems:
            raise ValueError("a FileFormatError needs at least one problem")
        self.file = file
        self.problems = tuple(problems[:MOST_PROBLEMS_SHOWN])
        self.count = max(len(problems), count or 0)
        self.offer = offer
        super().__init__(self._headline(self.problems[0]), hint or self.problems[0].hint)

    def _headline(self, problem: LineProblem) -> str:
        file = escape_controls(self.file)
        location = file if problem.line is None else f"{file}, line {problem.line}"
        return f"{location}: expected {problem.expected}, found {problem.found}"

    def _full_text(self) -> str:
        lines: list[str] = []
        for group in _group_by_kind(self.problems):
            first = group[0]
            lines.append(self._headline(first))
            if first.text:
                lines.append(f"    {first.text}")
            if len(group) > 1:
                places = ", ".join(_format_line_and_text(p, first) for p in group[1:11])
                more = f" and {len(group) - 11} more" if len(group) > 11 else ""
                also = "found" if first.line is None else "in line"
                lines.append(f"    also {also} {places}{more}")
        if self.count > len(self.problems):
            lines.append(f"    {self.count:,} problems in total")
        if self.hint:
            lines.append(self.hint)
        if self.offer and self.offer not in self.hint:
            lines.append(f"The file can be read with {self.offer}.")
        return "\n".join(lines)


def content_error(
    file: str,
    actual: str,
    expected: str,
    hint: str = "",
    *,
    line: int | None = None,
    offer: str = "",
) -> FileFormatError:
    """Return the error for a file with a single problem, which is shown without the text of a
    line."""
    return FileFormatError(file, [LineProblem(line, actual, expected)], hint=hint, offer=offer)


def _format_line_and_text(problem: LineProblem, first_problem: LineProblem) -> str:
    """Return the line number of a problem. If the text found there differs from the text of the
    group's first problem, the text is added in parentheses.

    If the file has no lines, only the text found is returned."""
    if problem.line is None:
        return problem.found
    return f"{problem.line}" + (
        f" ({problem.found})" if problem.found != first_problem.found else ""
    )


def _group_by_kind(problems: Iterable[LineProblem]) -> list[list[LineProblem]]:
    """Group problems by their description of valid content (`expected`), in order of first
    occurrence.

    The content that was found, such as a score or an id, may differ between lines, so it does not
    define the group."""
    groups: dict[str, list[LineProblem]] = {}
    for problem in problems:
        groups.setdefault(problem.expected, []).append(problem)
    return list(groups.values())


class UnknownMeasureError(RanklensError):
    """No measure has this name.

    name     the unknown name
    nearest  up to three measures: the one with the closest name, and others almost as close

    `measure_names` maps every accepted name to the canonical name of its measure. `failed_packages`
    are plug-in packages that might provide the measure but could not be loaded. `instead` is a hint
    that replaces the suggestion of similar names."""

    def __init__(
        self,
        name: str,
        measure_names: Mapping[str, str],
        failed_packages: Sequence[str] = (),
        instead: str = "",
    ) -> None:
        self.name = name
        nearest_names = _nearest_names(name, measure_names)
        self.nearest = tuple(nearest_names)
        suggestions = [
            m if m.lower() == alias.lower() else f"{m} ({alias})"
            for m, alias in nearest_names.items()
        ]
        hint = instead or (f"Did you mean {' or '.join(suggestions)}?" if suggestions else "")
        listing = "`metrics-core measures` lists all measures."
        not_loaded = (
            f"The measures from {' and '.join(failed_packages)} could not be loaded."
            if failed_packages
            else ""
        )
        hints = [part for part in (hint, listing, not_loaded) if part]
        super().__init__(f"There is no measure {name!r}.", " ".join(hints))


def _nearest_names(name: str, measure_names: Mapping[str, str]) -> dict[str, str]:
    """Return up to three measures with names similar to `name`, closest first. The result maps the
    canonical name of each measure to the one of its names that is most similar to `name`."""
    by_lower_name = {k.lower(): k for k in measure_names}
    near = difflib.get_close_matches(name.lower(), by_lower_name, n=5, cutoff=_CLOSE)
    closeness = [difflib.SequenceMatcher(None, n, name.lower()).ratio() for n in near]
    nearest: dict[str, str] = {}
    for text, close in zip(near, closeness, strict=True):
        if close >= closeness[0] - _NEARLY:
            nearest.setdefault(measure_names[by_lower_name[text]], by_lower_name[text])
    return dict(list(nearest.items())[:3])


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question that suggests the most similar of `words`, such as "Did you mean 'bm25'?".
    Returns "" if none of them is similar."""
    matches = difflib.get_close_matches(word, list(words), n=1, cutoff=_NEAR_WORD)
    return f"Did you mean {matches[0]!r}?" if matches else ""


class ParameterError(RanklensError, ValueError):
    """A parameter is out of range or has the wrong type."""


class LackingDataError(RanklensError):
    """A measure needs data besides judgments and run, such as subtopics or a column of the
    documents table."""


class UnknownRunError(RanklensError):
    """No run has this name."""

    def __init__(self, name: str, run_names: Sequence[str]) -> None:
        listing = f"Available: {', '.join(run_names)}." if run_names else "No runs are available."
        hint = f"{did_you_mean(name, run_names)} {listing}".strip()
        super().__init__(f"There is no run {name!r}.", hint)


class UnknownColumnError(RanklensError):
    """No metadata column with groups has this name."""

    def __init__(self, column: str, column_names: Sequence[str]) -> None:
        listing = (
            f"Available: {', '.join(column_names)}."
            if column_names
            else "No columns are available."
        )
        super().__init__(f"The queries have no column {column!r} to group by.", listing)


class FilterLineError(RanklensError):
    """A filter has a syntax error at the character `position` (from 0).

    `found` is the text at this position, `expected` a description of valid text."""

    def __init__(
        self,
        line: str,
        position: int,
        found: str,
        expected: str,
        hint: str = "",
    ) -> None:
        self.line, self.position = line, position
        self.found, self.expected = found, expected
        super().__init__(f"At character {position + 1}: expected {expected}, found {found}.", hint)


class NoSharedQueriesError(RanklensError):
    """Run and judgments have no query in common."""
