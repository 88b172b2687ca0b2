"""Text in charts: escaping, line breaks, and width."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

from dashboard.drawing.theme import Palette, RunStyle

SIZE = 13
LINE = 16
"""Height of a line of text, in px."""
NAME_LENGTH = 18
"""Maximum number of characters of a group's name in one line. Longer names are broken into two
lines."""
RUN_LENGTH = 22
"""Maximum number of characters of a run's name in a chart. Longer names are shortened in the
middle."""
_SHORTEST = 6
"""Minimum number of characters of a shortened name."""
_GROUP_LENGTH = 2 * NAME_LENGTH
_QUERY_LENGTH, _QUERY_LINE = 90, 46

# Advance widths of Inter in em, in classes; slightly too large, so that labels are never cut off.
_WIDTHS = {
    **dict.fromkeys(" !',.:;`Iijl|", 0.31),
    **dict.fromkeys("()/[]\\frt1{}", 0.40),
    **dict.fromkeys('"*-?^_aksvxyz', 0.56),
    **dict.fromkeys("ABCDGHKNOPQRSTUVXYw&$+<=>~", 0.74),
    **dict.fromkeys("MmW@%", 0.98),
}
_ORDINARY, _WIDE = 0.64, 1.05
_PIECES = re.compile(r"[^\s\-_./:,;]+[\-_./:,;]*\s*|[\-_./:,;]+\s*")
_CUT_WORD = re.compile(r"(?<=[\s\-_./:,;])[^\s\-_./:,;]{1,3}$")
_CUT_WORD_BEFORE = re.compile(r"^[^\s\-_./:,;]{1,3}(?=[\s\-_./:,;])")

_LAST_WORD = re.compile(r"[^\s\-_./:,;]*\Z")
"""Pattern of the text that follows the last break between words."""
_BETWEEN = re.compile(r"[\s\-_./:,;]+\Z")


def escape(text: object) -> str:
    """Escape a string for Plotly, so that tags, links and entities in it are not interpreted."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def wrap(text: str, length: int = NAME_LENGTH) -> list[str]:
    """Break a text into lines of at most `length` characters. Lines end at spaces or after one of -
    _ . / : if possible, otherwise inside a word. The result is not escaped."""
    if len(text) <= length:
        return [text.strip()]
    lines = [""]
    for piece in _PIECES.findall(text):
        if len(lines[-1]) + len(piece.rstrip()) > length and lines[-1]:
            lines.append("")
        while len(lines[-1]) + len(piece.rstrip()) > length:
            lines[-1], piece = piece[:length], piece[length:]
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line.strip()] or [""]


def shorten(text: str, length: int = RUN_LENGTH, *, between_words: bool = False) -> str:
    """Shorten a text in the middle to at most `length` characters. With `between_words`, the text
    is cut between words if this removes only a few more characters."""
    if len(text) <= length:
        return text
    ends = (length - 1) // 2
    head, tail = text[: length - 1 - ends], text[-ends:]
    if between_words:
        head, tail = _CUT_WORD.sub("", head), _CUT_WORD_BEFORE.sub("", tail)
    return f"{head.rstrip()}…{tail.lstrip()}"


def short_names(names: Iterable[str], length: int = RUN_LENGTH) -> dict[str, str]:
    """Map each name to a distinct short name.

    If no name is longer than `length`, all names stay unchanged. Otherwise, the words that all
    names begin or end with are removed, and names that are still too long are shortened in the
    middle. If several names would become equal, the text before their first difference is cut
    instead. A few results can be longer than `length`, because the short names must be distinct."""
    unique = list(dict.fromkeys(names))
    if max(map(len, unique), default=0) <= length:
        return {name: name for name in unique}
    rest = _remove_shared_words(unique)
    for allowed in range(length, max(length, *map(len, rest)) + 1):
        short = _shorten_to_distinct_names(rest, allowed)
        if len(set(short)) == len(unique):
            return dict(zip(unique, short, strict=True))
    return {name: name for name in unique}


