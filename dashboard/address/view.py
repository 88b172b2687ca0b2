"""View: what the reader has chosen, as one value.

Every value of an address is checked against what is loaded. What does not fit is told in `lacking`
and shown where the page would be: a link never shows something else than it was sent for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.address.address import CONTROLS, MISSING, SHARED_QUERIES, Address, Control, Pair
from dashboard.address.measure_key import Chosen, at_k, read_measure
from dashboard.address.method_key import read_method
from metrics_core.base.digits import whole_number
from metrics_core.base.errors import RanklensError, UnknownMeasureError
from metrics_core.base.wording import listing
from metrics_core.comparing.method import METHOD, Method
from metrics_core.measures import Measure
from metrics_core.slicing.derived_groups import MARK

CUTOFFS = (1, 3, 5, 10, 20)
NOBODY, EVERYBODY = "-", "*"
"""Stand in the address for "no further run is shown" and "all are"."""

_ALSO_SHOWN = 3
_DEFAULT_CUTOFF = 10
_ANY = read_measure("", _DEFAULT_CUTOFF)


@dataclass(frozen=True)
class Comparison:
    """What is compared: all that the numbers of a comparison depend on, and so the key under which
    they are kept. `where` holds (column, value) pairs: values of one column are alternatives,
    columns narrow each other. `loaded` is how many runs there are to choose from. `controls` holds
    the word of each of `CONTROLS`."""

    focus: str
    baseline: str
    also: tuple[str, ...]
    chosen: Chosen
    cutoff: int
    where: tuple[Pair, ...] = ()
    loaded: int = 0
    method: Method = METHOD
    controls: tuple[str, ...] = ("",) * len(CONTROLS)

    def word(self, control: Control) -> str:
        """What this control is set to; "" as usual."""
        return self.controls[CONTROLS.index(control)]

    def usual(self, control: Control) -> Comparison:
        """The same with this control as it usually is."""
        return replace(self, controls=self._words(lambda own: own is not control))

    def _words(self, kept: Callable[[Control], bool]) -> tuple[str, ...]:
        """The words of the controls that are kept, the others as usual."""
        each = zip(CONTROLS, self.controls, strict=True)
        return tuple(word if kept(control) else "" for control, word in each)

    @property
    def shared(self) -> bool:
        """Whether only the queries that both compared runs list are in view."""
        return self.word(MISSING) == SHARED_QUERIES

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs shown: in focus, baseline, then the others; each once."""
        return tuple(dict.fromkeys((self.focus, self.baseline, *self.also)))

    @property
    def alone(self) -> bool:
        """Whether nothing is compared: the run in focus is the baseline itself."""
        return self.focus == self.baseline

    @property
    def every_run(self) -> str:
        """What may be said of all runs shown: they are all that are loaded, or not."""
        if len(self.runs) == 2 and self.loaded <= 2:
            return "both runs"
        return "every run" if len(self.runs) >= self.loaded else "every shown run"

    @property
    def measure(self) -> Measure:
        """The chosen measure at the chosen cutoff."""
        return self.chosen.measure

    @property
    def name(self) -> str:
        """The measure's name, cutoff included."""
        return str(self.measure)

    @property
    def family(self) -> str:
        """The measure's name without its cutoff."""
        return self.name.rpartition("@")[0] or self.name

    @property
    def narrowing(self) -> Comparison:
        """The part on which the queries in view depend: who is compared matters only where a
        derived column or a control narrows them; measure and cutoff only for a derived
        column."""
        derived = any(column.endswith(MARK) for column, _ in self.where)
        words = self._words(lambda control: control.narrows)
        pair = (self.focus, self.baseline) if derived or any(words) else ("", "")
        scored = (self.chosen, self.cutoff) if derived else (_ANY, _DEFAULT_CUTOFF)
        return Comparison(*pair, (), *scored, self.where, controls=words)

    def narrowed_to(self, column: str) -> tuple[str, ...]:
        """The values of this column that the queries are narrowed to; empty: all."""
        return tuple(value for name, value in self.where if name == column)

    def narrowed(self, picked: Mapping[str, Sequence[str]]) -> tuple[Pair, ...]:
        """The filters with the values of these columns replaced; no values: all."""
        kept = [pair for pair in self.where if pair[0] not in picked]
        return (*kept, *((column, v) for column, values in picked.items() for v in values))


