"""Sentences as data: spans with roles, so that pages can colour parts of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["strong", "muted", "aside", "run"]


@dataclass(frozen=True)
class TextSpan:
    """A piece of a sentence with a role. The text of a "run" span is the name of a run. An "aside"
    span can be left out if there is little space."""

    text: str
    role: Role = "strong"


@dataclass(frozen=True)
class Sentence:
    """A sentence as spans of text in reading order. The spaces between words are part of the
    spans."""

    spans: tuple[TextSpan, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(span.text for span in self.spans)

    @property
    def statement_and_rest(self) -> tuple[Sentence, Sentence]:
        """The statement without its final punctuation, and the qualification.

        The qualification is everything from the first muted span on, with its first letter in upper
        case."""
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
        return bool(self.text)

    def __add__(self, other: Sentence) -> Sentence:
        return Sentence(self.spans + other.spans)


def run_span(name: str) -> Sentence:
    """Return the name of a run as a sentence with one span."""
    return Sentence((TextSpan(name, "run"),))


def strong_span(text: str) -> Sentence:
    """Return the text as a sentence with a single span in the style of a main statement."""
    return Sentence((TextSpan(text),))


def muted_span(text: str) -> Sentence:
    """Return a qualification, a less prominent addition to the main statement, as a sentence with
    one span."""
    return Sentence((TextSpan(text, "muted"),))


def aside_span(text: str) -> Sentence:
    """Return a qualification (an addition to the main statement) that can be left out if there is
    little space, as a sentence with one span."""
    return Sentence((TextSpan(text, "aside"),))


def join_sentences(sentences: Sequence[Sentence], separator: str) -> Sentence:
    """Join the sentences that are not empty, with the text `separator` as a muted span between
    them."""
    result = Sentence()
    for sentence in sentences:
        if sentence:
            result = result + muted_span(separator) + sentence if result else sentence
    return result