def _shorten_to_distinct_names(names: Sequence[str], length: int) -> list[str]:
    """Shorten the names to `length` characters. If shortened names would become equal, most or all
    of the beginning that they share is removed."""
    short = [shorten(name, length) for name in names]
    for short_text, count in Counter(short).items():
        alike = [i for i, text in enumerate(short) if text == short_text]
        if count < 2 or length < _SHORTEST:
            continue
        # Keep the first letters if they distinguish these names from others.
        head = names[alike[0]][: length // 4] if count < len(names) else ""
        begin = _count_characters_to_cut([names[i] for i in alike], length // 3)
        rest = _shorten_to_distinct_names([names[i][begin:] for i in alike], length - len(head) - 1)
        for i, text in zip(alike, rest, strict=True):
            short[i] = f"{head}…{text.removeprefix('…')}"
    return short


def _count_characters_to_cut(names: Sequence[str], max_length: int) -> int:
    """Return the number of characters to cut off from the beginning of the names, so that their
    first difference is within the next `max_length` characters. If the word with the difference
    starts near enough, the names are cut at the start of this word."""
    shared = _common_prefix(names)
    word = len(_LAST_WORD.sub("", shared))
    return word if len(shared) - word <= max_length else len(shared) - min(max_length, 3)


def _remove_shared_words(names: Sequence[str]) -> list[str]:
    """Remove the words that all names begin or end with. The word before a number is kept, because
    a number alone says little."""
    if len(names) < 2:
        return list(names)
    begin = _common_leading_words(names)
    while begin and not all(re.search(r"[^\W\d_]", name[len(begin) :]) for name in names):
        begin = _LAST_WORD.sub("", _BETWEEN.sub("", begin))
    rest = [name[len(begin) :] for name in names]
    end = _common_leading_words([name[::-1] for name in rest])
    cut = [_BETWEEN.sub("", name[: len(name) - len(end)]) for name in rest]
    return cut if all(cut) and len(set(cut)) == len(cut) else list(names)


def _common_leading_words(names: Sequence[str]) -> str:
    """Return the words that all these names begin with."""
    return _LAST_WORD.sub("", _common_prefix(names))


def _common_prefix(names: Sequence[str]) -> str:
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def shorten_group_name(group: str) -> str:
    """Shorten a group's name in the middle if it would need more than two lines."""
    return shorten(group, _GROUP_LENGTH, between_words=True)


def wrap_group_name(group: str) -> list[str]:
    """Return the lines of a group's shortened name. There are at most three."""
    return wrap(shorten_group_name(group))


def hover_properties(text: str, shown_text: str) -> dict[str, str]:
    """Return the properties that add the whole text to a note as hover text. The result is empty if
    the note already shows the whole text."""
    return {} if text == shown_text else {"hovertext": escape(text)}


def wrap_html(text: str, length: int = NAME_LENGTH) -> str:
    """Escape a text and break it into lines of at most `length` characters."""
    return "<br>".join(escape(line) for line in wrap(text, length))


def query_hover_text(text: object) -> str:
    """Return the text of a query for a hover box. It is escaped, shortened to about 90 characters,
    and broken into lines of at most 46 characters."""
    return _query_hover_text(str(text))


@lru_cache(maxsize=1 << 14)
def _query_hover_text(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) > _QUERY_LENGTH:
        flat = flat[: _QUERY_LENGTH - 1].rstrip() + "…"
    return wrap_html(flat, _QUERY_LINE)


def text_width(text: str, *, size: float = SIZE, bold: bool = False) -> float:
    """Return the approximate width in px of one line of text."""
    em = sum(_WIDTHS.get(c, _ORDINARY if ord(c) < 0x1100 else _WIDE) for c in text)
    return em * size * (1.06 if bold else 1.0)


def widest_line_width(lines: Sequence[str], *, bold: bool = False) -> float:
    """Return the width in px of the widest line."""
    return max((text_width(line, bold=bold) for line in lines), default=0.0)


def color_text(html: str, color: str, *, bold: bool = False) -> str:
    """Return escaped text in a colour, optionally bold."""
    inner = f"<b>{html}</b>" if bold else html
    return f'<span style="color:{color}">{inner}</span>'


def run_name(style: RunStyle, palette: Palette, short_name: str = "") -> str:
    """Return a run's name in its colour, in bold for the run in focus. If `short_name` is given, it
    is shown instead of the name."""
    name = escape(short_name or style.name)
    return color_text(name, style.color(palette), bold=style.role == "focus")


def name_with_mark(style: RunStyle, palette: Palette, short_name: str = "") -> str:
    """Return the mark of a run, followed by the result of `run_name`."""
    return f"{color_text(style.glyph, style.color(palette))} {run_name(style, palette, short_name)}"


def name_width(style: RunStyle, short_name: str = "") -> float:
    """Return the width in px of the result of `run_name`."""
    return text_width(short_name or style.name, bold=style.role == "focus")
