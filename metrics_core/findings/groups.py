"""Where the difference comes from, by groups of queries: what the page is headed by, which groups
bring it, and what goes against it."""

from __future__ import annotations

import math

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.comparing.winners import side_of
from metrics_core.findings.group_nouns import Noun
from metrics_core.findings.sentence import Sentence, aside, muted, run, strong
from metrics_core.findings.verdicts import too_few
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.composition import is_reversed

LONGEST_TITLE = 60
"""Characters of what heads a page, at most."""

SLICES_AWAITED = f"slices are being tested ({w.share(1 - LEVEL)} false discovery rate)"
"""What stands where `slices_finding` will."""

_NAMED = 3
_CONCENTRATED, _WORTH_TELLING = 1.5, 0.1
"""How many times its share of the queries a group must bring for the lead to tell its part, and how
much of the whole at least."""

_SHARES = (
    (0.95, "nearly all"),
    (0.7, "most"),
    (0.55, "more than half"),
    (0.45, "half"),
    (0.36, "two fifths"),
    (0.29, "a third"),
    (0.22, "a quarter"),
    (0.17, "a fifth"),
)


_GROUP = Noun()


def groups_title(
    bridge: pd.DataFrame, focus: str, *, noun: Noun = _GROUP, higher_is_better: bool = True
) -> Sentence:
    """Where the difference comes from, in at most so many characters as head a page. A group is
    named only where it brings most and is unlike the rest; else the means are counted, unless they
    go both ways and no group is significant. `bridge` is the frame of `slicing.bridge` with the
    columns clear, and unlike (the rest)."""
    queries = int(bridge["queries"].sum())
    if queries < FEWEST_QUERIES:
        return too_few(queries).parted[0]
    if len(bridge) == 1:
        return strong(
            _fitting(f"All queries are {bridge['group'].iloc[0]}", "", "There is one group")
        )
    whole = math.fsum(bridge["part"])
    if not _printed(whole):
        told = (
            "The means differ by less than 0.0005" if side_of(whole) else "The means are the same"
        )
        return strong(told)
    if lead := _main_group(bridge, whole):
        verb = "gains" if (whole > 0) == higher_is_better else "loses"
        least = f" {verb} most in one of {w.number(len(bridge))} groups"
        return run(focus) + strong(_fitting(f" {verb} most in {lead}", focus, least))
    if _is_open(bridge, whole):
        said = _significant(bridge, len(bridge), noun, higher_is_better)
        return strong(_fitting(said, "", "No group is significant by itself"))
    how, counted = _counted(bridge, whole)
    told = f" scores {how} in {counted} "
    return run(focus) + strong(_fitting(told + noun.many, focus, told + "groups"))


def _counted(bridge: pd.DataFrame, whole: float) -> tuple[str, str]:
    """Which way the whole goes, "higher" or "lower", and how many groups go with it."""
    with_it, _ = _sides(bridge, whole)
    counted = f"all {w.number(len(bridge))}"
    if len(with_it) < len(bridge):
        counted = f"{w.number(len(with_it))} of {w.number(len(bridge))}"
    elif len(bridge) == 2:
        counted = "both"
    return "higher" if whole > 0 else "lower", counted


def _is_open(bridge: pd.DataFrame, whole: float) -> bool:
    """Whether some groups go with the whole and some do not, none of them significantly: counted in
    a title they would pass for a result."""
    with_it, _ = _sides(bridge, whole)
    named = not _printed(whole) or _main_group(bridge, whole)
    return not named and len(with_it) < len(bridge) and not bridge["clear"].any()


def _fitting(text: str, before: str, less: str) -> str:
    """The text, or less of it where it is too long for a title that begins with so much."""
    return text if len(before + text) <= LONGEST_TITLE else less