@dataclass(frozen=True)
class View:
    """What the reader sees: the comparison, and the address with the pages' own fields. `lacking`
    says, by field, what the address asks for that is not there. `guessed`: the address names no
    baseline, and its name decided, not its place."""

    comparison: Comparison
    address: Address
    lacking: Mapping[str, str] = field(default_factory=dict, hash=False)
    guessed: bool = False

    @property
    def pinned(self) -> Address:
        """The address with what it leaves to a default, so that a link shows the same later; what
        it asks for and is not there stays, so that it is still said."""
        return self.address.changed(
            run=self.address["run"] or self.comparison.focus,
            base=self.address["base"] or self.comparison.baseline,
        )

    def comparing(self, run: str, baseline: str = "") -> dict[str, Any]:
        """What changes in the address when this run is put in focus, or against another baseline:
        the runs that are shown by name stay shown."""
        shown = self.comparison
        against = baseline or shown.baseline
        also = self.address["also"]
        if also and not {NOBODY, EVERYBODY} & set(also):
            rest = tuple(name for name in shown.runs if name not in (run, against))
            also = rest or (NOBODY,)
        return {"run": run, "base": against, "also": also}


def address_on(
    measure: Measure, baseline: str = "", run: str = "", also: tuple[str, ...] = ()
) -> Address:
    """The address of this measure at its own cutoff, with these runs where they are named."""
    k = str(measure.cutoff or _DEFAULT_CUTOFF)
    return Address.of(m=at_k(measure), k=k, base=baseline, run=run, also=also)


def read_cutoff(text: str, *, deepest: int) -> int:
    """A cutoff from the address, 10 where it is none; never deeper than the lists."""
    cutoff = whole_number(text)
    return min(cutoff, max(deepest, 1)) if cutoff else _DEFAULT_CUTOFF


def choose_runs(
    address: Address, names: Sequence[str], best_first: Sequence[str], usual: str
) -> tuple[str, str, tuple[str, ...]]:
    """Run in focus, baseline and the others shown. By default the baseline is the `usual` one, and
    the best of the others is in focus."""
    baseline = address["base"] if address["base"] in names else usual
    rest = [name for name in best_first if name != baseline]
    focus = address["run"] if address["run"] in names else (rest[0] if rest else baseline)
    others = [name for name in best_first if name not in (focus, baseline)]
    if NOBODY in address["also"]:
        return focus, baseline, ()
    if EVERYBODY in address["also"]:
        return focus, baseline, tuple(others)
    asked = tuple(name for name in others if name in address["also"])
    return focus, baseline, asked or tuple(others[:_ALSO_SHOWN])


def lacking(
    address: Address,
    names: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    query_ids: Mapping[str, object],
    chosen: Chosen,
    refused: Mapping[str, RanklensError],
) -> dict[str, str]:
    """What an address asks for that these files do not have, as a sentence for each field;
    `refused` are runs that are here and do not fit."""
    found = {}
    wanted = [address["run"], address["base"], *address["also"]]
    runs = dict.fromkeys(n for n in wanted if n and n not in (*names, NOBODY, EVERYBODY))
    if runs:
        told = [str(refused[name]) for name in runs if name in refused]
        gone = [name for name in runs if name not in refused]
        found["run"] = " ".join([*([_have_no("run", gone)] if gone else []), *told])
    columns = dict.fromkeys(column for column, _ in address["where"])
    unknown = [column for column in columns if column not in groups]
    values = [
        f"{value} in {column}"
        for column, value in address["where"]
        if column in groups and value not in groups[column]
    ]
    if unknown or values:
        found["where"] = _have_no("column", unknown) if unknown else _have_no("value", values)
    if chosen.refused is not None:
        found["m"] = _refused(chosen.refused)
    if address["k"] and not whole_number(address["k"]):
        found["k"] = f"k = {address['k']} is not a cutoff. A cutoff is a whole number from 1."
    for control in CONTROLS:
        if address[control.name] != control.read(address):
            words = listing(control.words, "or")
            found[control.name] = (
                f"{control.name}={address[control.name]} is not a valid choice. Use {words}."
            )
    method = read_method(address, chosen.measure)[1]
    if method:
        found["test"] = method
    query_id = address["q"] if any(f.name == "q" for f in address.fields) else ""
    if query_id and query_id not in query_ids:
        found["q"] = _have_no("query", [query_id])
    return found


def _refused(error: RanklensError) -> str:
    near = error.nearest if isinstance(error, UnknownMeasureError) else ()
    return f"{error.message} Did you mean {listing(near, 'or')}?" if near else error.message


def _have_no(what: str, names: Sequence[str] | Mapping[str, object]) -> str:
    return f"These files have no {what} {' and no '.join(names)}."
