"""The view: all choices of the user as one value.

Every value of an address is checked against the loaded files. `explain_missing_items` describes the
values that do not exist; these messages are shown instead of the page, so that a link never shows
anything other than what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.address.address import SHARED_QUERIES, Address, Pair
from dashboard.address.measure_key import ChosenMeasure, key_at_k, read_measure
from dashboard.address.method_key import read_method
from metrics_core.base.digits import parse_whole_number
from metrics_core.base.errors import RanklensError, UnknownMeasureError
from metrics_core.base.wording import join_words
from metrics_core.comparing.method import DEFAULT_METHOD, Method
from metrics_core.comparing.tested_quantities import is_mean_tested
from metrics_core.measures import Measure
from metrics_core.slicing.derived_groups import MARK

CUTOFFS = (1, 3, 5, 10, 20)
NO_OTHER_RUN, ALL_RUNS = "-", "*"
"""Values in the address that mean "no other runs" and "all runs"."""

_ALSO_SHOWN = 3
_DEFAULT_CUTOFF = 10
_ANY = read_measure("", _DEFAULT_CUTOFF)


@dataclass(frozen=True)
class Comparison:
    """Everything that the numbers of a comparison depend on. It is therefore the cache key of these
    numbers.

    `filters` are (column, value) pairs. A query passes if, in every column that occurs in them, its
    value is one of the values paired with that column. `loaded` is the number of loaded runs.
    If `is_limited_to_shared_queries` is true, only queries that are in both compared runs are in
    view."""

    focus: str
    baseline: str
    other_runs: tuple[str, ...]
    chosen_measure: ChosenMeasure
    cutoff: int
    filters: tuple[Pair, ...] = ()
    loaded: int = 0
    method: Method = DEFAULT_METHOD
    is_limited_to_shared_queries: bool = False

    @property
    def runs(self) -> tuple[str, ...]:
        """The shown runs without duplicates: first the run in focus, then the baseline, then the
        other runs."""
        return tuple(dict.fromkeys((self.focus, self.baseline, *self.other_runs)))

    @property
    def is_single_run(self) -> bool:
        """Whether the comparison has only one run, because the run in focus is also the
        baseline."""
        return self.focus == self.baseline

    @property
    def every_run(self) -> str:
        """The phrase for all shown runs in a sentence: "both runs", "every run", or "every shown
        run" if more runs are loaded than shown."""
        if len(self.runs) == 2 and self.loaded <= 2:
            return "both runs"
        return "every run" if len(self.runs) >= self.loaded else "every shown run"

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the run in focus and of the baseline."""
        return self.focus, self.baseline

    @property
    def measure(self) -> Measure:
        """The chosen measure at the chosen cutoff."""
        return self.chosen_measure.measure

    @property
    def name(self) -> str:
        """The measure's name with its cutoff."""
        return str(self.measure)

    @property
    def has_direction(self) -> bool:
        """Whether the measure declares which direction is better."""
        return self.measure.declaration.direction != 0

    @property
    def compares_means(self) -> bool:
        """Whether the test compares means, rather than the typical ratio or the sign of the
        differences."""
        return is_mean_tested(self.measure)

    @property
    def family(self) -> str:
        """The measure's name without its cutoff."""
        return self.name.rpartition("@")[0] or self.name

    @property
    def comparison_that_selects_queries(self) -> Comparison:
        """The comparison with defaults in place of all values that have no effect on which queries
        are in view.

        The compared runs are kept only if queries are selected by a derived column or by being in
        both runs. Measure and cutoff are kept only if a derived column selects them."""
        derived = any(column.endswith(MARK) for column, _ in self.filters)
        only_shared = self.is_limited_to_shared_queries
        pair = (self.focus, self.baseline) if derived or only_shared else ("", "")
        scored = (self.chosen_measure, self.cutoff) if derived else (_ANY, _DEFAULT_CUTOFF)
        return Comparison(
            *pair, (), *scored, self.filters, is_limited_to_shared_queries=only_shared
        )

    def filter_values(self, column: str) -> tuple[str, ...]:
        """Return the values by which a column is filtered. The result is empty if the column has no
        filter."""
        return tuple(value for name, value in self.filters if name == column)

    def replace_filters(self, new_filters: Mapping[str, Sequence[str]]) -> tuple[Pair, ...]:
        """Return the filters with new values for some columns. If the new values of a column are
        empty, the column is removed from the filters."""
        other_filters = [pair for pair in self.filters if pair[0] not in new_filters]
        return (
            *other_filters,
            *((column, v) for column, values in new_filters.items() for v in values),
        )


@dataclass(frozen=True)
class View:
    """What a page shows: the comparison, and the whole address, including the fields of single
    pages.

    `lacking` has a message for each address field whose requested value does not exist. `guessed`
    is true if the address names no baseline, and the run names suggested a baseline other than the
    first run."""

    comparison: Comparison
    address: Address
    lacking: Mapping[str, str] = field(default_factory=dict, hash=False)
    guessed: bool = False

    @property
    def pinned_address(self) -> Address:
        """The address with the default runs written out, so that the link shows the same runs
        later. Requested values that do not exist are kept, because the page must still report
        them."""
        return self.address.with_values(
            run=self.address["run"] or self.comparison.focus,
            base=self.address["base"] or self.comparison.baseline,
        )

    def address_changes_to_compare(self, run: str, baseline: str = "") -> dict[str, Any]:
        """Return the changes to the address that put `run` in focus and, if `baseline` is given,
        compare it with this baseline. Other runs that the address names remain shown."""
        comparison = self.comparison
        baseline_name = baseline or comparison.baseline
        other_runs = self.address["also"]
        if other_runs and not {NO_OTHER_RUN, ALL_RUNS} & set(other_runs):
            other_names = tuple(
                name for name in comparison.runs if name not in (run, baseline_name)
            )
            other_runs = other_names or (NO_OTHER_RUN,)
        return {"run": run, "base": baseline_name, "also": other_runs}