def alone_title(
    groups: pd.DataFrame, focus: str, *, noun: Noun = _GROUP, higher_is_better: bool = True
) -> Sentence:
    """Where a run that is compared with nothing is worst: group, queries and mean of each."""
    enough = groups[(groups["queries"] >= FEWEST_QUERIES) & groups["mean"].notna()]
    plain = run(focus) + strong(f" by {noun.one}")
    if enough["mean"].map(w.score).nunique() < 2:
        return plain
    worst = enough["mean"].idxmin() if higher_is_better else enough["mean"].idxmax()
    how = "lowest" if higher_is_better else "highest"
    told = f" scores {how} in {enough.loc[worst, 'group']}"
    return plain if len(focus + told) > LONGEST_TITLE else run(focus) + strong(told)


def groups_lead(
    bridge: pd.DataFrame,
    *,
    looked_at: int,
    noun: Noun = _GROUP,
    slices: str = "",
    higher_is_better: bool = True,
) -> Sentence:
    """What a group brings beyond its share of the queries, which groups are significant by
    themselves, and what was found among the slices; `looked_at` is how many groups were tested."""
    queries = int(bridge["queries"].sum())
    if queries < FEWEST_QUERIES:
        return muted(f"No {noun.one} is tested.") if queries else Sentence()
    if len(bridge) == 1:
        return muted("There is one group, so this column explains nothing.")
    told = reversal_finding(bridge, higher_is_better=higher_is_better)
    told = told or _concentrated(bridge, higher_is_better)
    whole = math.fsum(bridge["part"])
    if _is_open(bridge, whole):
        # The title has said that none is significant.
        said = "The mean is {} in {} ".format(*_counted(bridge, whole)) + noun.many
    else:
        said = _significant(bridge, looked_at, noun, higher_is_better)
    told += muted(f"{' ' if told else ''}{said}")
    return told + (aside(f"; {slices}") if slices else Sentence()) + muted(".")


def _concentrated(bridge: pd.DataFrame, higher_is_better: bool) -> Sentence:
    """What the group brings that brings most beyond its share of the queries, where it is far more;
    as printed, the parts add up to the whole."""
    whole, queries = math.fsum(bridge["part"]), int(bridge["queries"].sum())
    if not _printed(whole) or len(bridge) < 2:
        return Sentence()
    with_it, _ = _sides(bridge, whole)
    beyond = (with_it["part"] - whole * with_it["queries"] / queries) * np.sign(whole)
    row = with_it.loc[beyond.idxmax()]
    parts = dict(zip(bridge["group"], w.parts_of(whole, bridge["part"].tolist()), strict=True))
    part = parts[row["group"]]
    share = abs(row["part"] / whole)
    if abs(row["difference"]) < _CONCENTRATED * abs(whole) or share < _WORTH_TELLING:
        return Sentence()
    of = next((words for least, words in _SHARES if share >= least), "")
    if of and len(with_it) == len(bridge):
        told = f"{of} of the {'gain' if (whole > 0) == higher_is_better else 'loss'}"
    elif abs(part) > abs(whole) + 0.0005:
        if not row["clear"]:
            return Sentence()  # what parts of chance cancel says nothing
        told = f"{w.difference(part)}, more than the total of {w.difference(whole)}"
    else:
        told = f"{w.difference(part)} of the {w.difference(whole)}"
    n, verb = int(row["queries"]), "add" if _is_several(row["group"]) else "adds"
    with_few = f"{',' if ',' in told else ''} with {w.count(n)} of the {w.count(queries)} queries"
    return muted(f"{row['group']} {verb} {told}") + aside(with_few) + muted(".")


def _is_several(name: str) -> bool:
    """Whether a group is called by its queries, as "queries without category" are."""
    return name.startswith("queries ")


def _significant(bridge: pd.DataFrame, looked_at: int, noun: Noun, higher_is_better: bool) -> str:
    """Which groups differ significantly by themselves; no full stop."""
    if (bridge["queries"] < FEWEST_QUERIES).all():
        return f"No {noun.one} has the {w.number(FEWEST_QUERIES)} queries that a test needs"
    clear = bridge[bridge["clear"]]
    if clear.empty:
        return f"No {noun.one} is significant by itself"
    every = max(looked_at, len(bridge))
    after = f" after correction for {w.number(every)}" if every > 1 else ""
    is_gain = (clear["difference"] > 0) == higher_is_better
    sides = [("better", clear[is_gain]), ("worse", clear[~is_gain])]
    sides.sort(key=lambda side: -len(side[1]))
    (first, most), (second, fewer) = sides
    if fewer.empty and len(most) == len(bridge) > 1:
        every_one = "Both" if len(bridge) == 2 else f"All {w.number(len(bridge))}"
        return f"{every_one} {noun.many} are significantly {first}{after}"
    only = "Only " if len(clear) == 1 else ""
    told = f"{only}{_which(most, bridge, noun)} significantly {first}{after}"
    if len(fewer):
        return f"{told}, {_which(fewer, bridge, noun, later=True)} significantly {second}"
    return told if only else f"{told}, none is significantly {second}"


