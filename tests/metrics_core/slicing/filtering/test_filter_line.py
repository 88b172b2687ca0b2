"""The filter line: what it keeps, what it refuses and where, what can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering import FilterColumns, parse_filter, split_line

COLUMNS: FilterColumns = {
    "category": np.array(["billing", "Returns", None, "billing"], dtype=object),
    "words in it": np.array(["a", "b", "a", None], dtype=object),
    "text": np.array(["Charged TWICE", 'say "hi"', "Straße 5", ""], dtype=object),
    "difference": np.array([-0.333, -0.1, np.nan, 0.2]),
    "titles-only": np.array([0.0, 1.0, 0.5, 0.25]),
    "words": np.array([2.0, 9.0, 5.0, np.nan]),
}


def kept(line: str) -> list[int]:
    return list(np.flatnonzero(parse_filter(line, COLUMNS).matches(COLUMNS)))


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ('category == "billing" and difference < -0.1 and words > 1', [0]),
        ("category = 'billing'", [0, 3]),
        ("Category != “billing”", [1]),
        ('not category == "billing"', [1]),
        ('category in ("Returns", "billing")', [0, 1, 3]),
        ('category not in ("Returns")', [0, 3]),
        ("words in (2, 5.0, 7)", [0, 2]),
        ("difference <= −0.1", [0, 1]),
        ("difference ≥ .2 or words<3", [0, 3]),
        ("titles-only>difference", [0, 1, 3]),
        ('text contains "twice"', [0]),
        ('text contains "STRASSE"', [2]),
        ('text not contains "twice"', [1, 2, 3]),
        ('text contains "say ""hi"""', [1]),
        ('`words in it` == "a" OR (words > 5 AND NOT difference > 0)', [0, 1, 2]),
        ("not not words == 5", [2]),
        ("words == 9 or words == 2 and difference > 0", [1]),
        ("(words == 9 or words == 2) and difference > 0", []),
        ("words < 3 or difference > -1e3", [0, 1, 3]),
    ],
)
def test_rows_that_a_line_keeps(line: str, rows: list[int]) -> None:
    assert kept(line) == rows


def test_a_missing_value_makes_nothing_true_whichever_way_it_is_asked() -> None:
    for line in ("difference > 0", "not difference > 0", "difference != 5", "difference in (1)"):
        assert 2 not in kept(line)
    assert kept("not (difference > 0 and words > 100)") == [0, 1, 2]
    assert kept('category contains "" or not category contains ""') == [0, 1, 3]


@pytest.mark.parametrize(
    ("line", "position", "found", "expected", "hint"),
    [
        ("", 0, "the end of the line", "a column", ""),
        ("diference < 0", 0, "diference", "a column", "Did you mean difference?"),
        ('word_in_it == "a"', 0, "word_in_it", "a column", "Did you mean `words in it`"),
        ("zzz > 1", 0, "zzz", "a column", "Available columns: category, `words in it`, text"),
        ("words", 5, "the end of the line", "an operator", ""),
        ("words >", 7, "the end of the line", "a number", ""),
        (
            'words > "5"',
            8,
            '"5"',
            "a number",
            "words contains numbers. Write the value without quotes.",
        ),
        (
            "category == 5",
            12,
            "5",
            "a text in quotes",
            "category contains text. Write the value in quotes.",
        ),
        ("category == billing", 12, "billing", "a text in quotes", "Put text in quotes."),
        ("category == words", 12, "words", "a text in quotes", "words contains numbers."),
        ('category < "a"', 9, "<", "an operator for text", "category contains text"),
        ('words contains "5"', 6, "contains", "an operator such as <", "words contains numbers."),
        ("words not 5", 10, "5", "“in” or “contains”", ""),
        ("words in 5", 9, "5", "an opening (", ""),
        ("words in (5", 11, "the end of the line", "a comma or a closing )", ""),
        ("words in ()", 10, ")", "a number", ""),
        ("words > 5 words", 10, "words", "“and”, “or” or the end of the line", ""),
        ("(words > 5", 10, "the end of the line", "“and”, “or” or a closing )", ""),
        ("words > 5)", 9, ")", "“and”, “or” or the end of the line", ""),
        ('category == "bill', 12, '"bill', 'a closing "', ""),
        ("words > 5;", 9, ";", "a column, an operator", ""),
        ("2words > 5", 0, "2words", "a column, an operator", "backticks"),
        ("words > 5 && words < 9", 10, "&", "a column, an operator", ""),
        ("__import__('os')", 0, "__import__", "a column", "Available columns"),
        ("words > [1]", 8, "[", "a column, an operator", ""),
        ('"words" > 5', 0, '"words"', "a column", "names have no quotes"),
    ],
)
def test_an_error_says_where_and_what(
    line: str, position: int, found: str, expected: str, hint: str
) -> None:
    with pytest.raises(FilterLineError) as caught:
        parse_filter(line, COLUMNS)
    error = caught.value
    assert (error.position, error.found) == (position, found)
    assert error.expected.startswith(expected) and hint in error.hint
    assert f"character {position + 1}" in error.message


