"""What sentences on runs claim is so: of 2,000 random situations each claim is read back out of the
text and worked out anew from the scores. Each test is a sentence, and lists the seeds at which it
lies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.doubts import doubts
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import SAME, compare, differences
from metrics_core.findings import (
    Turned,
    bests_finding,
    doubts_findings,
    history_finding,
    method_finding,
    needed_finding,
    others_verdict,
    places_finding,
    queries_finding,
    queries_lead,
    shown_finding,
    verdict,
)
from tests.claims import (
    INTERVAL,
    NUMBER,
    count_of,
    is_rounded,
    named_in,
    names_others,
    offenders,
    value_of,
)
from tests.situations import Situation, situations

FEWEST = 10
ROUNDING = 1e-12
CASES = situations()
SEVERAL = tuple(given for given in CASES if len(given.scores.runs) > 2)[::2]


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


def false_gap(given: Situation, run: str, text: str, frame: pd.DataFrame) -> Iterator[str | bool]:
    """What is false of a signed difference with or without its interval."""
    mean = gap_of(given, run)
    found = re.search(rf"({NUMBER})(?: {INTERVAL})?(?: \(\d+.%.interval\))?(?=[;.,]|$)", text)
    if not found:
        yield "no difference"
        return
    yield not is_rounded(found[1], mean) and f"the difference is {mean}"
    yield (mean != 0 and value_of(found[1]) != 0) and (
        (mean > 0) != (found[1][0] == "+") and "the sign"
    )
    if found[2]:
        inner = "inner_" if "%\u00a0interval)" in text.replace(" ", "\u00a0") else ""
        row = frame.iloc[list(frame["run"]).index(run)]
        for end, printed in zip(("low", "high"), found.groups()[1:], strict=True):
            yield not is_rounded(printed, row.get(f"{inner}{end}")) and f"{end} of the interval"


def false_in_verdict(
    given: Situation, text: str, frame: pd.DataFrame | None = None
) -> Iterator[str | bool]:
    frame = given.compared if frame is None else frame
    yield names_others(text, given.focus, given.baseline)
    gaps, mean = given.gaps(given.focus), gap_of(given, given.focus)
    if given.focus == given.baseline:
        score = np.nanmean(given.values(given.focus)) if len(gaps) else None
        yield f"scores {w.score(score)} on {given.measure}; load a second run" not in text
        return
    if len(gaps) < FEWEST:
        start = f"Only {len(gaps)} quer{'y' if len(gaps) == 1 else 'ies'}: read this as examples"
        yield not text.startswith(start if len(gaps) else "No query has a score with both runs.")
        for run in (given.focus, given.baseline):
            own = given.values(run)
            own = own[~np.isnan(own)]
            printed = w.score(own.mean() if len(own) else None)
            yield not re.search(rf"{run}( scores)? {re.escape(printed)}(?![\d])", text) and run
        return
    tally = re.search(r"([\d,]+) quer(?:y|ies) won, ([\d,]+) lost, ([\d,]+) the same\.$", text)
    yield not tally or tuple(map(count_of, tally.groups())) != outcomes(given, given.focus)
    head = text.partition(f" on {given.measure}")[0]
    told = text[len(head) :].rpartition(". ")[0] + "."
    clear = re.match(rf"{given.focus} is (ahead of|behind) {given.baseline}$", head)
    if clear:
        yield (mean * given.direction > 0) != (clear[1] == "ahead of") and "who leads"
        size = re.match(rf" on \S+ by ({NUMBER})(?: {INTERVAL})?", told)
        yield not size or (not is_rounded(size[1], abs(mean)) and "the size")
        yield bool(size) and value_of(size[1]) == 0 and "ahead by nothing"
        yield bool(size and size[2]) and value_of(size[2]) <= 0 and "the interval holds 0"
        little = re.search(r"less than the ([\d.]+) that matters", told)
        yield bool(little) and not abs(mean) < float(little[1]) and "little"
        return
    if ": no query differs" not in told:
        yield from false_gap(
            given, given.focus, told.partition(": ")[2].partition(", within")[0], frame
        )
    ends = re.search(INTERVAL, told)
    if head.startswith("No difference that matters"):
        within = re.search(r"within the ([\d.]+) that matters", told)
        yield not (within and ends) or not all(
            abs(value_of(end)) <= float(within[1]) for end in ends.groups()
        )
        yield w.share(2 * given.level - 1) not in told and "the level of the interval"
    elif " score the same" in text:
        yield bool(gaps.any()) and "the same"
    else:
        yield not head.startswith("No clear difference") or not gaps.any()
        yield bool(ends) and not value_of(ends[1]) <= 0 <= value_of(ends[2]) and "excludes 0"
        only = re.search(r"only (one|\d+) quer", told)
        yield bool(only) and count_of(only[1]) != (gaps != 0).sum() and "queries that differ"


def test_the_verdict() -> None:
    def text_of(given: Situation) -> str:
        return verdict(
            given.compared,
            str(given.measure),
            given.focus,
            given.baseline,
            margin=given.margin,
            level=given.level,
        ).text

    assert not offenders(CASES, text_of, false_in_verdict)


def test_the_verdict_on_frames_of_compare() -> None:
    """They are as those of the situations in all that is no test, and their sentences as true."""

    def frame_of(given: Situation) -> pd.DataFrame:
        return compare(
            given.scores, given.measure, given.baseline, method=Method(level=given.level)
        )

    def text_of(given: Situation) -> str:
        return verdict(
            frame_of(given), str(given.measure), given.focus, given.baseline, level=given.level
        ).text

    some = [given for given in CASES if len(given.scores.runs) == 2][:60]
    counted = ["run", "mean", "won", "lost", "same", "queries", "differing"]
    for given in some[:20]:
        pd.testing.assert_frame_equal(frame_of(given)[counted], given.compared[counted])
    assert not offenders(
        some, text_of, lambda given, text: false_in_verdict(given, text, frame_of(given))
    )


def false_in_others(given: Situation, text: str) -> Iterator[str | bool]:
    told = {run: n for run in given.scores.runs[2:] if (n := len(given.gaps(run))) >= FEWEST}
    more = re.search(r"; ([\d,]+) more below\.$", text)
    parts = text[: more.start()].split("; run") if more else text.removesuffix(".").split("; run")
    yield len(parts) + (count_of(more[1]) if more else 0) != len(told) and "how many"
    rows = given.compared.set_index("run")
    for part in parts:
        run = "run" + re.match(r"(?:run)?(\d+)", part)[1]  # type: ignore[index]
        mean = gap_of(given, run) * given.direction
        ends = re.search(INTERVAL, part)
        yield from false_gap(given, run, part, given.compared)
        yield names_others(part, run, given.baseline)
        yield "is ahead" in part and not mean > 0 and f"{run} ahead"
        yield "is behind" in part and not mean < 0 and f"{run} behind"
        yield "score the same" in part and bool(given.gaps(run).any()) and f"{run} the same"
        yield (
            "too close" in part
            and np.isnan(rows.loc[run, "p_corrected"])
            and f"{run} was not tested"
        )
        if ends:
            low, high = sorted(value_of(end) * given.direction for end in ends.groups())
            yield "is ahead" in part and low <= 0
            yield "is behind" in part and high >= 0
            yield "too close" in part and not low <= 0 <= high
            yield "less than matters" in part and max(-low, high) > (given.margin or 0)


def test_the_verdicts_on_the_others() -> None:
    def text_of(given: Situation) -> str:
        return others_verdict(given.compared, given.focus, given.baseline, level=given.level).text

    assert not offenders(SEVERAL, text_of, false_in_others)


def false_in_method(given: Situation, text: str) -> Iterator[str | bool]:
    others = given.scores.runs[1:]
    few = sum(len(given.gaps(run)) < FEWEST for run in others)
    alike = sum(len(gaps := given.gaps(run)) >= FEWEST and (gaps != 0).sum() < 6 for run in others)
    count = re.match(r"(\w+) runs? compared with one baseline", text)
    yield not count or (count_of(count[1]) != len(others) and "runs compared")
    together = re.search(r"hold for (both|all \w+) together", text)
    if together and together[1] != "both":
        yield count_of(together[1].removeprefix("all ")) != len(others)
    said = [re.search(rf"(\w+)(?: \w+ not tested)?, since {why}", text) for why in (
        r"\w+ ha(?:s|ve) too few queries", r"too few of \w+ queries differ")]  # fmt: skip
    yield [count_of(one[1]) if one else 0 for one in said] != [few, alike] and "not tested"
    yield f"{w.share(given.level)} intervals" not in text and given.has_intervals


def test_for_how_many_it_holds() -> None:
    def text_of(given: Situation) -> str:
        return method_finding(given.compared, Method(level=given.level)).text

    assert not offenders(CASES[::4], text_of, false_in_method)


def false_in_queries(given: Situation, text: str) -> Iterator[str | bool]:
    total, (title, lead) = len(given.scores.query_ids), text.split("\n")
    zero = int((given.scores.values[:, :, 0] == 0).all(axis=0).sum())
    fail = re.search(r"([\d,]+)(?: of [\d,]+)?(?: quer(?:y|ies))? fails? with every run", text)
    yield (count_of(fail[1]) if fail else 0) != zero and "that fail"
    yield len(title) > 60 and "its length"
    if given.focus == given.baseline:
        yield count_of(re.match(r"^(?:[\d,]+ of )?([\d,]+) quer", title)[1]) != total  # type: ignore[index]
        return
    won, lost, _ = outcomes(given, given.focus)
    told = re.match(
        r"\w+ is better on ([\d,]+) of ([\d,]+) quer(?:y|ies), worse on ([\d,]+)$", title
    )
    yield (tuple(map(count_of, told.groups())) if told else (0, total, 0)) != (won, total, lost)
    yield not told and title != f"No query differs by more than {SAME}"
    gaps = given.gaps(given.focus) * given.direction
    paired = int(np.isfinite(gaps).sum())
    few = re.search(r"Only ([\d,]+) quer", lead)
    yield (count_of(few[1]) if few else 10) != min(paired or 10, 10) and "that are few"
    yield ("No query has a score" in lead) is not (paired == 0)
    if half := re.search(rf"Median (win|loss) ({NUMBER})", lead):
        sizes = np.abs(gaps[(gaps > 0) == (half[1] == "win")])
        sizes = sizes[sizes > SAME + ROUNDING]
        off = 0.5 * 10.0 ** -len(half[2].partition(".")[2]) + 1e-9
        yield abs(float(np.median(sizes)) - value_of(half[2])) > off and "the middle one"
    for word, number in TURNED.items():
        said = re.search(rf"([\d,]+)(?: quer(?:y|ies))? (?:is|are) {word}", lead)
        yield (count_of(said[1]) if said else 0) != number and word


TURNED = {"fixed": 3, "broken": 1}


def test_which_queries() -> None:
    def text_of(given: Situation) -> str:
        frame = differences(given.scores, given.measure, given.focus, given.baseline)
        zero = int((given.scores.values[:, :, 0] == 0).all(axis=0).sum())
        told = Turned(**TURNED, all_zero=zero, every_run="every run")
        pair = (given.focus, given.baseline)
        return "\n".join(f(frame, *pair, told).text for f in (queries_finding, queries_lead))

    assert not offenders(CASES[::8], text_of, false_in_queries)


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
    if re.match("(None of the|The two|Any of the)", text):
        yield len(bests) != len(found.runs) and "any may be the best"
        of = re.match(r"(?:None|Any) of the (\w+)", text)
        yield bool(of) and count_of(of[1]) != len(found.runs) and "of how many"
        return
    who, of = re.match(
        r"(.*?) (?:is|may both be|may each be) the best of (?:the )?(\w+)", text
    ).groups()  # type: ignore[union-attr]
    names, count = named_in(who)
    yield (count, count_of(of)) != (len(bests), len(found.runs)) and "how many"
    yield not set(names) <= set(bests) and "who may be the best"
    yield ("may" in text) != (len(bests) > 1) and "may or is"


def false_in_places(given: Situation, text: str) -> Iterator[str | bool]:
    found, queries = pairs_of(given), len(given.scores.query_ids)
    if queries < FEWEST:
        yield not text.startswith(f"Only {queries} quer")
        if best := re.search(rf"(run\d+) has the best mean, ({NUMBER}) on", text):
            means = [given.mean(run) * given.direction for run in found.runs]
            yield given.mean(best[1]) * given.direction < np.nanmax(means) and "the best mean"
            yield not is_rounded(best[2], given.mean(best[1])) and "its mean"
        return
    yield from false_in_bests(given, text)
    places = places_of(found)
    rest = {run: place for run, place in places.items() if place[0] > 1}
    clear = {run: first for run, (first, last) in rest.items() if first == last}
    for run, place in re.findall(r"(run\d+) (?:comes )?(\w+)(?=[,:])", text.partition(". ")[2]):
        yield w.ordinal(clear.get(run, 0)) != place and f"the place of {run}"
    if other := re.search(r"[Tt]he other (\w+)", text):
        yield count_of(other[1]) != len(rest) and "how many others"
    if some := re.search(r", (\w+) have a clear place", text):
        yield count_of(some[1]) != len(clear) and "how many places are clear"
    yield "are all clear" in text and len(clear) < len(rest) and "all clear"
    yield "places are open" in text and bool(clear) and "open"


def test_who_may_be_the_best() -> None:
    def places(given: Situation) -> str:
        return places_finding(pairs_of(given), "RR", len(given.scores.query_ids)).text

    several = [given for given in CASES if len(given.scores.runs) > 1][::3]
    assert not offenders(several, places, false_in_places)
    assert not offenders(several, lambda given: bests_finding(pairs_of(given)).text, false_in_bests)


def history_of(given: Situation) -> dict[str, Any]:
    """What is told of the runs as versions of one system."""
    rng = np.random.default_rng([given.seed, 1])
    means = np.array([given.mean(run) for run in given.scores.runs]) * given.direction
    best = int(np.nanargmax(means)) if (~np.isnan(means)).any() else len(means)
    after = list(given.scores.runs[best + 1 :])
    since = str(rng.choice(after)) if after and rng.random() < 0.5 else ""
    since = "" if np.isnan(means[-1]) else since
    counts = {"now_bad": int(rng.integers(4)), "flickering": int(rng.integers(3))}
    is_best = bool(best == len(means) - 1 and rng.random() < 0.5)
    return {"means": means, "since": since, "is_best": is_best, **counts}


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
        yield "is level" in text and not abs(last - best) <= ROUNDING and "level"
        yield np.isnan(last) and "the last has no score"
    elif found := re.search(r"has no score on RR; (run\d+) is the best so far", text):
        yield not np.isnan(last) or means[found[1]] != best
    else:
        yield bool(known) and "no version has a score"
        return
    yield told["since"] not in text and "since when"
    flickers = re.search(r"; (\d+) went back and forth\.$", text)
    yield (count_of(flickers[1]) if flickers else 0) != told["flickering"] and "flicker"
    bad = re.search(r"(\d+) quer(?:y|ies) regressed", text)
    yield not bad or count_of(bad[1]) != told["now_bad"]


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
    if carry := re.search(r"(\w+) quer(?:y|ies) carr(?:y|ies) half of the difference", text):
        largest = np.sort(gaps * np.sign(gaps.mean()))[::-1]
        half, n = abs(gaps.sum()) / 2, count_of(carry[1])
        yield largest[:n].sum() < half - 1e-9 or largest[: n - 1].sum() >= half + 1e-9
    if side := re.search(r"reach far to the (high|low) side", text):
        yield (((gaps - gaps.mean()) ** 3).mean() > 0) != (side[1] == "high") and "which side"
    if needed := re.search(r"needs about ([\d,]+) queries", text):
        yield count_of(needed[1]) <= len(gaps) and "enough queries"


def test_what_makes_a_mean_doubtful() -> None:
    def text_of(given: Situation) -> str:
        return " ".join(one.text for one in doubts_findings(doubts(given.gaps(given.focus))))

    several = [given for given in CASES if len(given.scores.runs) > 1]
    assert not offenders(several, text_of, false_in_doubts)


def test_what_so_many_queries_show() -> None:
    def text_of(size: float) -> str:
        n = int(size * 977) % 60
        return f"{shown_finding(size, n).text} {needed_finding(-size, size * 100).text}".strip()

    def false_in(size: float, text: str) -> Iterator[str | bool]:
        for printed in re.findall(rf"difference of ({NUMBER})", text):
            yield not is_rounded(printed, size) and "the difference"
            yield value_of(printed) == 0 and "a difference of nothing"
        about = count_of(re.search(r"takes about ([\d,]+) quer", text)[1])  # type: ignore[index]
        yield not size * 100 <= about <= max(size * 110, size * 100 + 1) and "how many"

    sizes = np.exp(np.random.default_rng(0).uniform(np.log(1e-4), np.log(90), 300))
    assert not offenders([*sizes.tolist(), 0.02, 0.01, 0.005], text_of, false_in)
