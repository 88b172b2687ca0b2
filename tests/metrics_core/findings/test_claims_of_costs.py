"""What sentences say of costs is so: each number and word is read back out of the text and worked
out anew from the costs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core import gate_scores
from metrics_core.comparing.all_pairs.all_pairs import all_pairs
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare
from metrics_core.findings.quality_cost import quality_cost_sentences
from metrics_core.findings.verdicts import verdict_finding
from metrics_core.measures import make_score_only_measure
from metrics_core.scoring.scores import Scores
from tests.claims import INTERVAL, is_rounded, offenders, value_of
from tests.random_cases import in_this_run

pytestmark = pytest.mark.random

NAMES = ("latency_ms", "price", "run time", "tokens")
SLOWER = {True: ("slower", "faster"), False: ("higher", "lower")}


class CostCase:
    """Costs of two or three runs, with what `compare` says of the second against the first."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng((seed, 48))
        self.seed, self.name = seed, NAMES[seed % 4]
        n, runs = int(chance.integers(1, 120)), int(chance.integers(2, 4))
        ease = chance.lognormal(5, 1, (1, n))
        values = ease * chance.lognormal(chance.normal(0, 0.3, (runs, 1)), 0.5, (runs, n))
        if seed % 3 == 0:
            values[:, chance.random(n) < 0.2] = 0
        if seed % 5 == 0:
            values[1] = np.where(chance.random(n) < 0.9, values[0], values[1])
        measure = make_score_only_measure(self.name, higher_is_better=False, scale="cost")
        names, ids = tuple(f"run{i}" for i in range(runs)), tuple(f"q{i}" for i in range(n))
        missing = np.zeros((runs, n), dtype=np.bool_)
        self.scores = Scores(names, ids, (measure,), values[:, :, None], missing)
        self.frame: pd.DataFrame = compare(self.scores, measure, "run0")
        self.base, self.values = values[0], values[1]
        self.more, self.less = SLOWER[self.name in ("latency_ms", "run time")]

    @property
    def text(self) -> str:
        finding = verdict_finding(self.frame, self.name, "run1", "run0", method=Method())
        return finding.text.replace("\N{NO-BREAK SPACE}", " ")


def is_percent(text: str, ratio: float) -> bool:
    return abs(float(text.replace(",", "")) - 100 * abs(ratio - 1)) <= (
        0.051 if "." in text else 0.51
    )


def false_claims(case: CostCase, text: str) -> Iterator[Any]:
    row = case.frame.iloc[1]
    gaps = case.values - case.base
    has_zero = bool((np.minimum(case.values, case.base) <= 0).any())
    if match := re.search(r"Typically (?:([\d.,]+)% (\w+)|the same)", text):
        ratio = float(np.exp(np.mean(np.log(case.values) - np.log(case.base))))
        yield has_zero and "a ratio to 0"
        if match[1]:
            yield not is_percent(match[1], ratio) and match[0]
            yield match[2] != (case.more if ratio > 1 else case.less) and match[2]
    elif match := re.search(r"(\w+) on (\d+) of ([\d,]+) quer", text):
        yield not has_zero and "a sign although nothing is 0"
        more, less = int((gaps > 0).sum()), int((gaps < 0).sum())
        side, count = (case.less, less) if less > more else (case.more, more)
        yield match[1].lower() != side and match[1]
        yield (int(match[2]), value_of(match[3])) != (count, len(gaps)) and match[0]
    elif case.frame["queries"].iloc[1] >= 10 and (gaps != 0).any():
        yield "nothing is said of what is tested"
    if match := re.search(r"Not tested: mean ([+−]?[\d.,]+)", text):
        yield not is_rounded(match[1], float(gaps.mean())) and match[1]
    if match := re.search(r"half of the difference comes from ([\d,]+) quer", text):
        sign, n = np.sign(gaps.sum()), int(value_of(match[1]))
        largest = np.sort(gaps * sign)[::-1]
        half = abs(gaps.sum()) / 2
        yield largest[:n].sum() < half * (1 - 1e-9) and "less than half"
        yield largest[: n - 1].sum() >= half * (1 + 1e-9) and "fewer are enough"
    is_better = bool(re.search("beats", text))
    yield (is_better or "falls behind" in text) != (row["p_corrected"] <= 0.05) and "a verdict"
    if is_better or "falls behind" in text:
        yield is_better != (row["verdict"] == "better") and "the other run"
        yield (case.less if is_better else case.more) not in text.lower() and "the other word"
    # The means are never called significant.
    before, _, after = text.partition("Not tested:")
    yield ("ignificant" in after or "chance" in after) and after
    yield "mean" in before.lower() and before


