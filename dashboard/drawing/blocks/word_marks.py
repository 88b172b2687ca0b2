"""Query words in a text: which words of a query to look for, and where to mark them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template

_COMMON = """
    a about after all also am an and any are as at be been but by can cannot did do does for
    from get had has have how i if in into is it its me my no not of off on one or our out so than
    that the their them then there these they this those to too up us was we were what when where
    which who why will with without would you your
"""
_STOP_WORDS = frozenset(_COMMON.split())
_ENDINGS = ("ings", "ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_WORD = re.compile(r"\w+")
_BEFORE = 16
"""Characters of an excerpt before the first word asked for, so that a line of 38 holds the word."""
_SEARCHED = 20_000

_render = Template("markup")


def query_words(text: str) -> list[str]:
    """The words of a query that say what it is about; all of them if it holds nothing else."""
    words = list(dict.fromkeys(_WORD.findall(text.lower())))
    return [word for word in words if word not in _STOP_WORDS] or words


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its English ending, so that charge, charges and charged are one."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def mark_words(text: str, words: Iterable[str]) -> Markup:
    """The text with the query's words marked."""
    parts = split_at_words(text, words)
    return _render("marked", pieces=[(piece, index % 2 == 1) for index, piece in enumerate(parts)])


def split_at_words(text: str, words: Iterable[str]) -> list[str]:
    """The text in pieces that are by turns outside and inside the query's words, the first one
    outside: where a browser draws them itself, whose places in a text are not Python's."""
    parts, end = [], 0
    for start, stop in _matches(text, words):
        parts += [text[end:start], text[start:stop]]
        end = stop
    return [*parts, text[end:]]


def excerpt(text: str, words: Iterable[str], most: int, before: int = _BEFORE) -> str:
    """So much of a text as is shown of it in a list: from its beginning, or, where the query's
    words come later, from `before` characters or less before the first of them."""
    first = next(_matches(text[:_SEARCHED], words), None)
    if first is None or first[0] <= before * 3 // 2:
        return text[:most]
    start = text.find(" ", max(first[0] - before, 0), first[0]) + 1 or first[0]
    return f"… {text[start : start + most]}"


def _matches(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where the query's words stand in a text, in any of their forms."""
    searched = list(words)
    stems = {stem(word) for word in searched}
    # Scripts without blanks between words: look for the word anywhere.
    patterns = [re.escape(word) for word in searched if not word.isascii()]
    pattern = re.compile(
        "|".join([*sorted(patterns, key=len, reverse=True), r"\w+"]), re.IGNORECASE
    )
    lowered = {word.lower() for word in searched}
    for match in pattern.finditer(text):
        if stem(match[0]) in stems or match[0].lower() in lowered:
            yield match.start(), match.end()
