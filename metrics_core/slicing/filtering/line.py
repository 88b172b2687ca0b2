"""A filter line, parsed and held against whole columns.

    line  = all {"or" all}           all   = one {"and" one}
    one   = "not" one | "(" line ")" | test
    test  = column operator (number | text | column)
          | column ["not"] "in" "(" value {"," value} ")"
          | column ["not"] "contains" text

A column holds numbers or texts, and is compared with its like. `contains` takes no notice of case,
`==` does. A test of a missing value is neither true nor false, and so is what follows from it alone
(Kleene's logic, as in SQL): "not x > 1" does not keep a row without x.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from metrics_core.base.arrays import Mask
from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering.truth import (
    Columns,
    Test,
    containing,
    joined_by,
    one_of,
    turned_if,
    with_column,
    with_value,
)
from metrics_core.slicing.filtering.words import (
    END,
    NAME,
    NUMBER,
    OPERATOR,
    TEXT,
    Word,
    quoted_name,
    words_of,
)

_DEEPEST = 40
_NEAREST = 3


@dataclass(frozen=True)
class Filter:
    """A line that was understood; `columns` are the names it uses."""

    line: str
    columns: tuple[str, ...]
    _test: Test

    def holds(self, columns: Columns) -> Mask:
        """Which rows the line is true for; bool[n]."""
        return self._test(columns)[0]


def parse_filter(line: str, columns: Columns) -> Filter:
    """The filter of a line about these columns. Raises FilterLineError with the place, what was
    found there and what was expected."""
    reader = Reader(line, columns)
    test = reader.any_of(0)
    if reader.next.kind != END:
        raise reader.wrong("and, or, or the end of the line")
    return Filter(line, tuple(reader.used), test)


class Reader:
    """Reads a line from its first word to its last."""

    def __init__(self, line: str, columns: Columns) -> None:
        self.line, self.columns = line, columns
        self.words = words_of(line)
        self.place = 0
        self.used: dict[str, None] = {}

    @property
    def next(self) -> Word:
        """The word that is read next."""
        return self.words[self.place]

    def wrong(self, expected: str, hint: str = "") -> FilterLineError:
        """The error that the next word is not what was expected there."""
        return FilterLineError(self.line, self.next.start, self.next.found, expected, hint)

    def any_of(self, depth: int) -> Test:
        """Tests joined by "or"."""
        tests = [self.all_of(depth)]
        while self.next.is_mark("or"):
            self.place += 1
            tests.append(self.all_of(depth))
        return joined_by(tests, either=True)

    def all_of(self, depth: int) -> Test:
        """Tests joined by "and"."""
        tests = [self.one(depth)]
        while self.next.is_mark("and"):
            self.place += 1
            tests.append(self.one(depth))
        return joined_by(tests, either=False)

    def one(self, depth: int) -> Test:
        """A test, its contrary, or a line in parentheses."""
        contrary = self._nots()
        if not self.next.is_mark("("):
            return turned_if(self.test(), contrary)
        if depth >= _DEEPEST:
            raise self.wrong(f"at most {_DEEPEST} nested parentheses")
        self.place += 1
        inside = self.any_of(depth + 1)
        if not self.next.is_mark(")"):
            raise self.wrong("and, or, or a closing )")
        self.place += 1
        return turned_if(inside, contrary)

    def _nots(self) -> bool:
        """Whether the "not"s that stand here turn what follows."""
        contrary = False
        while self.next.is_mark("not"):
            self.place += 1
            contrary = not contrary
        return contrary

    def test(self) -> Test:
        """A column and what is said of it."""
        column = self.column()
        contrary = self.next.is_mark("not")
        self.place += contrary
        word = self.next
        if word.is_mark("in"):
            self.place += 1
            return turned_if(self.listed(column), contrary)
        if word.is_mark("contains"):
            if self._numeric(column):
                raise self.wrong("an operator such as < or ==", f"{column} contains numbers.")
            self.place += 1
            return turned_if(containing(column, self.value(column)), contrary)
        if contrary or word.kind != OPERATOR:
            expected = "in or contains" if contrary else "an operator such as ==, <, in or contains"
            raise self.wrong(expected)
        if not self._numeric(column) and word.meant not in ("==", "!="):
            hint = f"{column} contains text. Use ==, !=, in or contains."
            raise self.wrong("an operator for text", hint)
        self.place += 1
        return self._compared(column, str(word.meant))

    def _compared(self, column: str, operator: str) -> Test:
        if self.next.kind != NAME:
            return with_value(column, operator, self.value(column))
        word = self.next
        other = self.column(column)
        if self._numeric(other) != self._numeric(column):
            self.place -= 1
            hint = (
                f"{column} contains {self._holds(column)}, {other} contains {self._holds(other)}."
            )
            raise self.wrong(self._wanted(column), hint)
        assert word.kind == NAME
        return with_column(column, operator, other)

    def column(self, about: str = "") -> str:
        """The name of a column that is there; `about` is the one that it is compared with."""
        word = self.next
        if word.kind != NAME:
            hint = (
                ""
                if word.kind != TEXT
                else "Text in quotes goes after an operator. Column names have no quotes."
            )
            raise self.wrong("a column" if not about else self._wanted(about), hint)
        name = self._known(str(word.meant))
        if name is None:
            quotes = " Put text in quotes." if about and not self._numeric(about) else ""
            hint = f"{self._nearest(str(word.meant))}{quotes}".strip()
            raise self.wrong("a column" if not about else self._wanted(about), hint)
        self.place += 1
        self.used[name] = None
        return name

    def _known(self, name: str) -> str | None:
        if name in self.columns:
            return name
        alike = [known for known in self.columns if known.casefold() == name.casefold()]
        return alike[0] if len(alike) == 1 else None

    def _nearest(self, name: str) -> str:
        folded = {known.casefold(): known for known in self.columns}
        near = difflib.get_close_matches(name.casefold(), folded, n=_NEAREST, cutoff=0.5)
        if near:
            return f"Did you mean {' or '.join(quoted_name(folded[n]) for n in near)}?"
        return f"Available columns: {', '.join(quoted_name(known) for known in self.columns)}."

    def listed(self, column: str) -> Test:
        """The values in parentheses behind "in"."""
        if not self.next.is_mark("("):
            raise self.wrong("an opening (")
        self.place += 1
        values = [self.value(column)]
        while self.next.is_mark(","):
            self.place += 1
            values.append(self.value(column))
        if not self.next.is_mark(")"):
            raise self.wrong("a comma or a closing )")
        self.place += 1
        return one_of(column, values)

    def value(self, column: str) -> str | float:
        """A number or a text, as the column holds them."""
        word = self.next
        if word.kind != (NUMBER if self._numeric(column) else TEXT):
            hint = ""
            if word.kind in (NUMBER, TEXT):
                quotes = "without" if self._numeric(column) else "in"
                hint = f"{column} contains {self._holds(column)}. Write the value {quotes} quotes."
            raise self.wrong(self._wanted(column), hint)
        self.place += 1
        return word.meant

    def _numeric(self, column: str) -> bool:
        return self.columns[column].dtype.kind == "f"

    def _holds(self, column: str) -> str:
        return "numbers" if self._numeric(column) else "text"

    def _wanted(self, column: str) -> str:
        return "a number" if self._numeric(column) else "a text in quotes"
