"""Sentences as data: spans with the part each plays, so that pages can colour them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["strong", "muted", "aside", "run"]


@dataclass(frozen=True)
class TextSpan:
    """A piece of a sentence; of a "run" span the text is the run's name, and an "aside" is what a
    reader with little room does without."""

    text: str
    role: Role = "strong"


@dataclass(frozen=True)
class Sentence:
    """Spans in reading order; blanks stand inside the spans."""

    spans: tuple[TextSpan, ...] = ()

    @property
    def text(self) -> str:
        """The plain sentence."""
        return "".join(span.text for span in self.spans)

    @property
    def statement_and_rest(self) -> tuple[Sentence, Sentence]:
        """The statement, without its last stop, and what qualifies it: all from the first muted
        span on, with a capital."""
        roles = [span.role for span in self.spans]
        index = roles.index("muted") if "muted" in roles else len(roles)
        statement, rest = self.spans[:index], self.spans[index:]
        if statement:
            statement = (
                *statement[:-1],
                replace(statement[-1], text=statement[-1].text.rstrip(" .;:,")),
            )
        if rest:
            first = rest[0].text.lstrip(" ;,")
            rest = (replace(rest[0], text=first[:1].upper() + first[1:]), *rest[1:])
        return Sentence(statement), Sentence(rest)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __add__(self, other: Sentence) -> Sentence:
        return Sentence(self.spans + other.spans)


def run_span(name: str) -> Sentence:
    """A run's name."""
    return Sentence((TextSpan(name, "run"),))


def strong_span(text: str) -> Sentence:
    """The statement."""
    return Sentence((TextSpan(text),))


def muted_span(text: str) -> Sentence:
    """What qualifies the statement."""
    return Sentence((TextSpan(text, "muted"),))


def aside_span(text: str) -> Sentence:
    """What qualifies the statement where there is room for it."""
    return Sentence((TextSpan(text, "aside"),))


def join_sentences(sentences: Sequence[Sentence], between: str) -> Sentence:
    """Sentences one after the other, with muted text between them."""
    result = Sentence()
    for sentence in sentences:
        result = result + muted_span(between) + sentence if result else sentence
    return result