def _which(some: pd.DataFrame, every: pd.DataFrame, noun: Noun, *, later: bool = False) -> str:
    """Some groups as a subject: by name while they are few, else counted."""
    verb = "is" if len(some) == 1 and not _is_several(some["group"].iloc[0]) else "are"
    if len(some) <= _NAMED:
        return f"{w.listing(some['group'])} {verb}"
    if later:
        return f"{w.number(len(some))} {verb}"
    counted = w.sentence_case(w.number(len(some)))
    return f"{counted} of {w.number(len(every))} {noun.many} {verb}"


def slices_finding(looked_at: int, found: int) -> str:
    """How many of the slices stand out, to go on in a sentence; empty where none was tested."""
    if not looked_at:
        return ""
    verb = "differs" if found < 2 else "differ"
    number = "none" if not found else w.number(found)
    rate = f"({w.share(1 - LEVEL)} false discovery rate)"
    of = f"{w.count(looked_at)} {w.plural(looked_at, 'slice')}"
    return f"{number} of {of} {verb} from the rest {rate}"


def crossed_title(
    margins: pd.DataFrame, whole: float, *, higher_is_better: bool = True
) -> Sentence:
    """The group of either column in which the difference is largest of that column, where it is far
    larger than over all. `margins` has column (its name), group, queries and difference."""
    plain = strong("The difference by two columns")
    known = margins[margins["queries"] > 0]
    queries = int(known.groupby("column")["queries"].sum().max()) if len(known) else 0
    if queries < FEWEST_QUERIES or not _printed(whole):
        return plain
    times = known["difference"] / whole
    most = known.loc[times.groupby(known["column"]).idxmax()]
    most = most.assign(share=times * known["queries"] / queries)
    far = times[most.index] >= _CONCENTRATED
    far &= (most["share"] >= _WORTH_TELLING) & (most["queries"] >= FEWEST_QUERIES)
    if not far.any():
        return plain
    row = most.loc[most["share"].where(far).idxmax()]
    what = "gain" if (whole > 0) == higher_is_better else "loss"
    told = f"By {row['column']} the {what} is largest for {row['group']}"
    return strong(told) if len(told) <= LONGEST_TITLE else plain


def crossed_lead(margins: pd.DataFrame, slices: str) -> Sentence:
    """The mean differences of one column's groups, and what the colours are good for; `margins` are
    those of one column."""
    known = margins[margins["difference"].notna()]
    known = known.loc[known["difference"].abs().sort_values(ascending=False, kind="stable").index]
    each = [
        f"{group} {w.difference(gap)}"
        for group, gap in known[["group", "difference"]].head(_NAMED + 1).itertuples(index=False)
    ]
    told = f"{w.sentence_case(', '.join(each))}. " if each else ""
    said = f"{w.sentence_case(slices)}: the" if slices else "The"
    return muted(f"{told}{said} colours are exploratory, not significance.")


def untested_note(groups: pd.DataFrame) -> str:
    """Why groups have no interval: queries, difference and diff_low of each."""
    known = groups[groups["difference"].notna()]
    few = known[known["queries"] < FEWEST_QUERIES]
    alike = known[(known["queries"] >= FEWEST_QUERIES) & known["diff_low"].isna()]
    told = []
    if len(few):
        told.append(
            f"{w.named(list(few['group']))}: under {w.number(FEWEST_QUERIES)} queries, not tested."
        )
    if len(alike):
        whose = "its" if len(alike) == 1 else "their"
        told.append(
            f"{w.named(list(alike['group']))}: too few of {whose} queries differ for an interval."
        )
    return " ".join(told)