def test_deep_and_long_lines_end_in_order() -> None:
    with pytest.raises(FilterLineError, match="parentheses"):
        parse_filter("(" * 100_000, COLUMNS)
    assert kept("not " * 20_000 + "words == 5") == [2]
    assert kept(" or ".join(["words == 5"] * 5_000)) == [2]
    assert kept(f"words < {'9' * 400}") == [0, 1, 2]


_PIECES = [
    *("and", "or", "not", "in", "contains", "(", ")", ",", "==", "!=", "<", "<=", ">", "=", "5"),
    *(
        "-1",
        "2.5e3",
        "x",
        "category",
        "text",
        "words",
        "difference",
        "`words in it`",
        "titles-only",
    ),
    *('"billing"', '"a"', '"', "`words"),
]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join)))
def test_any_text_is_a_filter_or_refused_in_its_own_words(line: str) -> None:
    try:
        found = parse_filter(line, COLUMNS).matches(COLUMNS)
        assert found.shape == (4,) and found.dtype == np.bool_
    except FilterLineError as error:
        assert 0 <= error.position <= len(line)


Literal = Callable[[dict[str, Any]], bool | None]
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@st.composite
def _numeric(draw: st.DrawFn) -> tuple[str, Literal]:
    name, sign = draw(st.sampled_from("ab")), draw(st.sampled_from(sorted(_COMPARED)))
    value = draw(st.sampled_from([-1, 0, 1.5]))
    return (
        f"{name} {sign} {value}",
        lambda row: None if row[name] is None else _COMPARED[sign](row[name], value),
    )


@st.composite
def _textual(draw: st.DrawFn) -> tuple[str, Literal]:
    texts = draw(st.lists(st.sampled_from(["x", "XY", 'q"']), min_size=1, max_size=2))
    written = ", ".join('"' + t.replace('"', '""') + '"' for t in texts)
    if draw(st.booleans()):
        return f"t in ({written})", lambda row: None if row["t"] is None else row["t"] in texts
    first = written.split(", ")[0]
    return (
        f"t contains {first}",
        lambda row: None if row["t"] is None else texts[0].lower() in row["t"].lower(),
    )


def _not(part: tuple[str, Literal]) -> tuple[str, Literal]:
    def turned(row: dict[str, Any]) -> bool | None:
        inner = part[1](row)
        return None if inner is None else not inner

    return f"not ({part[0]})", turned


def _both(parts: tuple[tuple[str, Literal], tuple[str, Literal], bool]) -> tuple[str, Literal]:
    (one, left), (two, right), either = parts

    def joined(row: dict[str, Any]) -> bool | None:
        known = {left(row), right(row)}
        if either in known:
            return either
        return None if None in known else not either

    return f"({one}) {'or' if either else 'and'} ({two})", joined


_LINES = st.recursive(
    st.one_of(_numeric(), _textual()),
    lambda inner: st.one_of(inner.map(_not), st.tuples(inner, inner, st.booleans()).map(_both)),
    max_leaves=6,
)
_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.sampled_from([None, -1.0, 0.0, 2.0]),
            "b": st.sampled_from([None, 1.5, 0.0]),
            "t": st.sampled_from([None, "x", "xy", 'Q"', ""]),
        }
    ),
    max_size=6,
)


@settings(max_examples=80, deadline=None)
@given(_LINES, _ROWS)
def test_whole_columns_say_what_row_by_row_says(
    line: tuple[str, Literal], rows: list[dict[str, Any]]
) -> None:
    columns: FilterColumns = {
        **{n: np.array([row[n] for row in rows], dtype=np.float64) for n in "ab"},
        "t": np.array([row["t"] for row in rows], dtype=object),
    }
    found = parse_filter(line[0], columns).matches(columns)
    assert list(found) == [line[1](row) is True for row in rows]
    for name in columns:
        own, rest = split_line(line[0], columns, name)
        assert not own or parse_filter(own, columns).columns == (name,)
        both = [parse_filter(part, columns).matches(columns) for part in (own, rest) if part]
        assert list(np.logical_and.reduce(both)) == list(found)


@pytest.mark.parametrize(
    ("line", "own", "rest"),
    [
        ("", "", ""),
        ("words > 5", "words > 5", ""),
        ("difference < 0", "", "difference < 0"),
        ("words > 5 and difference < 0 and words < 9", "words > 5 and words < 9", "difference < 0"),
        ("not words > 5 and (words < 3)", "not words > 5 and (words < 3)", ""),
        ("words > 5 or difference < 0", "", "(words > 5 or difference < 0)"),
        ("words > 5 or words < 2", "(words > 5 or words < 2)", ""),
        ("words > difference", "", "words > difference"),
        ("(words > 5 and difference < 0)", "", "(words > 5 and difference < 0)"),
    ],
)  # fmt: skip
def test_the_tests_of_a_column_are_split_from_the_rest(line: str, own: str, rest: str) -> None:
    assert split_line(line, COLUMNS, "words") == (own, rest)


def test_an_invalid_line_is_not_split() -> None:
    with pytest.raises(FilterLineError, match="word"):
        split_line("word > 5", COLUMNS, "words")
