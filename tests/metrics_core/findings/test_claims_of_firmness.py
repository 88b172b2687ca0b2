"""What the strip on how firm a verdict is claims is so: see `test_claims.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest

from metrics_core.base import wording as w
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.fragility import find_fragility
from metrics_core.findings import file_risks, margin_risks, open_verdicts, verdict_risks
from metrics_core.findings.robustness import (
    ComparedPair,
    RobustnessCheck,
    build_robustness,
    robustness_finding,
)
from metrics_core.scoring.intervals import Interval
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import EstimatedDifference
from tests.claims import NUMBER, count_of, is_rounded, names_others, offenders
from tests.situations import Situation, situations

pytestmark = pytest.mark.random

PAIRS = tuple(
    given
    for given in situations(3)
    if len(given.scores.runs) > 1 and len(given.gaps(given.focus)) >= 10
)
ROUNDING = 1e-12


def side_of(value: float) -> int:
    return int(np.sign(value)) if abs(value) > ROUNDING else 0


def better_of(given: Situation) -> np.ndarray:
    """The differences, better upwards; NaN where undefined."""
    return (given.values(given.focus) - given.values(given.baseline)) * given.direction


@cache
def pair_of(given: Situation) -> ComparedPair:
    word = str(given.compared["verdict"].iloc[1])
    side = int(np.sign(find_fragility(better_of(given)).total))
    return ComparedPair(given.focus, given.baseline, str(given.measure), word, side)


def missed_of(given: Situation) -> verdict_risks.MissedQueries:
    lacking = dict(zip(given.scores.runs[:2], given.scores.missing[:2], strict=True))
    behind = given.baseline if pair_of(given).side > 0 else given.focus
    return verdict_risks.MissedQueries((given.values(behind) == 0) | lacking[behind], lacking, 10)


def told(entry: RobustnessCheck | None) -> str:
    return "" if entry is None else f"[{entry.word}|{entry.tone}] {entry.reason}"


def false_in_rests(text: str, hangs: int, queries: int) -> Iterator[str | bool]:
    """On how many queries it rests, and whether that is many, some or few."""
    rests = re.match(
        r"\[(?:removing )?(only )?(?:the )?(?:(?!best )(\S+) )?(?:of \S+ |best )?quer\w+ "
        r".*\|(.*?)\]",
        text,
    )
    if not rests or rests[2] in ("every", "no"):
        yield bool(rests) and (rests[1] or rests[3] != "firm") and "all"  # type: ignore[index]
        return
    yield count_of(rests[2] or "1") != hangs and "how many it rests on"
    is_many, is_few = hangs >= max(6, 0.1 * queries), hangs < 3 or hangs < 0.05 * queries
    yield bool(rests[1]) == is_many and "only"
    yield rests[3] != ("firm" if is_many else "not firm" if is_few else "") and "the tone"


def false_in_queries(given: Situation, text: str) -> Iterator[str | bool]:
    gaps = better_of(given) * (pair_of(given).side or 1)
    known = np.sort(gaps[~np.isnan(gaps)])[::-1]
    total, word = known.sum(), re.match(r"\[(.*?)\|", text)[1]  # type: ignore[index]
    if "tied" in text:
        yield abs(total) > 1e-12 * np.abs(known).sum() and "tied"
        return
    left = total - np.cumsum(known)
    fewest = next((m for m, rest in enumerate(left, 1) if rest < -1e-12 * np.abs(known).sum()), 0)
    hangs = fewest or (known > 0).sum()
    if holds := re.match(r"\[ahead even if any (\S+) queries are removed\|firm", text):
        size = 1e-12 * np.abs(known).sum()
        yield count_of(holds[1]) != np.argmax(left <= size) and "without which it holds"
        yield (fewest < max(6, 0.1 * len(known))) and "few, but firm"
    if turning := re.match(
        r"\[removing (?:only )?the (?:(\S+) )?best quer(?:y|ies) reverses it", text
    ):
        yield count_of(turning[1] or "one") != fewest and "how many"
    else:
        yield (fewest > 0) != bool(holds) and "no query contradicts it"
    if speaks := re.match(r"\[(?:only )?(\S+) of (\S+) queries supports? it", text):
        yield [count_of(n) for n in speaks.groups()] != [hangs, len(known)] and "support it"
    yield word == "every query supports it" and hangs < len(known) and "all"
    yield from false_in_rests(text, int(hangs), len(known))
    who = re.search(r"The (\S+) (quer.*?) accounts? for (all|[<\d]\S*.%) of the difference", text)
    if who:
        missed = missed_of(given)
        behind = given.baseline if pair_of(given).side > 0 else given.focus
        differs = (gaps != 0) & ~np.isnan(gaps)
        if "contribute" in who[2]:
            yield count_of(who[1]) != min(5, (known > 0).sum()) and "that contribute most"
            carried = known[: count_of(who[1])].sum()
            if unlisted := re.search(r"\(no results from (run\d)\)", who[2]):
                least = known[count_of(who[1]) - 1]
                yield not missed.missing[unlisted[1]][gaps > least].all() and "lists none"
        else:
            those = (
                missed.missing[behind] if "has no results" in who[2] else missed.without_relevant
            )
            yield count_of(who[1]) != (those & differs).sum() and "how many that found nothing"
            ahead = given.focus if pair_of(given).side > 0 else given.baseline
            only = "a relevant result" in who[2]
            yield (f"only {ahead} has" if only else behind) not in who[2] and "who found nothing"
            yield only and "top 10" not in who[2] and "where it found nothing"
            carried = gaps[those & differs].sum()
        share = carried / total
        yield (who[3] == "all") != (share >= 1 - 1e-9) and f"{share:.3f} is {who[3]}"
        yield who[3] != "all" and w.format_share(min(share, 0.9999)) != who[3] and f"{share} of it"


def test_single_queries() -> None:
    def text_of(given: Situation) -> str:
        gaps = better_of(given)
        found = find_fragility(gaps)
        missed = missed_of(given) if pair_of(given).side else None
        return told(verdict_risks.single_queries_check(found, pair_of(given), gaps, missed))

    assert not offenders(PAIRS, text_of, false_in_queries)


def false_in_small_queries(given: Situation, text: str) -> Iterator[str | bool]:
    gaps, margin = better_of(given), given.margin or 0.05
    yield not text.startswith(("[removing ", "[no query makes it matter"))
    yield not text.endswith((f" {margin:g}.", f" {margin:g} or more.")) and "the margin"
    known = np.sort(gaps[~np.isnan(gaps)])
    if "No query’s difference" in text:
        yield np.abs(known).max() >= margin and "on no query"
        return
    n = count_of(re.search(r"Removing (\S+) of", text)[1])  # type: ignore[index]

    def reached(m: int) -> bool:
        return bool(max(known[m:].mean(), -known[: len(known) - m].mean()) >= margin - ROUNDING)

    yield from false_in_rests(text, n, len(known))
    yield not reached(n) and "reaches it"
    yield n > 0 and reached(n - 1) and "fewer reach it"


def test_single_queries_of_a_difference_that_does_not_matter() -> None:
    def text_of(given: Situation) -> str:
        return told(margin_risks.single_queries_check(better_of(given), given.margin or 0.05))

    assert not offenders(PAIRS, text_of, false_in_small_queries)


@cache
def crossings_of(given: Situation) -> Crossings:
    rng = np.random.default_rng([given.seed, 3])
    steps = rng.choice([-0.05, 0.0, 0.0, 0.02, 0.1], size=int(rng.choice([1, 3, 10, 30])))
    gap = np.cumsum(steps).round(3) * rng.choice([1, -1, 0], p=[0.7, 0.25, 0.05])
    wide = rng.choice([0.01, 0.06, 0.15])
    clear = np.where(gap > wide, 1, np.where(gap < -wide, -1, 0))
    ks = np.arange(1, len(gap) + 1)
    return Crossings(gap, np.sign(gap).astype(int), ks, gap - wide, gap + wide, clear)


def cutoff_pair(given: Situation) -> ComparedPair:
    return ComparedPair("run1", "run0", "nDCG@10", "better", int(crossings_of(given).side[-1]))


def ks_of(text: str, depth: int) -> set[int]:
    """The cutoffs that a text names: k = 2 to 9, k = 1 and 2, from k = 4 (on), at every k."""
    if "every k" in text:
        return set(range(1, depth + 1))
    spans = re.findall(r"(from )?k = (\d+)(?: (?:to|and) (\d+))?", text)
    return {
        k for on, a, b in spans for k in range(int(a), (depth if on else int(b or a)) + 1)
    }  # fmt: skip


def false_in_cutoff(given: Situation, text: str) -> Iterator[str | bool]:
    found, pair = crossings_of(given), cutoff_pair(given)
    word, tone, reason = re.match(r"\[(.*?)\|(.*?)\] (.*)", text).groups()  # type: ignore[union-attr]
    sides = {"run1": 1, "run0": -1}
    ks = {s: set(found.cutoffs[found.clear == s].tolist()) for s in (1, -1)}
    means = {s: set((np.flatnonzero(found.side == s) + 1).tolist()) for s in (1, 0, -1)}
    for run, where in re.findall(r"(run\d) is significantly ahead (.*?)\.", reason):
        yield ks_of(where, found.depth) != ks[sides[run]] and f"{run} significantly ahead"
    for where, run in re.findall(r"At (k = \d+(?: (?:to|and) \d+)?) (run\d) leads", reason):
        yield not ks_of(where, found.depth) <= means[sides[run]] and f"{run} leads"
    for where in re.findall(r"At (k = \d+(?: (?:to|and) \d+)?) the runs are tied", reason):
        yield not ks_of(where, found.depth) <= means[0] and "tied"
    for run, where in re.findall(
        r"(run\d) leads at every k, but not significantly at (k = \d+(?: (?:to|and) \d+)?)\.",
        reason,
    ):
        yield len(means[sides[run]]) < found.depth and f"{run} leads at every k"
        first_clear = min(ks[sides[run]])
        yield ks_of(where, found.depth) != set(range(1, first_clear)) and "not significantly"
    if more := re.search(r"(run\d) does not lead at (\S+) other k either", reason):
        first = ks_of(re.match(r".*?At (k = \d+(?: (?:to|and) \d+)?)", reason)[1], found.depth)  # type: ignore[index]
        others = set(range(1, found.depth + 1)) - means[pair.side] - first
        yield count_of(more[2]) != len(others) and "other k"
        yield more[1] != pair.leader(pair.side) and "who does not lead"
    if "tied at" in word:
        yield "some" not in word and ks_of(word, found.depth) != means[0] and "tied at"
    elif word.startswith("significant") and "some" not in word:
        yield ks_of(word, found.depth) != ks[pair.side] and "significant at"
    yield word == "not significant at any k" and bool(ks[pair.side]) and "at no k"
    yield word == "reverses with k" and not ks[-pair.side] and "turns"
    yield tone == "firm" and bool(ks[-pair.side] if pair.side else ks[1] | ks[-1]) and "firm"
    yield "not significant at any k" in reason and bool(ks[1] | ks[-1])
    if pair.side and word != "reverses with k":
        at = min(10, found.depth)
        inside = any(low <= at <= high for low, high in found.significant_ranges(pair.side))
        alone = "its own" in reason or "Tested alone" in reason
        yield alone != (pair.is_significant and not inside) and "clear at k alone"
        yield ("this pair alone" in reason) != (inside and not pair.is_significant) and "pair alone"
    yield "at every cutoff" in reason and len(means[pair.side]) < found.depth


def test_cutoffs() -> None:
    def text_of(given: Situation) -> str:
        found, lengths = crossings_of(given), {"run1": 10, "run0": 10}
        return told(verdict_risks.cutoff_check(found, cutoff_pair(given), 10, lengths))

    assert not offenders(PAIRS, text_of, false_in_cutoff)


def false_in_small_cutoff(given: Situation, text: str) -> Iterator[str | bool]:
    found, margin = crossings_of(given), given.margin or 0.05
    word = re.match(r"\[(.*?)\|", text)[1]  # type: ignore[index]
    beyond = (found.clear != 0) & (np.abs(found.difference) >= margin)
    may = np.maximum(-found.low, found.high) >= margin
    yield word == "does not matter at any k" and bool(may.any()) and "at no k"
    if word.startswith("matters") and "some" not in word:
        yield ks_of(word, found.depth) != set(found.cutoffs[beyond].tolist()) and "matters at"
    if word.startswith("may matter") and "some" not in word:
        yield ks_of(word, found.depth) != set(found.cutoffs[may].tolist()) and "open at"
    yield word.startswith("may matter") and bool(beyond.any()) and "it matters already"
    for run, most in re.findall(
        rf"(run\d) is significantly ahead [^.]*?, by up to ({NUMBER})", text
    ):
        side = 1 if run == "run1" else -1
        yield not is_rounded(most, np.abs(found.difference[found.clear == side]).max()) and most


def test_cutoffs_of_a_difference_that_does_not_matter() -> None:
    def text_of(given: Situation) -> str:
        found, margin = crossings_of(given), given.margin or 0.05
        return told(margin_risks.cutoff_check(found, cutoff_pair(given), margin))

    assert not offenders(PAIRS, text_of, false_in_small_cutoff)


@cache
def agreement_of(given: Situation) -> Agreement:
    rng = np.random.default_rng([given.seed, 4])
    n = int(rng.choice([1, 2, 4, 9]))
    side = rng.choice([1, 1, 0, -1], size=n)
    gap = np.where(rng.random(n) < 0.1, np.nan, side * 0.1)
    gap[0] = side[0] * 0.1
    told = np.array(["worse", "cannot tell", "better"])[side + 1]
    verdicts = np.where(rng.random(n) < 0.5, told, "cannot tell")
    names = ["RR", "AP", "P@1", "P@5", "P@10", "R@10", "R@100", "ERR@20", "nDCG@10"][:n]
    table = pd.DataFrame({"measure": names, "difference": gap, "side": side, "verdict": verdicts})
    return Agreement(table, np.where(rng.random((n, n)) < 0.5, 1.0, 0.3))


def false_in_measures(given: Situation, text: str) -> Iterator[str | bool]:
    found = agreement_of(given)
    table = found.table[found.table["difference"].notna()].set_index("measure")
    side, n = int(table["side"].iloc[0]), len(table)
    word = re.match(r"\[(.*?)\|", text)[1]  # type: ignore[index]
    if n == 1:
        yield "No other measure" not in text
        return
    count = re.match(r"(\d+) of (\d+) (?:agrees?|(?:is|are) tied)$", word)
    same = int((table["side"] == side).sum())
    yield not count or ([int(count[1]), int(count[2])] != [same - 1, n - 1] and "how many")
    for run, how, names in re.findall(
        r"(run\d) (is significantly ahead|leads) on (.*?)(?:, but not significantly)?\.(?:"
        " |$)",
        text,
    ):
        if names == "all other measures":
            yield bool((table["side"] == -side).any()) and "leads on all"
            continue
        own = 1 if run == "run1" else -1
        word = {1: "better", -1: "worse"}[own]
        ahead = table[table["side"] == own]
        clearly = ahead[ahead["verdict"] == word]
        wanted = clearly if "significantly" in how else ahead
        yield w.shorten_list(list(wanted.index)) != names and f"{run} ahead on {names}"
        yield "significantly" not in how and len(clearly) > 0 and "significantly"
    yield "No run leads" in text and bool(
        (table["side"] == -side).any() if side else table["side"].any()
    )
    if order := re.search(
        r"On (\S+) of (\S+), all \w+ runs are in the same order as on RR\.", text
    ):
        defined = found.table["difference"].notna().to_numpy()
        alike = set(np.flatnonzero((found.orders[0] >= 1 - 1e-9) & defined)) - {0}
        yield [count_of(n) for n in order.groups()] != [len(alike), n - 1] and "the same order"
        every = re.search(r"all (\w+) runs", text)
        yield not every or (count_of(every[1]) != len(given.scores.runs) and "how many runs")


def test_other_measures() -> None:
    def text_of(given: Situation) -> str:
        found = agreement_of(given)
        pair = ComparedPair("run1", "run0", "RR", "better", int(found.table["side"].iloc[0]))
        return told(verdict_risks.other_measures_check(found, pair, len(given.scores.runs)))

    assert not offenders(PAIRS[::4], text_of, false_in_measures)


def span_of(given: Situation) -> tuple[float, float, float, bool]:
    """A difference, and how far it could go down and up."""
    rng = np.random.default_rng([given.seed, 5])
    now = float(rng.choice([0.1, -0.1, 0.0, 0.004]))
    low, high = now - rng.choice([0.0, 0.01, 0.3]), now + rng.choice([0.0, 0.01, 0.3])
    return now, float(low), float(high), bool(rng.random() < 0.7)


def false_in_span(given: Situation, text: str) -> Iterator[str | bool]:
    now, low, high, exact = span_of(given)
    word, tone, reason = re.match(r"\[(.*?)\|(.*?)\] (.*)", text).groups()  # type: ignore[union-attr]
    turns = {side_of(low), side_of(high)} - {side_of(now)} != set()
    yield word.startswith("cannot") and turns and "cannot turn it"
    yield word.startswith("could") and not turns and "could turn it"
    yield "reverse" in word and side_of(now) == 0 and "nobody leads"
    yield "separate" in word and side_of(now) != 0 and "somebody leads"
    yield tone == "firm" and turns and "firm"
    tied = re.match(r"(\d+) of 9 queries (has|have) ties", reason)
    yield not tied or (tied[1], tied[2] == "has") != (str(given.seed % 4), tied[1] == "1")
    yield "No order of the ties changes the difference" in reason and high - low > ROUNDING
    if ends := re.search(rf"between ({NUMBER}) and ({NUMBER})", reason):
        yield not (is_rounded(ends[1], low) and is_rounded(ends[2], high)) and "the ends"
    yield "stays between" in reason and not exact and "only tried"


def test_equal_scores() -> None:
    def text_of(given: Situation) -> str:
        now, low, high, exact = span_of(given)
        return told(file_risks.ties_check((low, high), now, (given.seed % 4, 9), exact))

    assert not offenders(PAIRS, text_of, false_in_span)


def false_in_lacking(given: Situation, text: str) -> Iterator[str | bool]:
    now, shared, _, _ = span_of(given)
    word, tone, reason = re.match(r"\[(.*?)\|(.*?)\] (.*)", text).groups()  # type: ignore[union-attr]
    for run, n in re.findall(r"(run\d) has no results for (\S+) quer", reason):
        own = given.scores.missing[given.scores.runs.index(run)].sum()
        yield count_of(n) != own and f"{run} lacks {own}"
    yield (
        reason.count(" has no results for ") != given.scores.missing[:2].any(axis=1).sum()
        and "which lack"
    )
    part = re.search(r"These queries account for (\d+)\u00a0% of the difference", reason)
    yield part is not None and int(part[1]) != given.seed % 120 and "the share"
    if "No query has results from both runs" in reason:
        yield bool((~given.scores.missing[:2]).all(axis=0).any())
        return
    on = re.search(rf"Without them, the difference is ({NUMBER})", reason)
    yield not on or not is_rounded(on[1], shared)
    same = side_of(now) == side_of(shared)
    yield ("on the other queries" in word) != same and word
    yield "tied" in word and bool(side_of(now) and side_of(shared)) and word
    yield "significant" in word and "tested"
    yield word == "reverse it" and not side_of(now) == -side_of(shared) != 0 and word
    yield word == "cause all of the difference" and (not side_of(now) or side_of(shared)) and word
    yield word == "make them tied" and (side_of(now) or not side_of(shared)) and word
    yield (tone == "firm") != same and "firm"


def test_missing_queries() -> None:
    def text_of(given: Situation) -> str:
        now, shared, _, _ = span_of(given)
        missing = dict(zip(given.scores.runs[:2], given.scores.missing[:2], strict=True))
        both = int((~given.scores.missing[:2]).all(axis=0).sum())
        counts = {run: int(own.sum()) for run, own in missing.items()}
        share = given.seed % 120 / 100
        return told(file_risks.missing_queries_check(counts, now, shared, both, share=share))

    assert not offenders(PAIRS, text_of, false_in_lacking)


def bounds_of(given: Situation) -> tuple[DifferenceBounds, EstimatedDifference]:
    now, low, high, exact = span_of(given)
    rng = np.random.default_rng([given.seed, 6])
    inner = now + (low - now) * rng.random(), now + (high - now) * rng.random()
    likely = EstimatedDifference(Interval(*np.array([sum(inner) / 2, *inner])))
    if rng.random() < 0.2:
        likely = EstimatedDifference(None, "Nothing tells what they are worth.")
    nothing = np.zeros(1)
    return DifferenceBounds(now, low, high, nothing, nothing, exact, ""), likely


def false_in_unjudged(given: Situation, text: str) -> Iterator[str | bool]:
    reached, likely = bounds_of(given)
    word, tone, reason = re.match(r"\[(.*?)\|(.*?)\] (.*)", text).groups()  # type: ignore[union-attr]
    now, ends = side_of(reached.difference), (reached.lowest, reached.highest)
    turns = bool({side_of(end) for end in ends} - {now})
    yield word.startswith("cannot") and turns and "cannot"
    yield not word.startswith("cannot") and not turns and "could"
    yield (word == "unknown") > (likely.interval is None) and "unknown"
    low, high = likely.interval[1:] if likely.interval else (np.nan, np.nan)
    inside = low * now > 0 and high * now > 0
    yield word.startswith("unlikely") and not inside and "unlikely"
    yield tone == "not firm" and bool(inside) and "not firm"
    if worst := re.search(rf"Worst case: (?:not (below|above) )?({NUMBER})\.", reason):
        yield not is_rounded(worst[2], ends[0] if now > 0 else ends[1]) and "the worst"
        limit = None if reached.exact else "below" if now > 0 else "above"
        yield worst[1] != limit and "a bound"
    if usual := re.search(rf"is likely to be between ({NUMBER}) and ({NUMBER})", reason):
        yield not (is_rounded(usual[1], low) and is_rounded(usual[2], high)) and "likely"
    yield bool(usual) != bool(likely.interval) and "every document" not in reason.lower()


def test_unjudged_documents() -> None:
    def text_of(given: Situation) -> str:
        return told(verdict_risks.unjudged_check(*bounds_of(given), 0.12, 10))

    assert not offenders(PAIRS, text_of, false_in_unjudged)


def false_in_small_unjudged(given: Situation, text: str) -> Iterator[str | bool]:
    (reached, likely), margin = bounds_of(given), given.margin or 0.05
    word, tone = re.match(r"\[(.*?)\|(.*?)\]", text).groups()  # type: ignore[union-attr]
    may = max(-reached.lowest, reached.highest) >= margin
    likely_may = not (likely.interval and max(-likely.interval.low, likely.interval.high) < margin)
    yield word.startswith("cannot") == may and word
    yield word.startswith("unlikely") and likely_may and word
    yield (tone == "firm") == may and "firm"
    if other := re.search(rf"In the other direction, the difference could reach ({NUMBER})", text):
        far = reached.highest if reached.difference > 0 else reached.lowest
        yield not is_rounded(other[1], far) and "the other way"
        yield side_of(reached.difference) == 0 and "there is no other way"


def test_unjudged_documents_of_a_difference_that_does_not_matter() -> None:
    def text_of(given: Situation) -> str:
        entry = verdict_risks.unjudged_check(*bounds_of(given), 0.12, 10)
        return told(margin_risks.unjudged_check(entry, *bounds_of(given), given.margin or 0.05))

    assert not offenders(PAIRS, text_of, false_in_small_unjudged)


def false_in_headline(given: Situation, text: str) -> Iterator[str | bool]:
    yield names_others(text, given.focus, given.baseline)
    tones = [entry.tone for entry in entries_of(given)]
    pair = pair_of(given)
    word = pair.verdict
    if count := re.search(r" holds in (all|\w+ of) (\w+) checks?[.;]", text):
        held = count[2] if count[1] == "all" else count[1].split()[0].replace("none", "no")
        yield [count_of(held), count_of(count[2])] != [tones.count("firm"), len(tones)]
        for form, tone in (("fails?", "not firm"), ("(?:is|are) open", "")):
            counted = re.search(rf"[;,] (\w+) {form}\b", text)
            yield (count_of(counted[1]) if counted else 0) != tones.count(tone) and form
        yield "cannot tell" in word and "a verdict"
        small = word == "no difference that matters"
        yield text.startswith("“No difference that matters”") != small and word
        lead = re.match(r"The lead of (\S+) holds", text)
        yield bool(lead) and lead[1] != pair.leader(pair.side) and "who leads"
        yield ("found anything" in text) != (set(tones) == {"firm"}) and "what was found"
    else:
        yield word != "cannot tell" and "no verdict"
        tied = pair_of(given).side == 0
        yield text.startswith("No clear difference") == tied and "tied"


def entries_of(given: Situation) -> list[RobustnessCheck]:
    rng = np.random.default_rng([given.seed, 7])
    tones = rng.choice(["firm", "not firm", ""], size=int(rng.integers(1, 7)))
    named = [f"Entry {i}" for i in range(len(tones))]
    return [
        RobustnessCheck("part", n, "word", t, "", "brief")
        for n, t in zip(named, tones, strict=True)
    ]  # type: ignore[arg-type]


def test_how_many_ways_are_closed() -> None:
    def text_of(given: Situation) -> str:
        return robustness_finding(build_robustness(pair_of(given), entries_of(given), 50)).text

    assert not offenders(PAIRS, text_of, false_in_headline)


# The Overview's checks: the same in a few words.


def in_brief(*entries: RobustnessCheck | None) -> str:
    return " ".join(f"{e.part}: {e.brief}." for e in entries if e is not None and e.brief)


def checks_of(given: Situation) -> str:
    gaps, pair = better_of(given), pair_of(given)
    now, low, high, exact = span_of(given)
    missing = dict(zip(given.scores.runs[:2], given.scores.missing[:2], strict=True))
    both = int((~given.scores.missing[:2]).all(axis=0).sum())
    counts = {run: int(own.sum()) for run, own in missing.items()}
    return in_brief(
        verdict_risks.unjudged_check(*bounds_of(given), 0.12, 10),
        verdict_risks.single_queries_check(find_fragility(gaps), pair, gaps),
        file_risks.ties_check((low, high), now, (given.seed % 4, 9), exact),
        file_risks.missing_queries_check(counts, now, low, both),
    )


def false_in_checks(given: Situation, text: str) -> Iterator[str | bool]:
    now, low, high, exact = span_of(given)
    reached, _ = bounds_of(given)
    can = {side_of(reached.lowest), side_of(reached.highest)} - {side_of(now)} != set()
    yield ("unjudged: 12% of top 10 results; cannot" in text) == can and "unjudged"
    gaps = better_of(given) * (pair_of(given).side or 1)
    known = np.sort(gaps[~np.isnan(gaps)])[::-1]
    left = known.sum() - np.cumsum(known)
    rounding = -1e-12 * np.abs(known).sum()
    fewest = next((m for m, rest in enumerate(left, 1) if rest < rounding), 0)
    if abs(known.sum()) > -rounding:
        drop = re.search(r"queries: removing (?:only )?the (?:(\S+) )?best quer", text)
        if holds := re.search(r"queries: ahead even if any (\S+) quer", text):
            yield count_of(holds[1]) != np.argmax(left <= -rounding) and "without which it holds"
        else:
            yield (count_of(drop[1] or "1") if drop else 0) != fewest and "how many to remove"
    turned = {side_of(low), side_of(high)} - {0, side_of(now)} != set()
    if ties := re.search(r"ties: (no|some) order", text):
        turns = turned or (side_of(now) == 0 and low < high)
        yield (ties[1] == "some") != turns and "ties"
    yield "ties: two orders" in text and exact and "all orders"
    if missing := re.search(r"missing: (?:queries without results )?(.*)\.$", text):
        after = {
            "still in the same direction on the other queries": 1,
            "reverse it": -1,
            "make them tied": 0,
        }
        if missing[1] in after and side_of(now):
            yield side_of(low) * side_of(now) != after[missing[1]] and missing[1]


def test_the_checks_in_brief() -> None:
    assert not offenders(PAIRS, checks_of, false_in_checks)


def settling_of(given: Situation) -> str:
    pair = ComparedPair("run1", "run0", "RR", "cannot tell", 1)
    now, low, high, exact = span_of(given)
    return in_brief(
        open_verdicts.sample_size_check(now, 100 * abs(high) + 10),
        open_verdicts.detectable_difference_check(abs(low)),
        open_verdicts.unjudged_check(given.seed % 3 / 7, 10),
        open_verdicts.cutoff_check(crossings_of(given), None),
        open_verdicts.other_measures_check(
            agreement_of(given).rows_with_difference.set_index("measure")["verdict"].to_dict(), pair
        ),
        open_verdicts.ties_check(
            file_risks.ties_check((low, high), now, (given.seed % 4, 9), exact)
        ),
        open_verdicts.missing_queries_check(
            file_risks.missing_queries_check({"run0": 3}, now, low, 9)
        ),
    )


def false_in_settling(given: Situation, text: str) -> Iterator[str | bool]:
    now, low, high, _ = span_of(given)
    size = re.search(rf"about (\S+) queries needed to confirm ({NUMBER})\.", text)
    yield bool(size) != bool(now) and "the sample size"
    if size:
        needed = 100 * abs(high) + 10
        yield not needed <= count_of(size[1]) <= 1.1 * needed + 1 and "how many queries"
        yield not is_rounded(size[2], abs(now)) and "the difference"
    detects = re.search(rf"detectable: ({NUMBER}) or more", text)
    yield bool(detects) != bool(low) and "detectable"
    yield bool(detects) and not is_rounded(detects[1], abs(low)) and "what is detectable"
    share = re.search(r"unjudged: (\S+) of the top 10 is unjudged", text)
    yield (share[1] if share else w.format_share(0)) != w.format_share(
        given.seed % 3 / 7
    ) and "unjudged"
    found = crossings_of(given)
    ks = set(found.cutoffs[found.clear != 0].tolist())
    where = re.search(r"cutoff: (.*?)\. ", text)[1]  # type: ignore[index]
    yield ("not significant at any k" in where) != (not ks) and "significant at no k"
    if where.startswith("significant") and "some" not in where:
        yield ks_of(where, found.depth) != ks and "significant at"
    table = agreement_of(given).rows_with_difference.set_index("measure").drop(index="RR")
    for run, word in (("run1", "better"), ("run0", "worse")):
        clear = table.index[table["verdict"] == word].tolist()
        said = re.search(rf"(?:measures: |; )([^;]*): significant for {run}", text)
        yield (said[1] if said else "") != (
            w.shorten_list(clear, max_words=3) if clear else ""
        ) and run
    turned = {side_of(low), side_of(high)} - {0, side_of(now)} != set()
    yield "ties: cannot change the direction" in text and turned and "ties"
    turned = side_of(now) == -side_of(low) != 0
    yield text.endswith("missing: queries without results reverse it.") != turned and "missing"


def test_what_would_settle_it() -> None:
    assert not offenders(PAIRS, settling_of, false_in_settling)
