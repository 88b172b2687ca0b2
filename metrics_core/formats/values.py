"""Parse scores and grades in the same way for all formats.

A score is a plain decimal number. Other spellings that Arrow, Python or pandas accept (`nan`,
`inf`, `1_000`, `0x10`, digits of other scripts) are refused, with the likely cause."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import AnyArray, Floats
from metrics_core.tables.arrays import as_array
from metrics_core.tables.finite_numbers import NUMBER as NUMBER
from metrics_core.tables.finite_numbers import is_number as is_number

Grades = Literal["integer", "real"] | Mapping[str, float]
"""How grades are read: as whole numbers ("integer"), as real numbers ("real"), or as words that a
mapping converts to numbers."""

A_SCORE = "a finite number as the score"
_MAX_WHOLE = 2**53  # float64 represents all whole numbers up to here
MAX_GRADE = 127
"""Maximum grade; trec_eval overflows above it. A larger number is an id, or a score in the wrong
column."""

_NO_GAIN = 1_000_000


def parse_scores(texts: pa.Array) -> Floats:
    """Parse an array of strings as scores, float64[n]. A string that is not a finite number becomes
    NaN."""
    is_plain = pc.match_substring_regex(texts, NUMBER)
    numbers = pc.if_else(is_plain, texts, pa.scalar(None, pa.string()))
    scores: Floats = as_array(pc.cast(numbers, pa.float64()))
    if np.isinf(scores).any():
        scores = np.where(np.isinf(scores), np.nan, scores)
    return scores


def explain_bad_number(text: str) -> str:
    """Return a hint that says why a string is not a finite number. Returns "" if no cause is
    known."""
    stripped = text.strip()
    lowered = stripped.lower().lstrip("+-")
    if re.fullmatch(r"[+-]?\d*,\d+", stripped):
        return f"`{text}` looks like a decimal comma; write {stripped.replace(',', '.')}."
    if re.fullmatch(r"[+-]?\d{1,3}([,.' ]\d{3})+([.,]\d+)?|[+-]?\d+(_\d+)+", stripped):
        return f"`{text}` looks like a number with thousands separators; write plain digits."
    if lowered in ("nan", "na", "n/a", "null", "none", "inf", "infinity", "-", ""):
        return "Remove the document from the run, or give it a score."
    if lowered.startswith("0x"):
        return f"`{text}` looks like a hexadecimal number; write it in decimal."
    if is_number(stripped):
        if stripped != text:
            return "There are blanks around the number."
        return f"`{text}` is too large for double precision."
    if stripped.endswith("%"):
        return f"`{text}` is a percentage; write a plain number."
    if any(unicodedata.digit(c, None) is not None and not c.isascii() for c in stripped):
        return f"`{text}` contains digits other than 0 to 9."
    return ""


@dataclass(frozen=True)
class ParsedGrades:
    """The grades of distinct strings.

    `values` is float64[string], NaN for an invalid string. `problems` maps each invalid string to
    its problem."""

    values: Floats
    problems: dict[str, GradeProblem]


@dataclass(frozen=True)
class GradeProblem:
    """The reason why a string is not a grade.

    expected  description of a valid grade
    hint      how to fix the string
    offer     reading choice with which the string would be accepted"""

    expected: str
    hint: str = ""
    offer: str = ""


def parse_grades(texts: Sequence[str], grade_choice: Grades) -> ParsedGrades:
    """Return the grades of distinct strings. `grade_choice` says how strings are read as grades."""
    values = np.full(len(texts), np.nan)
    problems: dict[str, GradeProblem] = {}
    for i, text in enumerate(texts):
        grade = _parse_grade(text, grade_choice)
        if isinstance(grade, GradeProblem):
            problems[text] = grade
        else:
            values[i] = grade
    return ParsedGrades(values, problems)


def find_grade_problem(text: str, grade_choice: Grades) -> GradeProblem | None:
    """Return the reason why a string is not a grade. Returns None if it is a grade."""
    grade = _parse_grade(text, grade_choice)
    return grade if isinstance(grade, GradeProblem) else None


def _parse_grade(text: str, grade_choice: Grades) -> float | GradeProblem:
    if isinstance(grade_choice, Mapping):
        if text in grade_choice:
            return float(grade_choice[text])
        if not is_number(text):
            words = ", ".join(grade_choice)
            return GradeProblem(f"a number or one of: {words}", f"`{text}` is not in the mapping.")
    expected = "a whole number as the grade"
    if not is_number(text):
        hint = explain_bad_number(text) if text.lower() not in ("nan", "na", "") else ""
        if hint or not text.strip():
            return GradeProblem(expected, hint)
        return GradeProblem(
            expected,
            "To read words as grades, give each a value, such as relevant = 1.",
            "grades={word: number}",
        )
    value = float(text)
    if grade_choice == "integer" and not value.is_integer() and np.isfinite(value):
        return GradeProblem(
            expected,
            "Enable real-valued grades to use them as gains.",
            "grades=real",
        )
    if grade_choice == "integer" and abs(value) >= _NO_GAIN:
        return GradeProblem(
            f"a grade between -{MAX_GRADE} and {MAX_GRADE}",
            "Such a large grade is usually a timestamp, an id or a score in the wrong column."
            " Columns separated by tabs or commas can be assigned: columns query=1,doc=2,grade=3.",
        )
    if abs(value) > MAX_GRADE and (grade_choice == "integer" or not np.isfinite(value)):
        return GradeProblem(
            f"a grade between -{MAX_GRADE} and {MAX_GRADE}",
            "Such a large grade is usually an id or a score in the wrong column. If these are"
            " gains, enable real-valued grades.",
            "grades=real",
        )
    return value


def build_grade_array(
    parsed_grades: ParsedGrades, codes: AnyArray, grade_choice: Grades
) -> AnyArray:
    """Return the grade of each row. `codes`, int64[row], are indexes into `parsed_grades.values`.

    The result is int64[row] if grades are read as integers, or if all are whole numbers up to
    2**53. Otherwise it is float64[row]."""
    values = parsed_grades.values[codes]
    if grade_choice == "integer" or are_whole_numbers(parsed_grades.values):
        return values.astype(np.int64)
    return values


def are_whole_numbers(values: Floats) -> bool:
    """Return whether all values, float64[n], are whole numbers that both int64 and float64
    represent exactly."""
    return bool(((np.floor(values) == values) & (np.abs(values) <= _MAX_WHOLE)).all())