def test_costs_are_as_said() -> None:
    cases = [CostCase(seed) for seed in range(in_this_run(80, 400))]
    assert not offenders(cases, lambda case: case.text, false_claims)
    said = " ".join(case.text for case in cases).lower()
    for word in ("slower on", "higher on", "ypically", "may be chance", "beats", "falls behind"):
        assert word in said


def false_in_gate(case: CostCase, text: str) -> Iterator[Any]:
    gaps = np.log(case.values) - np.log(case.base)
    ratio = float(np.exp(gaps.mean()))
    if match := re.search(r"typically ([\d.,]+)% (\w+)", text):
        yield not is_percent(match[1], ratio) and match[0]
        yield match[2] != (case.more if ratio > 1 else case.less) and match[2]
    (outcome,) = gate_scores(case.scores, f"{case.name} < 5%", baseline="run0").outcomes[:1]
    if match := re.search(r"upper bound of its 90% interval is ([+−][\d.]+)%", text):
        yield not is_rounded(match[1], 100 * outcome.inner_high) and match[1]
        yield not value_of(match[1]) < 5 and "not ruled out"
    yield text.startswith("Worse") and not ratio > 1.05 and "a loss"
    yield "larger than 5%" in text and not ratio > 1.05 and "more"


def test_gates_on_ratios_are_as_said() -> None:
    cases = [CostCase(seed) for seed in range(in_this_run(120, 400)) if seed % 3]
    two_runs = [case for case in cases if len(case.scores.runs) == 2]

    def sentence(case: CostCase) -> str:
        (text,) = gate_scores(case.scores, f"{case.name} < 5%", baseline="run0").sentences
        return text.replace("\N{NO-BREAK SPACE}", " ")

    assert not offenders(two_runs, sentence, false_in_gate)
    said = " ".join(map(sentence, two_runs))
    assert "Worse: " in said and "neither confirmed nor ruled out" in said and "Not worse: " in said