def address_for_measure(
    measure: Measure, baseline: str, run: str, other_runs: tuple[str, ...] = ()
) -> Address:
    """Return the address that shows this measure at the measure's own cutoff. It also selects
    the baseline, the run and the other runs that are not empty."""
    k = str(measure.cutoff or _DEFAULT_CUTOFF)
    return Address.create(m=key_at_k(measure), k=k, base=baseline, run=run, also=other_runs)


def replace_former_names(
    address: Address, new_names: Mapping[str, str], names: Sequence[str]
) -> Address:
    """Replace original names of renamed runs with their current names, so that earlier links still
    work. `new_names` maps original to current names; `names` are the loaded runs."""

    def current_name(name: str) -> str:
        return new_names.get(name, name) if name not in names else name

    if not new_names:
        return address
    field_names = {f.name for f in address.fields}
    changed = {"run": current_name(address["run"]), "base": current_name(address["base"])}
    other_fields = {
        f: tuple(map(current_name, address[f])) for f in ("also", "versions") if f in field_names
    }
    return address.with_values(**changed, **other_fields)


def read_cutoff(text: str, *, deepest_cutoff: int) -> int:
    """Parse a cutoff from the address. An invalid cutoff becomes 10; a cutoff greater than
    `deepest_cutoff` becomes `deepest_cutoff`."""
    cutoff = parse_whole_number(text)
    return min(cutoff, max(deepest_cutoff, 1)) if cutoff else _DEFAULT_CUTOFF


def choose_runs(
    address: Address, names: Sequence[str], runs_by_score: Sequence[str], default_run: str
) -> tuple[str, str, tuple[str, ...]]:
    """Return the run in focus, the baseline and the other shown runs that an address selects. By
    default the baseline is `default_run`, and the best of the remaining runs is in focus."""
    baseline = address["base"] if address["base"] in names else default_run
    candidates = [name for name in runs_by_score if name != baseline]
    focus = (
        address["run"] if address["run"] in names else (candidates[0] if candidates else baseline)
    )
    other_names = [name for name in runs_by_score if name not in (focus, baseline)]
    if NO_OTHER_RUN in address["also"]:
        return focus, baseline, ()
    if ALL_RUNS in address["also"]:
        return focus, baseline, tuple(other_names)
    named_runs = tuple(name for name in other_names if name in address["also"])
    return focus, baseline, named_runs or tuple(other_names[:_ALSO_SHOWN])


def explain_missing_items(
    address: Address,
    names: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    query_ids: Mapping[str, object],
    chosen_measure: ChosenMeasure,
    refused_runs: Mapping[str, RanklensError],
) -> dict[str, str]:
    """Return a message for each field of the address whose value does not exist in these files.
    `refused_runs` has the error of each run that does not fit the judgments."""
    messages = {}
    run_names = [address["run"], address["base"], *address["also"]]
    runs = dict.fromkeys(n for n in run_names if n and n not in (*names, NO_OTHER_RUN, ALL_RUNS))
    if runs:
        refusals = [str(refused_runs[name]) for name in runs if name in refused_runs]
        unknown_runs = [name for name in runs if name not in refused_runs]
        messages["run"] = " ".join(
            [*([_missing_text("run", unknown_runs)] if unknown_runs else []), *refusals]
        )
    columns = dict.fromkeys(column for column, _ in address["where"])
    unknown = [column for column in columns if column not in groups]
    values = [
        f"{value} in {column}"
        for column, value in address["where"]
        if column in groups and value not in groups[column]
    ]
    if unknown or values:
        messages["where"] = (
            _missing_text("column", unknown) if unknown else _missing_text("value", values)
        )
    if chosen_measure.refused is not None:
        messages["m"] = _refusal_text(chosen_measure.refused)
    if address["k"] and not parse_whole_number(address["k"]):
        messages["k"] = (
            f"k = {address['k']} is not a cutoff. A cutoff is a whole number from 1 upwards."
        )
    if address["missing"] not in ("", SHARED_QUERIES):
        messages["missing"] = (
            f"missing={address['missing']} is not a valid choice. Use {SHARED_QUERIES}."
        )
    method = read_method(address, chosen_measure.measure)[1]
    if method:
        messages["test"] = method
    for name in {"q", "open"} & {f.name for f in address.fields}:
        if address[name] and address[name] not in query_ids:
            messages[name] = _missing_text("query", [address[name]])
    return messages


def _refusal_text(error: RanklensError) -> str:
    suggestions = error.nearest if isinstance(error, UnknownMeasureError) else ()
    return (
        f"{error.message} Did you mean {join_words(suggestions, 'or')}?"
        if suggestions
        else error.message
    )


def _missing_text(noun: str, names: Sequence[str] | Mapping[str, object]) -> str:
    return f"These files do not contain the {noun} {' or '.join(names)}."
