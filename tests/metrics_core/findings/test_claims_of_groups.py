"""What sentences on groups and cutoffs claim is so: see `test_claims.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest

from metrics_core.findings.charts import strongest_other_run_finding
from metrics_core.findings.cutoffs import (
    curves_subtitle,
    curves_title,
    precision_subtitle,
    precision_title,
    reranking_subtitle,
    reranking_title,
)
from metrics_core.findings.groups import (
    crossed_groups_title,
    groups_finding,
    groups_subtitle,
    groups_title,
    reversal_finding,
    single_run_title,
)
from tests.claims import NUMBER, count_of, is_rounded, named_in, offenders, value_of
from tests.situations import Situation, bridge_of, by_group, situations

pytestmark = pytest.mark.random

FEWEST, ROUNDING = 10, 1e-12
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
GROUPED = tuple(given for given in situations(5) if given.groups and given.focus != given.baseline)
"""By the first of their columns."""

SHARES = {
    "nearly all": (0.9, 1), "most": (0.5, 1), "more than half": (0.5, 0.75), "half": (0.4, 0.6),
    "two fifths": (0.35, 0.45), "a third": (0.28, 0.39), "a quarter": (0.2, 0.3),
    "a fifth": (0.15, 0.25),
}  # fmt: skip
"""What a reader takes words for a share to mean."""


@cache
def parts_of(given: Situation) -> pd.DataFrame:
    """Group, queries, difference and part from the scores, with which are called clear."""
    gaps = given.values(given.focus) - given.values(given.baseline)
    known = ~np.isnan(gaps)
    rows = []
    for group in dict.fromkeys(given.groups[0][known]):
        inside = gaps[known & (given.groups[0] == group)]
        rows.append((group, len(inside), inside.mean(), inside.sum() / known.sum()))
    found = pd.DataFrame(rows, columns=["group", "queries", "difference", "part"]).set_index(
        "group"
    )
    bridge = bridge_of(given).set_index("group")
    return found.assign(clear=bridge["clear"].reindex(found.index))


def names_of(found: pd.DataFrame, text: str) -> str | bool:
    """Whether these groups are not those that a list names."""
    names, count = named_in(text)
    return (count != len(found) or not set(names) <= set(found.index)) and f"not {text}"


def false_in_title(given: Situation, text: str) -> Iterator[str | bool]:
    parts = parts_of(given)
    queries, whole = int(parts["queries"].sum()), parts["part"].sum()
    yield len(text) > 65 and "too long"
    if queries < FEWEST:
        yield not text.startswith((f"Only {queries} quer", "No query has"))
        return
    if text.startswith("The means"):
        yield abs(whole) >= 0.0005 and "not the same as printed"
        yield "the same" in text and abs(whole) > ROUNDING and "the same"
        return
    if text.startswith("All queries are"):
        yield len(parts) > 1 and "one group"
        return
    yield abs(whole) < 0.0005 - ROUNDING and "a difference of nothing"
    if most := re.match(r"run1 (gains|loses) most in (.*)\.$", text):
        sign = (1 if most[1] == "gains" else -1) * given.direction
        yield whole * sign <= 0 and most[1]
        row = parts.loc[most[2]]
        yield row["part"] * sign < (parts["part"] * sign).max() - ROUNDING and "the most"
        yield row["part"] / whole <= row["queries"] / queries and "its share of the queries"
        return
    if text.startswith(NONE):
        yield from false_in_none(given, text)
        return
    yield from false_in_count(parts, whole, text, r"run1 scores (\w+) than run0")


NONE = "No group"


def false_in_none(given: Situation, text: str) -> Iterator[str | bool]:
    """That no group is significant, and how many are tested."""
    parts = parts_of(given)
    tested = bridge_of(given)["diff_low"].notna()
    yield bool(parts["clear"].any()) and "none is significant"
    if "needed for a test" in text:
        yield bool((parts["queries"] >= FEWEST).any()) and "too few"
    elif "enough differing queries" in text:
        yield bool(tested.any()) and "some are tested"
    elif counted := re.search(r"on its own; only (\w+) (?:is|are) tested", text):
        yield count_of(counted[1]) != tested.sum() and f"{tested.sum()} are tested"
    else:
        yield not text.startswith("No group is significant on its own") and "no claim"
        yield not tested.all() and "some are not tested"


def false_in_count(
    parts: pd.DataFrame, whole: float, text: str, before: str
) -> Iterator[str | bool]:
    """In how many groups the mean is higher, or lower."""
    counted = re.search(rf"{before} in (?:(\w+) of (\w+)|all (\w+)|both) groups", text)
    if not counted:
        yield "no claim"
        return
    sign = 1 if counted[1] == "higher" else -1
    yield whole * sign <= 0 and counted[1]
    n = int((parts["difference"] * sign >= 0.0005 - ROUNDING).sum())
    told = count_of(counted[2] or counted[4] or "two")
    yield told != n and f"{n} are {counted[1]}"
    yield count_of(counted[3] or counted[4] or "two") != len(parts) and "how many there are"


def title_text(given: Situation) -> str:
    higher = given.direction > 0
    return (
        groups_title(bridge_of(given), given.focus, given.baseline, higher_is_better=higher).text
        + "."
    )


def test_the_heading_of_the_groups() -> None:
    assert not offenders(GROUPED, title_text, false_in_title)


def false_in_lead(given: Situation, text: str) -> Iterator[str | bool]:
    parts = parts_of(given)
    queries, whole = int(parts["queries"].sum()), parts["part"].sum()
    better = parts["part"] * given.direction
    clear = parts[parts["clear"]]
    if queries < FEWEST:
        yield text != "No group is tested." and "too few"
        return
    if len(parts) == 1:
        yield "There is only one group" not in text and "one group"
        return
    if adds := re.search(
        rf"(?:^|\. )(\S+)( \(not \w+\))? adds (.*?)"
        rf"(?: of the (gain|loss)| of the ({NUMBER})|, more than the total of ({NUMBER}),)"
        r" with (\S+) of the (\S+) queries\.",
        text,
    ):
        yield adds[1] == "It" and len(clear) != 1 and "what it is"
        row = clear.iloc[0] if adds[1] == "It" else parts.loc[adds[1]]
        yield [count_of(adds[7]), count_of(adds[8])] != [row["queries"], queries] and "its queries"
        status = "not tested" if row["queries"] < FEWEST else "not significant"
        yield (adds[2] or "") != ("" if row["clear"] else f" ({status})") and "its status"
        yield row["part"] / whole <= row["queries"] / queries and "more than its share"
        if adds[4]:
            low, high = SHARES[adds[3]]
            yield not low <= row["part"] / whole <= high and f"{adds[3]} is {row['part'] / whole}"
            yield (better.sum() > 0) != (adds[4] == "gain") and adds[4]
        else:
            yield abs(value_of(adds[3]) - row["part"]) > 0.0011 and "what it adds"
            yield not is_rounded(adds[5] or adds[6], whole) and "the whole"
    if "The mean is" in text:
        yield len(clear) > 0 and "what is significant is not said"
        yield from false_in_count(parts, whole, text, "The mean is (higher|lower)")
        return
    if text.startswith(NONE):
        yield from false_in_none(given, text)
    for word, side in (("better", 1), ("worse", -1)):
        own = clear[clear["part"] * given.direction * side > 0]
        said = re.search(
            rf"(?:^|\. |, )(Only )?([^.,]*?(?:, [^.,]*?)*) (?:is|are) significantly {word}", text
        )
        if not said or said[2].endswith("none"):
            yield len(own) > 0 and f"nothing of those {word}"
            continue
        who = re.sub(r"^.*significantly \w+(?: after correction for \w+ groups)?, ", "", said[2])
        if counted := re.match(r"(?:All (\w+)|(Both)|(\w+) of \w+) groups$", who):
            n = count_of(counted[1] or counted[3] or "two")
            yield n != len(own) and f"{n} are {word}"
        elif who.lower() in NUMBERS:
            yield count_of(who) != len(own) and f"{who} are {word}"
        else:
            yield names_of(own, who)
        yield bool(said[1]) and len(clear) != 1 and "only"


def lead_text(given: Situation) -> str:
    bridge, higher = bridge_of(given), given.direction > 0
    return groups_subtitle(bridge, n_tested=len(bridge), higher_is_better=higher).text


def test_what_the_lead_says_of_the_groups() -> None:
    assert not offenders(GROUPED, lead_text, false_in_lead)


def margins_of(given: Situation) -> pd.DataFrame:
    return parts_of(given).reset_index().assign(column="kind")


def false_in_crossed(given: Situation, text: str) -> Iterator[str | bool]:
    parts, whole = parts_of(given), parts_of(given)["part"].sum()
    named = re.match(r"By kind, the (gain|loss) is largest for (.*)\.$", text)
    if not named:
        yield "largest" in text and "no claim"
        return
    yield (whole * given.direction > 0) != (named[1] == "gain") and named[1]
    row = parts.loc[named[2]]
    yield row["queries"] < FEWEST and "too few queries"
    each = parts["part"] / parts["queries"] * np.sign(whole)
    yield each[named[2]] < each.max() - ROUNDING and "largest"
    yield row["part"] / whole <= row["queries"] / parts["queries"].sum() and "more than its share"


def test_the_heading_of_crossed_columns() -> None:
    def text_of(given: Situation) -> str:
        margins, higher = margins_of(given), given.direction > 0
        whole = parts_of(given)["part"].sum()
        return crossed_groups_title(margins, whole, higher_is_better=higher).text + "."

    assert not offenders(GROUPED, text_of, false_in_crossed)


def false_in_alone(given: Situation, text: str) -> Iterator[str | bool]:
    worst = re.match(r"run1 scores (lowest|highest) in (.*)\.$", text)
    if not worst:
        return
    own = given.values(given.focus)
    means = {g: np.nanmean(own[given.groups[0] == g]) for g in set(given.groups[0])
             if (given.groups[0] == g).sum() >= FEWEST}  # fmt: skip
    sign = 1 if worst[1] == "lowest" else -1
    yield sign != given.direction and worst[1]
    yield means[worst[2]] * sign > min(mean * sign for mean in means.values()) + ROUNDING


def test_the_heading_of_one_run() -> None:
    def text_of(given: Situation) -> str:
        scores = given.values(given.focus)
        rows = [(g, (inside := given.groups[0] == g).sum(), np.nanmean(scores[inside]))
                for g in dict.fromkeys(given.groups[0])]  # fmt: skip
        own = pd.DataFrame(rows, columns=["group", "queries", "mean"])
        return single_run_title(own, given.focus, higher_is_better=given.direction > 0).text + "."

    whole = [g for g in GROUPED if not np.isnan(g.values(g.focus)).any()]
    assert not offenders(whole, text_of, false_in_alone)


def false_in_reversal(given: Situation, text: str) -> Iterator[str | bool]:
    parts = parts_of(given)
    whole = parts["part"].sum() * given.direction
    told = re.search(
        r"Most queries \((\S+) of (\S+)\) are in groups that (lose|gain) significantly, so the"
        r" overall (\w+)",
        text,
    )
    if not told:
        yield "no claim"
        return
    against = parts[parts["part"] * given.direction * (1 if told[3] == "gain" else -1) > 0]
    yield count_of(told[1]) != against["queries"].sum() and "how many queries"
    yield count_of(told[2]) != parts["queries"].sum() and "of how many"
    yield 2 * count_of(told[1]) <= count_of(told[2]) and "most"
    yield (whole > 0) != (told[4] == "gain") and "gain or loss"
    yield abs(whole) <= 0.001 and "a reversal of nothing"
    by_little = against[against["difference"].abs() < 0.0015]["queries"].sum()
    yield 2 * (count_of(told[1]) - by_little) <= count_of(told[2]) and "by hardly anything"


def test_a_reversal() -> None:
    def text_of(given: Situation) -> str:
        return reversal_finding(bridge_of(given), higher_is_better=given.direction > 0).text

    assert not offenders(GROUPED, text_of, false_in_reversal)


def false_in_strongest(given: Situation, text: str) -> Iterator[str | bool]:
    run, verb, only, group, gap, tail = re.match(  # type: ignore[union-attr]
        rf"(run\d+) is significantly (worse|better)( only)? in (.*?): ({NUMBER})[^,]*(?:\[.*?\])?"
        r"(.*)\.$",
        text,
    ).groups()
    frame = by_group(given)
    own = frame[(frame["run"] == run) & (frame["queries"] > 0)].set_index("group")
    side = 1 if verb == "better" else -1
    alike = own[own["difference"] * side > 0]
    yield not is_rounded(gap, own.loc[group, "difference"]) and "its difference"
    yield group not in alike.index and verb
    yield bool(only) != (alike["clear"].sum() == 1) and "only"
    if count := re.search(r"and in (\w+) other groups?", tail):
        yield count_of(count[1]) != alike["clear"].sum() - 1 and "other groups"


def test_the_clearest_of_another_run() -> None:
    def text_of(given: Situation) -> str:
        return strongest_other_run_finding(by_group(given), given.focus, given.baseline).text

    several = [
        given for given in situations(4, first=1) if given.groups and len(given.scores.runs) > 2
    ]
    assert not offenders(several, text_of, false_in_strongest)


def false_in_clear_groups(given: Situation, text: str) -> Iterator[str | bool]:
    parts = parts_of(given)
    clear, better = parts[parts["clear"]], parts["difference"] * given.direction
    if text.startswith(NONE):
        yield from false_in_none(given, text)
        return
    told = re.match(r"run1 (.*), (each )?significant on its own\.$", text)
    yield not told or bool(told[2]) != (len(clear) > 1)
    for verb, side in (("gains", 1), ("loses", -1)):
        named = re.search(rf"{verb} in (.*?)(?= and loses in|, significant|, each)", text)
        there = clear[better[clear.index] * side > 0]
        yield bool(named) != (len(there) > 0) and f"{verb} in some"
        if named:
            yield names_of(there, named[1])


def test_the_groups_that_are_clear_by_themselves() -> None:
    def text_of(given: Situation) -> str:
        higher = given.direction > 0
        return groups_finding(by_group(given), given.focus, higher_is_better=higher).text

    known = [given for given in GROUPED if len(parts_of(given))]
    assert not offenders(known, text_of, false_in_clear_groups)


KS = np.array([1, 2, 3, 5, 10, 20, 50, 100])


@cache
def curve_of(given: Situation) -> pd.DataFrame:
    """A frame of `mean_curves`: a walk of differences with a band."""
    rng = np.random.default_rng([given.seed, 2])
    steps = rng.choice([-0.05, 0.0, 0.0, 0.02, 0.05, 0.1], size=len(KS))
    gap = np.cumsum(steps) * rng.choice([1, 1, -1, 0], p=[0.4, 0.3, 0.25, 0.05])
    band = rng.choice([0.01, 0.06, 0.12])
    ends = {"diff_low": gap - band, "diff_high": gap + band}
    queries = len(given.scores.query_ids)
    return pd.DataFrame({"run": "run1", "k": KS, "difference": gap, **ends, "queries": queries})


def ks_in(text: str) -> set[int]:
    """The k of which a title or a lead speaks."""
    if "at every k" in text:
        return set(map(int, KS))
    spans = re.findall(r"from k = (\d+)(?: to (\d+))?|at k = (\d+)", text)
    return {
        int(k)
        for first, last, one in spans
        for k in KS
        if int(first or one) <= k <= int(last or (KS[-1] if first else one))
    }


def false_in_curves(given: Situation, text: str) -> Iterator[str | bool]:
    own = curve_of(given).set_index("k")
    gap, low, high = (own[name] for name in ("difference", "diff_low", "diff_high"))
    title, lead = text.split(" | ")
    yield len(title) > 68 and "a long title"
    if own["queries"].iloc[0] < FEWEST:
        yield title != "run1 and run0 on nDCG by k"
        yield not lead.startswith(f"Only {own['queries'].iloc[0]} quer")
        return
    sides = {"ahead": set(own.index[low > 0]), "behind": set(own.index[high < 0])}
    clear = sides["ahead"] | sides["behind"]
    yield "significantly" in title and not clear and "significant"
    yield "no clear difference" in title and bool(clear) and "not clear"
    yield "score the same" in title and not (gap.abs() <= ROUNDING).all() and "the same"
    if "only at a few k" in title:
        yield ks_in(lead.partition(", after")[0]) != clear and "the few k"
        yield len(clear) > 3 and "few"
        return
    if "clear gains and losses on nDCG" in title:
        yield not (sides["ahead"] and sides["behind"]) and "both sides"
    elif one := re.search(r"is significantly (ahead|behind)(?: of)? run0 on nDCG (.*)", title):
        yield clear != sides[one[1]] and "one side alone"
        yield one[2] != "at some k" and ks_in(one[2]) != clear and f"{one[1]} elsewhere, too"
    if told := re.search(r"Significant ((?:from|at) .*) after", lead):
        yield "larger k" not in told[1] and ks_in(told[1]) != clear and "the significant k"
    for side, told in re.findall(r"(ahead of|behind) run0 (.*?)(?=, behind|, after)", lead):
        yield "larger k" not in told and ks_in(told) != sides[side.split()[0]] and side
    yield from false_elsewhere(lead, gap, clear)


def false_elsewhere(lead: str, gap: pd.Series[float], clear: set[int]) -> Iterator[str | bool]:
    """What is told of the k at which the difference is not clear."""
    if one := re.search(
        rf"At k = (\d+) run1 (leads|trails), not significantly \(({NUMBER})\)", lead
    ):
        at = gap[int(one[1])]
        yield int(one[1]) in clear and "not significantly"
        yield (at > 0) != (one[2] == "leads") and one[2]
        yield not is_rounded(one[3], at) and "the difference at this k"
    if level := re.search(r"(?:Up to|At) k = (\d+) (?:no query differs|the means are equal)", lead):
        yield bool((gap.loc[: int(level[1])].abs() > ROUNDING).any()) and "no query differs"
    if below := re.search(r"the (gain|loss) comes from results below rank (\d+)\.", lead):
        yield (gap[min(clear)] > 0) != (below[1] == "gain") and below[1]
        yield int(below[2]) != max(k for k in KS if k < min(clear)) and "below which rank"
    if open_ := re.search(r"(Up to|Beyond) k = (\d+) the difference is not significant", lead):
        k = int(open_[2])
        where = {c for c in KS if (c > k if open_[1] == "Beyond" else c <= k)}
        yield bool(where & clear) and "not significant"
    if "Between these ranges, the difference is not significant" in lead:
        inside = {int(k) for k in KS if min(clear) < k < max(clear)}
        yield not inside - clear and "in between"
    if named := re.search(r"all k from (\d+) to (\d+)", lead):
        yield (int(named[1]), int(named[2])) != (KS[0], KS[-1]) and "which k"


def test_by_cutoff() -> None:
    def text_of(given: Situation) -> str:
        asked = curve_of(given), "nDCG", "run1", "run0"
        return f"{curves_title(*asked).text} | {curves_subtitle(asked[0], *asked[2:]).text}"

    assert not offenders(situations(8), text_of, false_in_curves)


@cache
def precision_of(given: Situation) -> pd.DataFrame:
    """A frame of `precision_recall` of two runs."""
    rng = np.random.default_rng([given.seed, 3])
    levels = np.linspace(0, 1, 11)
    parts = [
        pd.DataFrame({"run": run, "recall": levels, "precision": top * (1 - levels**2)})
        for run, top in zip(("run1", "run0"), rng.uniform(0.1, 1, 2), strict=True)
    ]
    return pd.concat(parts)


def false_in_precision(given: Situation, text: str) -> Iterator[str | bool]:
    frame = precision_of(given)
    half = frame[frame["recall"].round(6) == 0.5].set_index("run")["precision"]
    said = re.match(r"run1 has (\d+)% precision at 50% recall \|", text)
    yield (said is None or abs(int(said[1]) - 100 * half["run1"]) > 0.5 + 1e-9) and "run1"
    other = re.search(r"run0 has (\d+)%\.", text)
    yield (other is None or abs(int(other[1]) - 100 * half["run0"]) > 0.5 + 1e-9) and "run0"
    yield "Not tested; the test uses nDCG@10" not in text and "not tested"


def test_precision_at_half_of_the_recall() -> None:
    def text_of(given: Situation) -> str:
        title = precision_title(precision_of(given), "run1").text
        return (
            f"{title} | {precision_subtitle(precision_of(given), 'run1', 'run0', 'nDCG@10').text}"
        )

    assert not offenders(situations(40), text_of, false_in_precision)


@cache
def ceiling_of(given: Situation) -> pd.DataFrame:
    """A frame of the ceiling of one run; sometimes it cannot rise or is unknown."""
    rng = np.random.default_rng([given.seed, 4])
    depths = [1, 5, 10, 20, 50, int(rng.integers(60, 90))]
    rise = np.sort(np.append(0, rng.uniform(0, 0.4, len(depths) - 1)))
    means = 0.3 + rise * (given.seed % 5 != 0)
    return pd.DataFrame({"k": depths, "mean": np.where(given.seed % 5 == 1, np.nan, means)})


def false_in_reranking(given: Situation, text: str) -> Iterator[str | bool]:
    means = ceiling_of(given).set_index("k")["mean"]
    title, lead = text.split(" | ")
    best = re.search(r"could reach (\S+) on nDCG@10", title)
    yield bool(best) != bool(means.iloc[-1] > means[1]) and "whether it rises"
    yield best is not None and not is_rounded(best[1], means.iloc[-1]) and "how far"
    yield title.startswith("run1 has no") != means.isna().all() and "undefined"
    told = dict(re.findall(r"the top (\d+) gives (\S+?)(?=,|\. | and)", lead))
    steps = {10, 20, 50, means.index[-1]} if means.notna().all() else set()
    yield {int(k) for k in told} != steps and f"which depths: {lead}"
    for k, ceiling in told.items():
        yield not is_rounded(ceiling, means[int(k)]) and k
    yield bool(told) and not is_rounded(lead.split()[2].rstrip("."), means[1]) and "the score"


def test_the_ceiling_of_reranking() -> None:
    def text_of(given: Situation) -> str:
        frame = ceiling_of(given)
        title = reranking_title(frame, "run1", "nDCG@10").text
        return f"{title} | {reranking_subtitle(frame, 'nDCG@10', 10).text}"

    assert not offenders(situations(40), text_of, false_in_reranking)
