"""Parse a filter line and apply it to whole columns.

    line  = all {"or" all}           all   = one {"and" one}
    one   = "not" one | "(" line ")" | test
    test  = column operator (number | text | column)
          | column ["not"] "in" "(" value {"," value} ")"
          | column ["not"] "contains" text

A column contains numbers or texts, and can only be compared with values of the same kind.
`contains` ignores case, `==` does not. A test of a missing value is neither true nor false, and so
is everything that depends on this test alone (Kleene's logic, like in SQL): "not x > 1" does not
select a row in which x is missing."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from metrics_core.base.arrays import Mask
from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering.conditions import (
    FilterColumns,
    Test,
    combine_tests,
    make_column_test,
    make_membership_test,
    make_substring_test,
    make_value_test,
    negate_test_if,
)
from metrics_core.slicing.filtering.words import (
    END,
    NAME,
    NUMBER,
    OPERATOR,
    TEXT,
    Word,
    quote_name,
    split_words,
)

_DEEPEST = 40
_NEAREST = 3


@dataclass(frozen=True)
class Filter:
    """A parsed filter line. `columns` are the names of the columns that it uses."""

    line: str
    columns: tuple[str, ...]
    _test: Test

    def matches(self, columns: FilterColumns) -> Mask:
        """Return the rows for which the filter is true, bool[row]."""
        return self._test(columns)[0]


def parse_filter(line: str, columns: FilterColumns) -> Filter:
    """Parse a filter line that uses these columns. Raises FilterLineError with the position, the
    text found there and a description of valid text."""
    reader = FilterReader(line, columns)
    test = reader.read_or_expression(0)
    if reader.next_word.kind != END:
        raise reader.syntax_error("“and”, “or” or the end of the line")
    return Filter(line, tuple(reader.used_columns), test)


def split_line(line: str, columns: FilterColumns, name: str) -> tuple[str, str]:
    """Split a filter line into two lines: the tests that use only the column `name`, and the rest.
    Joined by "and", the two have the same meaning as the original line; either may be "". Raises
    FilterLineError like `parse_filter`."""
    if not line.strip():
        return "", ""
    parsed, reader = parse_filter(line, columns), FilterReader(line, columns)
    parts = list[tuple[str, bool]]()
    while not parts or reader.next_word.is_mark("and"):
        reader.position += bool(parts)
        start, reader.used_columns = reader.next_word.start, {}
        reader.read_not_expression(0)
        text = line[start : reader.words[reader.position - 1].end]
        parts.append((text, list(reader.used_columns) == [name]))
    if reader.next_word.kind != END:  # an "or", which binds more weakly
        parts = [(f"({line.strip()})", parsed.columns == (name,))]
    column_tests, other_tests = (
        " and ".join(text for text, is_own in parts if is_own is side) for side in (True, False)
    )
    return column_tests, other_tests


class FilterReader:
    """A recursive descent parser for one filter line."""

    def __init__(self, line: str, columns: FilterColumns) -> None:
        self.line, self.columns = line, columns
        self.words = split_words(line)
        self.position = 0
        self.used_columns: dict[str, None] = {}

    @property
    def next_word(self) -> Word:
        """The word to be read next."""
        return self.words[self.position]

    def _accept(self, mark: str) -> bool:
        """Return whether the next word is this mark or keyword. If so, it is read."""
        is_next = self.next_word.is_mark(mark)
        self.position += is_next
        return is_next

    def syntax_error(self, expected: str, hint: str = "") -> FilterLineError:
        """Return the error for an unexpected next word. `expected` describes valid text."""
        return FilterLineError(
            self.line, self.next_word.start, self.next_word.error_text, expected, hint
        )

    def read_or_expression(self, depth: int) -> Test:
        """Read tests joined by "or"."""
        tests = [self.read_and_expression(depth)]
        while self._accept("or"):
            tests.append(self.read_and_expression(depth))
        return combine_tests(tests, any_suffices=True)

    def read_and_expression(self, depth: int) -> Test:
        """Read tests joined by "and"."""
        tests = [self.read_not_expression(depth)]
        while self._accept("and"):
            tests.append(self.read_not_expression(depth))
        return combine_tests(tests, any_suffices=False)

    def read_not_expression(self, depth: int) -> Test:
        """Read a test, a negated test, or a line in parentheses."""
        contrary = self._read_negation()
        if not self.next_word.is_mark("("):
            return negate_test_if(self.read_test(), contrary)
        if depth >= _DEEPEST:
            raise self.syntax_error(f"at most {_DEEPEST} nested parentheses")
        self.position += 1
        inside = self.read_or_expression(depth + 1)
        if not self._accept(")"):
            raise self.syntax_error("“and”, “or” or a closing )")
        return negate_test_if(inside, contrary)

    def _read_negation(self) -> bool:
        """Read any number of "not" words. Return whether they negate the next test; an even number
        does not."""
        contrary = False
        while self._accept("not"):
            contrary = not contrary
        return contrary

    def read_test(self) -> Test:
        """Read a test: a column, an operator, and the value, list or column on the right side."""
        column = self.read_column()
        contrary = self._accept("not")
        if self._accept("in"):
            return negate_test_if(self.read_list(column), contrary)
        word = self.next_word
        if word.is_mark("contains"):
            if self._is_numeric(column):
                raise self.syntax_error(
                    "an operator such as < or ==", f"{column} contains numbers."
                )
            self.position += 1
            return negate_test_if(make_substring_test(column, self.read_value(column)), contrary)
        if contrary or word.kind != OPERATOR:
            expected = (
                "“in” or “contains”"
                if contrary
                else "an operator such as ==, <, “in” or “contains”"
            )
            raise self.syntax_error(expected)
        if not self._is_numeric(column) and word.value not in ("==", "!="):
            hint = f"{column} contains text. Use ==, !=, “in” or “contains”."
            raise self.syntax_error("an operator for text", hint)
        self.position += 1
        return self._read_comparison(column, str(word.value))

    def _read_comparison(self, column: str, operator: str) -> Test:
        if self.next_word.kind != NAME:
            return make_value_test(column, operator, self.read_value(column))
        other = self.read_column(column)
        if self._is_numeric(other) != self._is_numeric(column):
            self.position -= 1
            hint = (
                f"{column} contains {self._value_kind_noun(column)}, {other} contains"
                f" {self._value_kind_noun(other)}."
            )
            raise self.syntax_error(self._expected_value_phrase(column), hint)
        return make_column_test(column, operator, other)

    def read_column(self, compared_column: str = "") -> str:
        """Read the name of an existing column. If the column is the right side of a comparison,
        `compared_column` is the column on the left side."""
        word = self.next_word
        if word.kind != NAME:
            hint = "Text in quotes must follow an operator. Column names have no quotes."
            raise self.syntax_error("a column", hint if word.kind == TEXT else "")
        name = self._find_column(str(word.value))
        if name is None:
            expected, hint = "a column", self._suggest_columns(str(word.value))
            if compared_column:
                expected = self._expected_value_phrase(compared_column)
                hint += "" if self._is_numeric(compared_column) else " Put text in quotes."
            raise self.syntax_error(expected, hint)
        self.position += 1
        self.used_columns[name] = None
        return name

    def _find_column(self, name: str) -> str | None:
        if name in self.columns:
            return name
        matching = [column for column in self.columns if column.casefold() == name.casefold()]
        return matching[0] if len(matching) == 1 else None

    def _suggest_columns(self, name: str) -> str:
        folded = {column.casefold(): column for column in self.columns}
        matches = difflib.get_close_matches(name.casefold(), folded, n=_NEAREST, cutoff=0.5)
        if matches:
            return f"Did you mean {' or '.join(quote_name(folded[n]) for n in matches)}?"
        return f"Available columns: {', '.join(quote_name(column) for column in self.columns)}."

    def read_list(self, column: str) -> Test:
        """Read the values in parentheses after "in"."""
        if not self._accept("("):
            raise self.syntax_error("an opening (")
        values = [self.read_value(column)]
        while self._accept(","):
            values.append(self.read_value(column))
        if not self._accept(")"):
            raise self.syntax_error("a comma or a closing )")
        return make_membership_test(column, values)

    def read_value(self, column: str) -> str | float:
        """Read a value for the column: a number if the column has numbers, otherwise a string."""
        word = self.next_word
        if word.kind != (NUMBER if self._is_numeric(column) else TEXT):
            hint = ""
            if word.kind in (NUMBER, TEXT):
                quotes = "without" if self._is_numeric(column) else "in"
                noun = self._value_kind_noun(column)
                hint = f"{column} contains {noun}. Write the value {quotes} quotes."
            raise self.syntax_error(self._expected_value_phrase(column), hint)
        self.position += 1
        return word.value

    def _is_numeric(self, column: str) -> bool:
        return self.columns[column].dtype.kind == "f"

    def _value_kind_noun(self, column: str) -> str:
        return "numbers" if self._is_numeric(column) else "text"

    def _expected_value_phrase(self, column: str) -> str:
        return "a number" if self._is_numeric(column) else "a text in quotes"