def _printed(difference: float) -> bool:
    """Whether a difference is another than 0 as it is printed."""
    return w.difference(difference) != w.difference(0)


def _sides(bridge: pd.DataFrame, whole: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The groups that go with the whole, as is printed, and those that clearly go against it."""
    side = np.sign(bridge["difference"] * whole) * bridge["difference"].map(_printed)
    return bridge[side > 0], bridge[(side < 0) & bridge["clear"]]


def _main_group(bridge: pd.DataFrame, whole: float) -> str:
    """Of groups that go with the whole the one that brings most; empty where it brings no more than
    its share of the queries does anyway: the difference must be larger there than elsewhere, by the
    test that finds slices. The one rule by which a heading names a group."""
    with_it, _ = _sides(bridge, whole)
    if len(with_it) < 2:
        return ""
    row = with_it.loc[with_it["part"].abs().idxmax()]
    return str(row["group"]) if row["unlike"] and abs(row["difference"]) > abs(whole) else ""


def reversal_finding(bridge: pd.DataFrame, *, higher_is_better: bool = True) -> Sentence:
    """That most queries are in groups that clearly go against the whole; empty where they are
    not."""
    whole, queries = math.fsum(bridge["part"]), int(bridge["queries"].sum())
    if queries < FEWEST_QUERIES or not _printed(whole):
        return Sentence()
    _, against = _sides(bridge, whole)
    opposed = int(against["queries"].sum())
    if 2 * opposed <= queries:
        return Sentence()
    gains = (whole > 0) == higher_is_better
    return muted(
        f"Most queries ({w.count(opposed)} of {w.count(queries)}) are in groups that"
        f" {'lose' if gains else 'gain'} significantly: the overall {'gain' if gains else 'loss'}"
        " comes from the remaining groups."
    )


def mix_finding(taken_apart: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """What the difference of two runs, each over the queries that it lists, owes to their listing
    others; `taken_apart` is the frame of `mix`, from the baseline to the run in focus."""
    mixed, within = (math.fsum(taken_apart[part]) for part in ("mix", "within"))
    n = {side: int(taken_apart[side].sum()) for side in ("before", "after")}
    whole = mixed + within
    scored, listed = w.parts_of(whole, [within, mixed])
    told = muted("Averaged over the queries that each run answered, ") + run(focus)
    told += muted(f" ({w.count(n['after'])}) and ") + run(baseline)
    told += muted(f" ({w.count(n['before'])}) differ by {w.difference(whole)}")
    if _printed(listed):
        told += muted(
            f": {w.difference(scored)} from the scores within groups, {w.difference(listed)}"
            " from their different mix of groups"
        )
    told += muted(".")
    steps = (taken_apart["mean_after"] - taken_apart["mean_before"]).dropna()
    if is_reversed(taken_apart) and _printed(whole) and steps.map(_printed).all():
        least = w.score(steps.abs().min())
        told += muted(
            f" Within every group the difference has the opposite sign, by at least {least}."
        )
    return told


def strongest_other(
    groups: pd.DataFrame, focus: str, baseline: str, *, higher_is_better: bool = True
) -> Sentence:
    """One line on the clearest finding of a run not in focus; empty where there is none."""
    others = groups[~groups["run"].isin([focus, baseline]) & groups["clear"]]
    if others.empty:
        return Sentence()
    top = others.loc[others["difference"].abs().idxmax()]
    gap = w.with_interval(top["difference"], top["diff_low"], top["diff_high"])
    same_way = (others["difference"] < 0) == (top["difference"] < 0)
    more = int(((others["run"] == top["run"]) & same_way).sum()) - 1
    gains = (top["difference"] > 0) == higher_is_better
    tail = f"and in {w.number(more)} other {w.plural(more, 'group')}"
    if not more:
        tail = f"the only group in which it {'gains' if gains else 'falls behind'} significantly"
    verb = "gains" if gains else "falls behind"
    return run(top["run"]) + muted(f" {verb} in {top['group']}, {gap}, {tail}.")
