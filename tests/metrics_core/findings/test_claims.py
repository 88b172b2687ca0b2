"""What sentences on runs claim is so: of random situations each claim is read back out of the
text and worked out anew from the scores. Each test is a sentence, and lists the seeds at which it
lies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.difference_warnings import find_warnings
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import SAME, compare, query_differences
from metrics_core.findings.history import history_finding
from metrics_core.findings.queries import QueryCounts, queries_finding, queries_subtitle
from metrics_core.findings.ranking import ranking_subtitle, ranking_title
from metrics_core.findings.significance import (
    detectable_difference_finding,
    mean_difference_caveats,
    needed_queries_finding,
)
from metrics_core.findings.verdicts import method_finding, single_run_finding, verdict_finding
from metrics_core.scoring.means import aggregate
from tests.claims import (
    NUMBER,
    count_of,
    is_rounded,
    named_in,
    names_others,
    offenders,
    value_of,
)
from tests.situations import Situation, situations

pytestmark = pytest.mark.random

FEWEST = 10
ROUNDING = 1e-12
CASES = situations()


def outcomes(given: Situation, run: str) -> tuple[int, int, int]:
    """Queries won, lost and the same."""
    better = given.gaps(run) * given.direction
    won, lost = (better > SAME + ROUNDING).sum(), (better < -SAME - ROUNDING).sum()
    return int(won), int(lost), int(len(better) - won - lost)


def gap_of(given: Situation, run: str) -> float:
    """The mean difference, better upwards or not, 0 where it is rounding."""
    gaps = given.gaps(run)
    mean = float(gaps.mean()) if len(gaps) else float("nan")
    return 0.0 if abs(mean) <= ROUNDING else mean


TONES = {"clear difference": "better", "clear loss": "worse", "too few queries": "few"}


def is_p(printed: str, p: float) -> bool:
    """Whether this is the p-value as far as it is printed."""
    sign, number = printed.replace(w.NO_BREAK, " ").split(" ")[1:]
    return p < float(number) if sign == "<" else is_rounded(number, p)


def false_in_examples(given: Situation, title: str, lead: str) -> Iterator[str | bool]:
    n = len(given.gaps(given.focus))
    if not n:
        yield title != "No query has scores from both runs"
        return
    what = "y: an example" if n == 1 else "ies: examples"
    yield title != f"Only {n} quer{what}, not a result"
    for name in (given.focus, given.baseline):
        score = re.escape(w.format_score(given.mean(name)))
        yield not re.search(rf"{name}(?: scores)? {score}(?!\d)", lead) and name
    tally = re.search(r": (\d+) better, (\d+) same, (\d+) worse\. ", lead)
    won, lost, same = outcomes(given, given.focus)
    yield not tally or (tuple(map(int, tally.groups())) != (won, same, lost) and "the tally")


def false_in_verdict(
    given: Situation, text: str, frame: pd.DataFrame | None = None
) -> Iterator[str | bool]:
    frame = given.compared if frame is None else frame
    title, badge, tone, lead = re.match(r"(.*?) \[(.*?)\|(.*?)\] (.*)", text).groups()  # type: ignore[union-attr]
    yield len(title) > 60 and "a long title"
    yield TONES.get(badge, "unclear") != tone and "the tone"
    yield names_others(text, given.focus, given.baseline)
    gaps, mean = given.gaps(given.focus), gap_of(given, given.focus)
    yield (badge == "too few queries") != (len(gaps) < FEWEST) and badge
    if len(gaps) < FEWEST:
        yield from false_in_examples(given, title, lead)
        return
    yield (badge == "tied") != (not gaps.any()) and "tied"
    beats = re.match(rf"{given.focus} (beats|falls behind) {given.baseline}$", title)
    yield not beats and title != f"{given.focus} and {given.baseline}" and "the title"
    yield bool(beats) != (tone in ("better", "worse")) and "title and tone"
    row = frame.iloc[list(frame["run"]).index(given.focus)]
    if badge == "tied":
        same = re.match(
            rf"Both runs have the same score on every query: \S+ is ({NUMBER})\.$", lead
        )
        yield not same or (not is_rounded(same[1], given.mean(given.focus)) and "the score")
    elif beats:
        better = mean * given.direction > 0
        yield better != (beats[1] == "beats") and "who leads"
        yield better != (tone == "better") and "the colour"
        yield from false_in_clear(given, lead, frame, row)
    else:
        yield from false_in_unclear(given, badge, lead, row)


def false_in_clear(
    given: Situation, lead: str, frame: pd.DataFrame, row: pd.Series
) -> Iterator[str | bool]:
    gaps, mean = given.gaps(given.focus), gap_of(given, given.focus)
    change = re.match(
        rf"\S+ (rises|falls) (?:from ({NUMBER}) to ({NUMBER})|by ({NUMBER}) on the (\S+) queries"
        r" with scores from both runs)\. ",
        lead,
    )
    if not change:
        yield "no change"
        return
    yield (mean > 0) != (change[1] == "rises") and "rises or falls"
    if change[2]:
        means = given.mean(given.baseline), given.mean(given.focus)
        for printed, end in zip(change.groups()[1:3], means, strict=True):
            yield not is_rounded(printed, end) and f"the mean {end}"
        yield (value_of(change[3]) > value_of(change[2])) != (mean > 0) and "from more to less"
        yield abs(means[1] - means[0] - mean) > 1e-6 and "means that are not compared"
    else:
        yield not is_rounded(change[4], abs(mean)) and "the size"
        yield value_of(change[4]) == 0 and "a change of nothing"
        yield count_of(change[5]) != len(gaps) and "over how many"
    test = re.search(r"Significant(.*?) \((p.[<=].[\d.]*\d)\)\.", lead)
    yield not test or (not is_p(test[2], row["p_corrected"]) and "p")
    yield row["p_corrected"] > 1 - given.level + 1e-9 and "not significant"
    of = re.search(r"for (\w+) comparisons", lead)
    yield (count_of(of[1]) if of else 1) != frame["p_corrected"].notna().sum() and "of how many"
    little = re.search(
        rf"The difference of ({NUMBER}) is smaller than the margin of (\d+(?:\.\d+)?)", lead
    )
    yield bool(little) and not (is_rounded(little[1], abs(mean)) and abs(mean) < float(little[2]))


def false_in_unclear(
    given: Situation, badge: str, lead: str, row: pd.Series
) -> Iterator[str | bool]:
    gaps, mean = given.gaps(given.focus), gap_of(given, given.focus)
    means = re.match(rf"\S+ is ({NUMBER})(?: against ({NUMBER})| for both)", lead)
    yield not means or (not is_rounded(means[1], given.mean(given.focus)) and "its mean")
    if means:
        base = means[2] or means[1]
        yield not is_rounded(base, given.mean(given.baseline)) and "the mean of the baseline"
    if size := re.search(rf"The difference of ({NUMBER})", lead):
        yield not is_rounded(size[1], mean) and "the difference"
    if p := re.search(r"\bp.[<=].[\d.]*\d", lead):
        yield not is_p(p[0], row["p_corrected"]) and "p"
    ends = re.search(rf"(anywhere from|between) ({NUMBER}) (?:to|and) ({NUMBER})", lead)
    inner = "inner_" if badge.startswith("equivalent") else ""
    for end, place in (("low", 2), ("high", 3)) if ends else ():
        yield not is_rounded(ends[place], row[f"{inner}{end}"]) and f"{end} of the interval"
    if inner:
        margin = float(badge.removeprefix("equivalent within "))
        yield margin != given.margin and "the margin"
        yield not ends or max(abs(value_of(end)) for end in ends.groups()[1:]) > margin
        yield w.format_share(2 * given.level - 1) not in lead and "the level of the interval"
        return
    yield badge != "no clear difference" and badge
    yield bool(ends) and not value_of(ends[2]) <= 0 <= value_of(ends[3]) and "excludes 0"
    yield ("is not tested" in lead) != np.isnan(row["p_corrected"]) and "tested or not"
    yield "may be chance" in lead and not row["p_corrected"] > 1 - given.level - 1e-9
    yield "may be chance" in lead and mean == 0 and "a gap of nothing"
    yield "favours neither run" in lead and mean != 0 and "neither run"
    if differ := re.search(r"(\S+) quer(?:y differs|ies differ)", lead):
        yield count_of(differ[1]) != (gaps != 0).sum() and "queries that differ"


def method_of(given: Situation) -> Method:
    return Method(level=given.level, margin=given.margin)


def compared_pairs() -> list[Situation]:
    return [given for given in CASES if given.focus != given.baseline]


def test_the_verdict() -> None:
    def text_of(given: Situation) -> str:
        name, method = str(given.measure), method_of(given)
        return verdict_finding(
            given.compared, name, given.focus, given.baseline, method=method
        ).text

    assert not offenders(compared_pairs(), text_of, false_in_verdict)


def false_in_alone(given: Situation, text: str) -> Iterator[str | bool]:
    found = re.match(rf"(run\d+) scores ({NUMBER}|–) on (\S+) \[(.*?)\|(.*?)\] (.*)", text)
    if not found:
        yield "no score"
        return
    values = given.values(given.baseline)
    known = values[~np.isnan(values)]
    yield found[1] != given.baseline and "who"
    yield found[2] != w.format_score(known.mean() if len(known) else None) and "the score"
    yield (found[4] == "too few queries") != (len(known) < FEWEST) and "too few"
    yield found[5] != ("few" if len(known) < FEWEST else "unclear") and "the tone"
    over = re.search(r"[Oo]ver (\S+) quer", found[6])
    yield (count_of(over[1]) if over else 0) != len(known) and "over how many"
    ends = re.match(rf"\d+.% interval ({NUMBER}) to ({NUMBER}) over", found[6])
    yield len(known) < FEWEST and bool(ends) and "an interval of too few"
    if ends:
        low, high = map(value_of, ends.groups())
        # Three decimals of the mean against as many as the interval needs.
        yield not low - 5e-4 <= known.mean() <= high + 5e-4 and "the mean is outside"


def test_one_run_alone() -> None:
    def text_of(given: Situation) -> str:
        scored = aggregate(given.scores.select_runs([given.baseline]), level=given.level).iloc[0]
        ends = scored["low"], scored["high"]
        name = str(given.measure)
        return single_run_finding(
            given.compared, name, given.baseline, ends, level=given.level
        ).text

    # Of values outside a measure's range there is no interval within it.
    usual = [given for given in situations(8) if given.kind != "negative"]
    assert not offenders(usual, text_of, false_in_alone)


def test_the_verdict_on_frames_of_compare() -> None:
    """They are as those of the situations in all that is no test, and their sentences as true."""

    def frame_of(given: Situation) -> pd.DataFrame:
        return compare(
            given.scores, given.measure, given.baseline, method=Method(level=given.level)
        )

    def text_of(given: Situation) -> str:
        method = Method(level=given.level)
        return verdict_finding(
            frame_of(given), str(given.measure), given.focus, given.baseline, method=method
        ).text

    some = [given for given in CASES if len(given.scores.runs) == 2][:60]
    counted = ["run", "mean", "won", "lost", "same", "queries", "differing"]
    for given in some[:20]:
        pd.testing.assert_frame_equal(frame_of(given)[counted], given.compared[counted])
    assert not offenders(
        some, text_of, lambda given, text: false_in_verdict(given, text, frame_of(given))
    )


def false_in_method(given: Situation, text: str) -> Iterator[str | bool]:
    others = given.scores.runs[1:]
    few = sum(len(given.gaps(run)) < FEWEST for run in others)
    alike = sum(len(gaps := given.gaps(run)) >= FEWEST and (gaps != 0).sum() < 6 for run in others)
    count = re.match(r"(\w+) runs? (?:is|are) compared with one baseline", text)
    yield not count or (count_of(count[1]) != len(others) and "runs compared")
    corrected = re.search(r"corrected for (\w+) comparisons", text)
    tested = len(others) - few - alike
    yield (count_of(corrected[1]) if corrected else 1) != tested and "corrected for how many"
    said = [re.search(rf"(\w+)(?: \w+ not tested)?,? because {why}", text) for why in (
        r"\w+ ha(?:s|ve) too few queries", r"too few of \w+ queries differ")]  # fmt: skip
    yield [count_of(one[1]) if one else 0 for one in said] != [few, alike] and "not tested"
    yield f"{w.format_share(given.level)} intervals" not in text and given.has_intervals


def test_for_how_many_it_holds() -> None:
    def text_of(given: Situation) -> str:
        return method_finding(given.compared, Method(level=given.level)).text

    assert not offenders(situations(4), text_of, false_in_method)


def false_in_queries(given: Situation, text: str) -> Iterator[str | bool]:
    total, (title, lead) = len(given.scores.query_ids), text.split("\n")
    zero = int((given.scores.values[:, :, 0] == 0).all(axis=0).sum())
    fail = re.search(r"([\d,]+)(?: of [\d,]+)?(?: quer(?:y|ies))? scores? 0 with every run", text)
    alone = given.focus == given.baseline
    yield (count_of(fail[1]) if fail else 0) != zero * alone and "that fail"
    yield len(title) > 60 and "its length"
    if given.focus == given.baseline:
        yield count_of(re.match(r"^(?:[\d,]+ of )?([\d,]+) quer", title)[1]) != total  # type: ignore[index]
        return
    won, lost, _ = outcomes(given, given.focus)
    yield "Same: " in lead and "the same"
    told = re.match(
        r"\w+ is better on ([\d,]+) of ([\d,]+) quer(?:y|ies), worse on ([\d,]+)$", title
    )
    yield (tuple(map(count_of, told.groups())) if told else (0, total, 0)) != (won, total, lost)
    yield not told and title != f"No query differs by more than {SAME}"
    gaps = given.gaps(given.focus) * given.direction
    paired = int(np.isfinite(gaps).sum())
    few = re.search(r"Only ([\d,]+) quer", lead)
    yield (count_of(few[1]) if few else 10) != min(paired or 10, 10) and "that are few"
    yield ("No query has scores" in lead) is not (paired == 0)
    first = (
        r"Start with the (?:([\d,]+) )?broken quer(?:y|ies): (\w+) reaches two thirds of"
        r" the ideal score, (\w+) does not\.$"
    )
    broken = re.search(first, lead)
    yield (count_of(broken[1] or "1") if broken else 0) != broken_in(given) and "how many broke"
    pair = broken and (broken[2], broken[3])
    yield pair not in (None, (given.baseline, given.focus)) and "which run is good"
    for half in re.finditer(rf"({NUMBER}) where (better|worse)[,.]", lead):
        sizes = gaps[(gaps > 0) == (half[2] == "better")] * given.direction
        sizes = sizes[np.abs(sizes) > SAME + ROUNDING]
        off = 0.5 * 10.0 ** -len(half[1].partition(".")[2]) + 1e-9
        yield abs(float(np.median(sizes)) - value_of(half[1])) > off and "the middle one"


def broken_in(given: Situation) -> int:
    """How many queries are told to be broken; their classification has tests of its own."""
    return given.seed % 3


def test_which_queries() -> None:
    def text_of(given: Situation) -> str:
        frame = query_differences(given.scores, given.measure, given.focus, given.baseline)
        zero = int((given.scores.values[:, :, 0] == 0).all(axis=0).sum())
        told = QueryCounts(all_zero=zero, every_run="every run", broken=broken_in(given))
        pair = (given.focus, given.baseline)
        title, lead = (f(frame, *pair, told).text for f in (queries_finding, queries_subtitle))
        return f"{title}\n{lead or 'There are no medians.'}"

    assert not offenders(situations(8), text_of, false_in_queries)


def pairs_of(given: Situation) -> AllPairs:
    """All pairs, of which one is better where its mean is higher by more than some size."""
    runs = given.scores.runs
    means = np.array([given.mean(run) for run in runs])
    order = np.argsort(-means * given.direction, kind="stable")
    gaps = (means[order][:, None] - means[order]) * given.direction
    apart = np.random.default_rng([given.seed, 1]).choice([0.0, 0.05, 0.2, 9e9], size=2)
    far = np.abs(gaps) > np.where(order % 2, *apart)
    far &= far.T & (len(given.scores.query_ids) >= FEWEST)
    verdicts = np.where(far, np.where(gaps > 0, "better", "worse"), "cannot tell").astype(object)
    np.fill_diagonal(verdicts, None)
    return AllPairs(
        tuple(runs[i] for i in order),
        means[order],
        *[gaps] * 5,
        verdicts,
        np.full(gaps.shape, len(given.scores.query_ids)),
        1 + (verdicts == "worse").sum(axis=1),
        len(runs) - (verdicts == "better").sum(axis=1),
        10_000 * (len(given.scores.query_ids) >= FEWEST),
        None,
    )


def places_of(found: AllPairs) -> dict[str, tuple[int, int]]:
    """The best and the worst place of each run: behind all that are better, before all worse."""
    return {
        run: (1 + list(row).count("worse"), len(found.runs) - list(row).count("better"))
        for run, row in zip(found.runs, found.verdict, strict=True)
    }


def false_in_bests(given: Situation, text: str) -> Iterator[str | bool]:
    found = pairs_of(given)
    bests = [run for run, (first, _) in places_of(found).items() if first == 1]
    if re.match("(None of the|The two)", text):
        yield len(bests) != len(found.runs) and "any may be the best"
        of = re.match(r"None of the (\w+)", text)
        yield bool(of) and count_of(of[1]) != len(found.runs) and "of how many"
        return
    who, of = re.match(r"(.*?) (?:is|may both be|may each be) the best of (\w+)", text).groups()  # type: ignore[union-attr]
    names, count = named_in(who)
    yield (count, count_of(of)) != (len(bests), len(found.runs)) and "how many"
    yield not set(names) <= set(bests) and "who may be the best"
    yield ("may" in text) != (len(bests) > 1) and "may or is"


def false_in_places(given: Situation, text: str) -> Iterator[str | bool]:
    found, queries = pairs_of(given), len(given.scores.query_ids)
    title, lead = text.split(" | ")
    yield len(title) > 60 and "a long title"
    if queries < FEWEST:
        yield not lead.startswith((f"Only {queries} quer", "No query")) and "how many queries"
        if best := re.search(r"(run\d+) scores highest on", title):
            means = [given.mean(run) * given.direction for run in found.runs]
            yield given.mean(best[1]) * given.direction < np.nanmax(means) and "the best mean"
            yield means.count(np.nanmax(means)) > 1 and "alone"
        yield "alone ranks" in title and "clear"
        return
    places = places_of(found)
    bests = [run for run, (first, _) in places.items() if first == 1]
    if alone := re.match(r"(Only )?(run\d+) (alone ranks first|may be the best) on", title):
        yield bests != [alone[2]] and "the only one"
        against = {v for v in found.verdict[found.runs.index(alone[2])] if v is not None}
        yield (alone[3] == "alone ranks first") != (against == {"better"}) and "clear against each"
    elif some := re.match(r"(?:(\w+) of|Any of the) (\w+) runs may", title):
        yield count_of(some[1] or some[2]) != len(bests) and "how many may be"
        yield count_of(some[2]) != len(found.runs) and "of how many"
    else:
        yield named_in(title.partition(" share first place")[0])[0] != bests and "who may be"
    these = re.search(r"These are (.+?)\. ", lead)
    is_counted = bool(re.match(r"\w+ of \w+ runs may", title))
    yield (these is not None) != is_counted and "naming the best"
    if these:
        names, n = named_in(these[1])
        yield (names, n) != (bests if n <= 4 else bests[:3], len(bests)) and "who they are"
    yield from false_in_pairs(found, lead)


def false_in_pairs(found: AllPairs, lead: str) -> Iterator[str | bool]:
    """How many of all pairs are told apart."""
    n = len(found.runs) * (len(found.runs) - 1) // 2
    clear = sum(list(row).count("better") for row in found.verdict)
    if one := re.search(r"The difference is (not )?significant", lead):
        yield (n, clear) != (1, 0 if one[1] else 1) and "the one pair"
    elif others := re.search(r"The other (\w+) pairs differ significantly", lead):
        bests = [run for run, (first, _) in places_of(found).items() if first == 1]
        yield (count_of(others[1]), clear) != (n - 1, n - 1) and "how many other pairs"
        yield len(bests) != 2 and "other than the pair of the best"
    elif said := re.search(r"(None of|All|\w+ of) (\w+) pairs differs? significantly", lead):
        told = {"None of": 0, "All": n}.get(said[1])
        yield (count_of(said[1].split()[0]) if told is None else told) != clear and "how many pairs"
        yield count_of(said[2]) != n and "all pairs"
    else:
        yield "no pairs"


def test_who_may_be_the_best() -> None:
    def places(given: Situation) -> str:
        asked = pairs_of(given), "RR", len(given.scores.query_ids)
        return f"{ranking_title(*asked).text} | {ranking_subtitle(*asked).text}"

    several = [given for given in CASES if len(given.scores.runs) > 1][::3]
    assert not offenders(several, places, false_in_places)


def history_of(given: Situation) -> dict[str, Any]:
    """What is told of the runs as versions of one system."""
    rng = np.random.default_rng([given.seed, 1])
    means = np.array([given.mean(run) for run in given.scores.runs]) * given.direction
    best = int(np.nanargmax(means)) if (~np.isnan(means)).any() else len(means)
    after = list(given.scores.runs[best + 1 :])
    since = str(rng.choice(after)) if after and rng.random() < 0.5 else ""
    since = "" if np.isnan(means[-1]) else since
    counts = {"n_failing": int(rng.integers(4)), "n_flickering": int(rng.integers(3))}
    is_best = bool(best == len(means) - 1 and rng.random() < 0.5)
    return {"means": means, "first_bad_version": since, "is_best": is_best, **counts}


def false_in_history(given: Situation, text: str) -> Iterator[str | bool]:
    told, runs = history_of(given), given.scores.runs
    means = dict(zip(runs, told["means"], strict=True))
    known = [mean for mean in means.values() if not np.isnan(mean)]
    best, last = max(known, default=np.nan), means[runs[-1]]
    if "the last of" in text:
        yield last != best and "the best mean"
        yield ("is the best on" in text) != told["is_best"] and "clearly the best"
        yield count_of(re.search(r"the last of (\w+) versions", text)[1]) != len(runs)  # type: ignore[index]
    elif found := re.search(r"than (run\d+)(, the best so far| was)|with (run\d+),", text):
        yield means[found[1] or found[3]] != best and "the best so far"
        yield "is tied" in text and not abs(last - best) <= ROUNDING and "tied"
        yield np.isnan(last) and "the last has no score"
    elif found := re.search(r"has no score on RR; (run\d+) is the best so far", text):
        yield not np.isnan(last) or means[found[1]] != best
    else:
        yield bool(known) and "no version has a score"
        return
    yield told["first_bad_version"] not in text and "since when"
    flickers = re.search(r"; (\d+) went back and forth\.$", text)
    yield (count_of(flickers[1]) if flickers else 0) != told["n_flickering"] and "flicker"
    bad = re.search(r"(\d+) quer(?:y|ies) broke", text)
    yield not bad or count_of(bad[1]) != told["n_failing"]


def test_the_history() -> None:
    def text_of(given: Situation) -> str:
        return history_finding(given.scores.runs, measure="RR", **history_of(given)).text

    several = [given for given in CASES if len(given.scores.runs) > 1]
    assert not offenders(several[::2], text_of, false_in_history)


def false_in_doubts(given: Situation, text: str) -> Iterator[str | bool]:
    gaps = given.gaps(given.focus)
    yield not len(gaps) and "of no query"
    differing = int((gaps != 0).sum())
    if few := re.search(r"Only (\w+) of ([\d,]+) queries differs? at all", text):
        yield [count_of(n) for n in few.groups()] != [differing, len(gaps)] and "that differ"
        yield 10 * differing >= len(gaps) and "few"
    if carry := re.search(r"(\w+) quer(?:y|ies) accounts? for half of the difference", text):
        largest = np.sort(gaps * np.sign(gaps.mean()))[::-1]
        half, n = abs(gaps.sum()) / 2, count_of(carry[1])
        yield largest[:n].sum() < half - 1e-9 or largest[: n - 1].sum() >= half + 1e-9


def test_what_makes_a_mean_doubtful() -> None:
    def text_of(given: Situation) -> str:
        return " ".join(
            one.text for one in mean_difference_caveats(find_warnings(given.gaps(given.focus)))
        )

    several = [given for given in CASES if len(given.scores.runs) > 1]
    assert not offenders(several, text_of, false_in_doubts)


def test_what_so_many_queries_show() -> None:
    def text_of(size: float) -> str:
        n = int(size * 977) % 60
        needed = needed_queries_finding(-size, size * 100).text
        return f"{detectable_difference_finding(size, n).text} {needed}".strip()

    def false_in(size: float, text: str) -> Iterator[str | bool]:
        printed = re.findall(rf"(?:detect a difference of|confirm) ({NUMBER})", text)
        yield len(printed) != 2 and "no difference"
        for one in printed:
            yield not is_rounded(one, size) and "the difference"
            yield value_of(one) == 0 and "a difference of nothing"
        about = count_of(re.search(r"About ([\d,]+) quer", text)[1])  # type: ignore[index]
        yield not size * 100 <= about <= max(size * 110, size * 100 + 1) and "how many"

    sizes = np.exp(np.random.default_rng(0).uniform(np.log(1e-4), np.log(90), 300))
    assert not offenders([*sizes.tolist(), 0.02, 0.01, 0.005], text_of, false_in)
