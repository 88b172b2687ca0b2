"""Every pair as a cell: how far apart two runs are, and whether that is clear; and the places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Styles, style_of
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import BETTER_RUN, CANNOT_TELL, FEWEST_QUERIES, WORSE_RUN

PairLink = Callable[[str, str], str]
"""The address that compares a run with a baseline."""

_ROOMY = 8
"""Runs whose cells have room for a word below the number."""
_LEAST_COLOUR = 0.3
_WORDS = {BETTER_RUN: "ahead", WORSE_RUN: "behind", CANNOT_TELL: "may be chance"}

_drawn = Template("pairs")


@dataclass(frozen=True)
class _Run:
    """A run's row and column; `joined` are the names it cannot be told apart from in a bracket,
    `lanes` how each lane of brackets passes its row: "", "from", "through" or "to"."""

    style: RunStyle
    short: str
    mean: str
    place: str
    joined: tuple[str, ...]
    lanes: tuple[str, ...]


@dataclass(frozen=True)
class _Cell:
    """A pair: its link, difference, word, what is said when it is pointed at, and as CSS how full
    its colour is, "" for none."""

    link: str
    difference: str
    word: str
    told: str
    tone: str
    part: str
    first_time: bool


def pair_table(found: AllPairs, styles: Styles, compared: PairLink, *, label: str) -> Markup:
    """A table of all pairs of these runs, row minus column, best mean first; `compared` gives where
    a pair leads."""
    short = short_names(found.runs)
    brackets = _lanes(found.brackets())
    rows = [
        (_run(found, i, styles, short, brackets), [_cell(found, i, j, compared) for j in columns])
        for i, columns in ((i, range(len(found.runs))) for i in range(len(found.runs)))
    ]
    return _drawn(
        "pair_table",
        rows=rows,
        heads=[run for run, _ in rows],
        roomy=len(rows) <= _ROOMY,
        lanes=max((len(run.lanes) for run, _ in rows), default=0),
        label=label,
    )


def place(first: int, last: int) -> str:
    """A range of places: "1–4", or "3" where it is clear."""
    return w.count(first) if first == last else f"{w.count(first)}{w.DASH}{w.count(last)}"


def _lanes(brackets: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The brackets in lanes beside each other, so that no two in a lane touch."""
    lanes: list[list[tuple[int, int]]] = []
    for bracket in brackets:
        free = next((lane for lane in lanes if lane[-1][1] < bracket[0]), None)
        if free is None:
            lanes.append([bracket])
        else:
            free.append(bracket)
    return lanes


def _run(
    found: AllPairs,
    row: int,
    styles: Styles,
    short: dict[str, str],
    lanes: list[list[tuple[int, int]]],
) -> _Run:
    joined: dict[str, None] = {}
    passed = []
    for lane in lanes:
        own = next((b for b in lane if b[0] <= row <= b[1]), None)
        passed.append("" if own is None else {own[0]: "from", own[1]: "to"}.get(row, "through"))
        if own is not None:
            joined |= dict.fromkeys(found.runs[own[0] : own[1] + 1])
    joined.pop(found.runs[row], None)
    return _Run(
        style=style_of(styles, found.runs[row]),
        short=short[found.runs[row]],
        mean=w.score(float(found.means[row])),
        place=place(int(found.first[row]), int(found.last[row])),
        joined=tuple(joined),
        lanes=tuple(passed),
    )


def _cell(found: AllPairs, row: int, column: int, compared: PairLink) -> _Cell | None:
    if row == column:
        return None
    one, other = found.runs[row], found.runs[column]
    low, high = float(found.low[row, column]), float(found.high[row, column])
    digits = w.decimals(low, high)
    value, kind = float(found.difference[row, column]), found.verdict[row, column]
    shared = int(found.queries[row, column])
    word = _WORDS[kind] if shared >= FEWEST_QUERIES else "too few queries"
    told = f"{one} minus {other}: {w.difference(value, digits)}"
    if low == low:
        told += f" {w.interval(low, high, digits)}, p {w.score(found.p_corrected[row, column], 4)}"
    told += f"; {w.count(shared)} {w.plural(shared, 'query', 'queries')}; {word}"
    return _Cell(
        link=compared(one, other),
        difference=w.difference(value),
        word=word,
        told=told,
        tone={BETTER_RUN: "ahead", WORSE_RUN: "behind"}.get(kind, ""),
        part="" if kind == CANNOT_TELL else percent(_fullness(found, value)),
        first_time=column > row,
    )


def _fullness(found: AllPairs, value: float) -> float:
    """How full the colour of a difference is: full for the largest that is clear."""
    most = max(abs(found.difference[found.clear]).max(), 1e-12)
    return _LEAST_COLOUR + (1 - _LEAST_COLOUR) * abs(value) / most


@dataclass(frozen=True)
class _Place:
    """A run's row among the places: its range as CSS, and how many it is told apart from."""

    style: RunStyle
    link: str
    mean: str
    place: str
    start: str
    width: str
    behind: int
    ahead: int
    unclear: int
    difference: str
    told: str
    tone: str


def place_table(
    found: AllPairs, runs: Sequence[str], styles: Styles, against: str, compared: PairLink
) -> Markup:
    """These runs of all those `found`: the range of places of each, how many it is clearly ahead of
    and behind, and its difference to the run `against`."""
    total = len(found.runs)
    at = {run: i for i, run in enumerate(found.runs)}
    rows = []
    for run in runs:
        i, j = at[run], at[against]
        first, last = int(found.first[i]), int(found.last[i])
        own = run == against
        kind = found.verdict[i, j]
        rows.append(
            _Place(
                style=style_of(styles, run),
                link="" if own else compared(run, against),
                mean=w.score(float(found.means[i])),
                place=place(first, last),
                start=percent((first - 1) / total),
                width=percent((last - first + 1) / total),
                behind=first - 1,
                ahead=total - last,
                unclear=last - first,
                difference="" if own else w.difference(float(found.difference[i, j])),
                told="" if own else _WORDS[kind],
                tone={BETTER_RUN: "better", WORSE_RUN: "worse"}.get(kind, ""),
            )
        )
    return _drawn("place_table", rows=rows, against=style_of(styles, against), total=total)
