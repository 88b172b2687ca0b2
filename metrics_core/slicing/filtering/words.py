"""A filter line as words: names, numbers, quoted texts, operators and marks, each with its place.

The whole language is here and in `line`; nothing of it is ever evaluated as Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core.base.errors import FilterLineError

NAME, NUMBER, TEXT, OPERATOR, WORD, MARK, END = (
    "name", "number", "text", "operator", "word", "mark", "end",
)  # fmt: skip

OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
JOINING = ("and", "or")
WORDS = (*JOINING, "not", "in", "contains")

_SAME = {"=": "==", "<>": "!=", "\u2260": "!=", "\u2264": "<=", "\u2265": ">="}
_CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d", "`": "`"}
_NUMBER = re.compile(r"[+\u2212-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
_NAME = re.compile(r"[^\W\d][\w.@:/+-]*")
_OPERATOR = re.compile(r"==|!=|<=|>=|<>|[<>=\u2260\u2264\u2265]")
_LIKE_NUMBERS = re.compile(r"[\w.+\u2212-]+")


@dataclass(frozen=True)
class Word:
    """One word of a line: `written` stands there from `start` on, `meant` is what it says."""

    kind: str
    written: str
    start: int
    meant: str | float = ""

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.written)

    @property
    def found(self) -> str:
        """What an error calls it."""
        return "the end of the line" if self.kind == END else self.written

    def is_mark(self, mark: str) -> bool:
        """Whether it is this parenthesis, comma or keyword."""
        return self.kind in (MARK, WORD) and self.meant == mark


def words_of(line: str) -> list[Word]:
    """The words of a line, with one for its end. Raises FilterLineError."""
    found: list[Word] = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
            continue
        found.append(_word(line, place))
        place = found[-1].end
    return [*found, Word(END, "", len(line))]


def quoted_name(name: str) -> str:
    """A column's name as a line has it: in backticks unless it is one plain word."""
    plain = _NAME.fullmatch(name) and name.lower() not in WORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


def quoted_text(text: str) -> str:
    """A text as a line has it."""
    return '"' + text.replace('"', '""') + '"'


def _word(line: str, start: int) -> Word:
    if line[start] in _CLOSING:
        return _quoted(line, start)
    if line[start] in "(),":
        return Word(MARK, line[start], start, line[start])
    if found := _NUMBER.match(line, start):
        return Word(NUMBER, found[0], start, float(found[0].replace("\u2212", "-")))
    if found := _OPERATOR.match(line, start):
        return Word(OPERATOR, found[0], start, _SAME.get(found[0], found[0]))
    if found := _NAME.match(line, start):
        low = found[0].lower()
        return Word(WORD, found[0], start, low) if low in WORDS else _name(found[0], start)
    whole = _LIKE_NUMBERS.match(line, start)
    raise FilterLineError(
        line,
        start,
        whole[0] if whole else line[start],
        "a column, an operator, a number or a text in quotes",
        "Put names with spaces or special characters in backticks: `like this`." if whole else "",
    )


def _name(written: str, start: int) -> Word:
    return Word(NAME, written, start, written)


def _quoted(line: str, start: int) -> Word:
    """A text or a name to its closing quote; a quote that stands twice is one of the text."""
    closing, place = _CLOSING[line[start]], start + 1
    while (place := line.find(closing, place)) >= 0:
        if line[place + 1 : place + 2] != closing:
            written = line[start : place + 1]
            kind = NAME if closing == "`" else TEXT
            return Word(kind, written, start, written[1:-1].replace(closing * 2, closing))
        place += 2
    raise FilterLineError(line, start, line[start:], f"a closing {closing}")
