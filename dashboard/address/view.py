"""View: what the reader has chosen, as one value, and how it stands in the address.

Every value from the address is checked against what is loaded; what does not fit falls back to the
default, so that an old link still opens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.address.measure_key import Chosen
from metrics_core.measures import Measure

SHOW_ALL = "all"
SHOWS = (SHOW_ALL, "better", "worse", "same", "none", "zero")
"""Keys of the query lists: every query, the three outcomes, every run fails, the focus at zero."""

CUTOFFS = (1, 3, 5, 10, 20)
NOBODY = "-"
"""Stands in the address for "no further run is shown"."""

_ALSO_SHOWN = 3


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
    measure: str = ""
    find: str = ""
    family: str = ""


MULTIPLE = ("also", "where")
"""Parameters that may stand several times."""


@dataclass(frozen=True)
class View:
    """The checked choice. `where` holds (column, value) pairs: values of one column are
    alternatives, columns narrow each other."""

    focus: str
    baseline: str
    also: tuple[str, ...]
    chosen: Chosen
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
    def measure(self) -> Measure:
        """The chosen measure at the chosen cutoff."""
        return self.chosen.measure

    @property
    def family(self) -> str:
        """The measure's name without its cutoff."""
        return str(self.measure).rpartition("@")[0] or str(self.measure)

    def narrowed_to(self, column: str) -> tuple[str, ...]:
        """The values of this column that the view is narrowed to; empty: all."""
        return tuple(value for name, value in self.where if name == column)


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