class PriceCase:
    """Two to six runs with a quality and a cost; run1 is in focus, and run0 is the baseline."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng((seed, 482))
        n, runs = int(chance.integers(4, 90)), int(chance.integers(2, 7))
        good = chance.random((1, n)) + chance.normal(0, 0.4, (runs, 1)) * (seed % 3 > 0)
        cost = chance.lognormal(chance.normal(0, 0.5, (runs, 1)), 0.6, (runs, n))
        if seed % 5 == 0:
            cost[chance.integers(runs)] = 0
        self.values = {"good": good + chance.normal(0, 0.2, (runs, n)), "price": cost}
        names, ids = tuple(f"run{i}" for i in range(runs)), tuple(f"q{i}" for i in range(n))
        quality = make_score_only_measure("good")
        price = make_score_only_measure("price", higher_is_better=False, scale="cost")
        both = np.stack([*self.values.values()], axis=2)
        scores = Scores(names, ids, (quality, price), both, np.zeros((runs, n), dtype=np.bool_))
        self.pairs = [all_pairs(scores, measure) for measure in (quality, price)]
        means = dict(zip(names, cost.mean(axis=1).tolist(), strict=True))
        self.costs = dict(sorted(means.items(), key=lambda item: item[1]))
        sentences = quality_cost_sentences(
            self.costs, self.pairs, ["good", "price"], ("run1", "run0")
        )
        self.sentences = [sentence.text for sentence in sentences]

    def verdict(self, run: str, other: str, measure: int = 0) -> Any:
        results = self.pairs[measure]
        return results.verdict[results.runs.index(run), results.runs.index(other)]


def false_prices(case: PriceCase, text: str) -> Iterator[Any]:
    yield len(case.sentences) > (4 if len(case.costs) > 2 else 1) and "too many"
    good = {run: case.values["good"][int(run[3:])] for run in case.costs}
    for sentence in case.sentences:
        run, other = dict.fromkeys(re.findall(r"run\d", sentence))
        if " on both" in sentence:
            yield {case.verdict(run, other, i) for i in (0, 1)} != {"worse"} and sentence
        evidence = re.search(rf"good ([+−]?[\d.]+)(?: {INTERVAL})?\.$", sentence)
        assert evidence is not None, sentence
        yield not is_rounded(evidence[1], float((good[run] - good[other]).mean())) and sentence
        is_gain = any(word in sentence for word in (" beats ", "and gains"))
        is_loss = any(word in sentence for word in ("falls behind", "and loses"))
        verdict = case.verdict(run, other)
        if "no significant gain" not in sentence:
            yield (is_gain, is_loss) != (verdict == "better", verdict == "worse") and sentence
        yield "no significant gain" in sentence and verdict == "better" and sentence
        if evidence[2] and (is_gain or is_loss):
            yield value_of(evidence[2]) < 0 if is_gain else value_of(evidence[3]) > 0
        if match := re.search(r"([\d.,]+) times the mean", sentence):
            yield not is_rounded(match[1], case.costs[run] / case.costs[other]) and sentence
        elif match := re.search(r"a mean price of ([\d.]+)", sentence):
            yield case.costs[other] > 0 and sentence
            yield not is_rounded(match[1], case.costs[run]) and sentence
        yield "cheapest" in sentence and run != next(iter(case.costs)) and sentence
        is_dearer = any(
            word in sentence for word in ("costs more and beats", "no significant gain", " on both")
        )
        yield is_dearer and case.costs[run] <= case.costs[other] and sentence


def test_quality_against_cost_in_words() -> None:
    cases = [PriceCase(seed) for seed in range(in_this_run(60, 300))]
    assert not offenders(cases, lambda case: " | ".join(case.sentences), false_prices)
    text = " ".join(sentence for case in cases for sentence in case.sentences)
    for words in (
        "beats",
        "on both",
        "costs more and beats",
        "no significant gain",
        "and loses",
        "no significant loss",
        "a mean price",
    ):
        assert words in text, words


def test_a_cost_in_words() -> None:
    values = np.array([[100.0] * 12, [127.0] * 11 + [137.0]])
    measure = make_score_only_measure("latency_ms", higher_is_better=False, scale="cost")
    ids = tuple(f"q{i}" for i in range(12))
    scores = Scores(("a", "b"), ids, (measure,), values[:, :, None], values == 0)
    text = verdict_finding(compare(scores, measure, "a"), "latency_ms", "b", "a").text
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith("b falls behind a [clear loss|worse] Typically 28% slower (95%: ")
    assert "(127.8 against 100.0); half of the difference comes from 6 queries." in text


def test_without_a_direction_there_is_no_verdict_in_words() -> None:
    values = np.array([[100.0] * 12, [127.0] * 12])
    measure = make_score_only_measure("latency_ms", higher_is_better=None)
    ids = tuple(f"q{i}" for i in range(12))
    scores = Scores(("a", "b"), ids, (measure,), values[:, :, None], values == 0)
    assert verdict_finding(compare(scores, measure, "a"), "latency_ms", "b", "a").text == (
        "b and a [no direction declared|unclear] latency_ms is 127.0 against 100.0 (+27.000). No"
        " direction (higher or lower is better) has been declared, so nothing is tested."
    )
