"""Split a filter line into tokens with their positions: names, numbers, quoted texts, operators and
marks.

The whole language is defined here and in `parser`; nothing is ever evaluated as Python."""

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
    """One word of a filter line, with its `text`, the position of its first character, and its
    `value`."""

    kind: str
    text: str
    start: int
    value: str | float = ""

    @property
    def end(self) -> int:
        """The position after the last character of the word."""
        return self.start + len(self.text)

    @property
    def error_text(self) -> str:
        """The text that stands for the word in an error message."""
        return "the end of the line" if self.kind == END else self.text

    def is_mark(self, mark: str) -> bool:
        """Return whether the word is the parenthesis, comma or keyword `mark`."""
        return self.kind in (MARK, WORD) and self.value == mark


def split_words(line: str) -> list[Word]:
    """Split a filter line into words. The last word marks the end of the line. Raises
    FilterLineError."""
    words: list[Word] = []
    position = 0
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        words.append(_read_word(line, position))
        position = words[-1].end
    return [*words, Word(END, "", len(line))]


def quote_name(name: str) -> str:
    """Return a column's name in the form used in a filter line: in backticks, unless it is a single
    plain word."""
    plain = _NAME.fullmatch(name) and name.lower() not in WORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """Return a string in quotes, in the form used in a filter line."""
    return '"' + text.replace('"', '""') + '"'


def _read_word(line: str, start: int) -> Word:
    if line[start] in _CLOSING:
        return _read_quoted(line, start)
    if line[start] in "(),":
        return Word(MARK, line[start], start, line[start])
    if match := _NUMBER.match(line, start):
        return Word(NUMBER, match[0], start, float(match[0].replace("\u2212", "-")))
    if match := _OPERATOR.match(line, start):
        return Word(OPERATOR, match[0], start, _SAME.get(match[0], match[0]))
    if match := _NAME.match(line, start):
        name, low = match[0], match[0].lower()
        return Word(WORD, name, start, low) if low in WORDS else Word(NAME, name, start, name)
    number_like = _LIKE_NUMBERS.match(line, start)
    raise FilterLineError(
        line,
        start,
        number_like[0] if number_like else line[start],
        "a column, an operator, a number or a text in quotes",
        "Put names with spaces or special characters in backticks: `like this`."
        if number_like
        else "",
    )


def _read_quoted(line: str, start: int) -> Word:
    """Read a quoted string or name up to its closing quote. A doubled quote stands for one quote
    inside the string."""
    closing, position = _CLOSING[line[start]], start + 1
    while (position := line.find(closing, position)) >= 0:
        if line[position + 1 : position + 2] != closing:
            text = line[start : position + 1]
            kind = NAME if closing == "`" else TEXT
            return Word(kind, text, start, text[1:-1].replace(closing * 2, closing))
        position += 2
    raise FilterLineError(line, start, line[start:], f"a closing {closing}")
