"""Query words in a text: which words of a query are marked, and where they occur."""

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
"""Maximum number of characters before the first query word in an excerpt. With this limit, the word
is visible in a line of 38 characters."""
_SEARCHED = 20_000

_render = Template("markup")


def query_words(text: str) -> list[str]:
    """Return the words of a query without stop words. If all words are stop words, return all of
    them."""
    words = list(dict.fromkeys(_WORD.findall(text.lower())))
    return [word for word in words if word not in _STOP_WORDS] or words


@lru_cache(maxsize=1 << 14)
def stem_word(word: str) -> str:
    """Return a word without its English ending, so that charge, charges and charged are treated as
    the same word."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def mark_words(text: str, words: Iterable[str]) -> Markup:
    """Return the text with the query's words marked."""
    parts = split_at_words(text, words)
    return _render("marked", pieces=[(piece, index % 2 == 1) for index, piece in enumerate(parts)])


def split_at_words(text: str, words: Iterable[str]) -> list[str]:
    """Split a text into pieces that are alternately outside and inside a query word. The first
    piece is outside. The browser gets pieces, because it counts positions in a text differently
    from Python."""
    parts, end = [], 0
    for start, stop in _find_word_matches(text, words):
        parts += [text[end:start], text[start:stop]]
        end = stop
    return [*parts, text[end:]]


def make_excerpt(
    text: str, words: Iterable[str], max_length: int, max_before: int = _BEFORE
) -> str:
    """Return an excerpt of a text for a list: the first `max_length` characters. If the query's
    words occur only later, the excerpt starts at most `max_before` characters before the first such
    word."""
    first = next(_find_word_matches(text[:_SEARCHED], words), None)
    if first is None or first[0] <= max_before * 3 // 2:
        return text[:max_length]
    start = text.find(" ", max(first[0] - max_before, 0), first[0]) + 1 or first[0]
    return f"… {text[start : start + max_length]}"


def _find_word_matches(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each query word in a text. Other forms of a query word are
    included."""
    searched = list(words)
    stems = {stem_word(word) for word in searched}
    # For scripts without spaces between words, look for the word anywhere.
    patterns = [re.escape(word) for word in searched if not word.isascii()]
    pattern = re.compile(
        "|".join([*sorted(patterns, key=len, reverse=True), r"\w+"]), re.IGNORECASE
    )
    lowered = {word.lower() for word in searched}
    for match in pattern.finditer(text):
        if stem_word(match[0]) in stems or match[0].lower() in lowered:
            yield match.start(), match.end()
