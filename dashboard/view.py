"""View: what the reader has chosen, as one value, and how it stands in the address.

Every value from the address is checked against what is loaded; what does not fit falls back to the
default, so that an old link still opens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics_core.errors import RanklensError
from metrics_core.measures import Declaration, Measure, declarations, parse_measure

SHOW_ALL = "all"
SHOWS = (SHOW_ALL, "better", "worse", "same", "none", "zero")
"""Keys of the query lists: every query, the three outcomes, every run fails, the focus at zero."""

CUTOFFS = (1, 3, 5, 10, 20)
DEFAULT_MEASURE = "nDCG@k"
NOBODY = "-"
"""Stands in the address for "no further run is shown"."""

_ALSO_SHOWN = 3
_WHOLE_LIST_FIRST = ("AP", "RR")


@dataclass(frozen=True)
class Address:
    """The parameters of the address as they stand there; empty means default."""

    set: str = ""
    run: str = ""
    base: str = ""
    also: tuple[str, ...] = ()
    m: str = ""
    k: str = ""
    where: tuple[str, ...] = ()
    show: str = ""
    s: str = ""
    by: str = ""
    qrels: str = ""
    q: str = ""


MULTIPLE = ("also", "where")
"""Parameters that may stand several times."""


@dataclass(frozen=True)
class View:
    """The checked choice. `where` holds (column, value) pairs: values of one column are
    alternatives, columns narrow each other."""

    focus: str
    baseline: str
    also: tuple[str, ...]
    measure: Measure
    measure_key: str
    cutoff: int
    where: tuple[tuple[str, str], ...]
    show: str
    search: str
    by: str
    query_id: str

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs shown: in focus, baseline, then the others; each once."""
        return tuple(dict.fromkeys((self.focus, self.baseline, *self.also)))

    @property
    def family(self) -> str:
        """The measure's name without its cutoff."""
        return str(self.measure).rpartition("@")[0] or str(self.measure)

    def chosen(self, column: str) -> tuple[str, ...]:
        """The values of this column that the view is narrowed to; empty: all."""
        return tuple(value for name, value in self.where if name == column)


@dataclass(frozen=True)
class MeasureChoice:
    """An entry of the measure picker; `key` stands in the address."""

    key: str
    label: str
    declaration: Declaration
    takes_k: bool

    def at(self, cutoff: int) -> Measure:
        """The measure at the chosen cutoff, or without one where it takes none."""
        return self.declaration(**({"cutoff": cutoff} if self.takes_k else {}))


def measure_choices() -> list[MeasureChoice]:
    """What the measure picker offers, the usual ones first; counts are no measures of quality."""
    choices = []
    for d in declarations():
        if d.aggregation != "mean" or any(p.required for p in d.parameters if p != d.cutoff):
            continue
        if d.cutoff is None:
            choices.append(MeasureChoice(d.name, d.name, d, takes_k=False))
            continue
        at_k = MeasureChoice(f"{d.name}@k", d.name, d, takes_k=True)
        if d.cutoff.required:
            choices.append(at_k)
        elif d.name in _WHOLE_LIST_FIRST:
            whole = MeasureChoice(d.name, d.name, d, takes_k=False)
            choices += [whole, replace(at_k, label=f"{d.name} of the top k")]
        else:
            whole = MeasureChoice(d.name, f"{d.name} of the whole list", d, takes_k=False)
            choices += [at_k, whole]
    order = {"nDCG@k": 0, "P@k": 1, "R@k": 2, "RR": 3, "AP": 4}
    return sorted(choices, key=lambda c: order.get(c.key, len(order)))


def read_measure(key: str, cutoff: int) -> tuple[Measure, str]:
    """The measure an address names, and its key; the default where it names none. A name beyond
    the picker's, such as P(rel=2)@k, is taken too."""
    for choice in measure_choices():
        if choice.key == key:
            return choice.at(cutoff), key
    if key:
        try:
            return parse_measure(key.replace("@k", f"@{cutoff}")), key
        except RanklensError:
            pass
    return read_measure(DEFAULT_MEASURE, cutoff)


def read_cutoff(text: str, *, deepest: int) -> int:
    """A cutoff from the address, 10 where it is none."""
    return (
        min(int(text), max(deepest, 1)) if text.isascii() and text.isdigit() and int(text) else 10
    )


def read_where(
    pairs: Sequence[str], groups: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, str], ...]:
    """The filters of an address that name a column and a value there is."""
    found = []
    for pair in pairs:
        # A column's name may hold "=" itself.
        for column, values in groups.items():
            if pair.startswith(f"{column}=") and pair[len(column) + 1 :] in values:
                found.append((column, pair[len(column) + 1 :]))
    return tuple(dict.fromkeys(found))


def choose_runs(
    address: Address, names: Sequence[str], best_first: Sequence[str]
) -> tuple[str, str, tuple[str, ...]]:
    """Run in focus, baseline and the others shown. By default the baseline is a run that is named
    like one, else the first, and the best of the others is in focus."""
    baseline = address.base if address.base in names else default_baseline(names)
    rest = [name for name in best_first if name != baseline]
    focus = address.run if address.run in names else (rest[0] if rest else baseline)
    others = [name for name in best_first if name not in (focus, baseline)]
    if NOBODY in address.also:
        return focus, baseline, ()
    asked = tuple(name for name in others if name in address.also)
    return focus, baseline, asked or tuple(others[:_ALSO_SHOWN])


def default_baseline(names: Sequence[str]) -> str:
    """The run that is named like a baseline, else the first."""
    for hint in ("baseline", "bm25", "production", "current"):
        for name in names:
            if hint in name.lower():
                return name
    return names[0]
