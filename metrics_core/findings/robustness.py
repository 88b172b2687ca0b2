"""Check how robust a verdict is. There is one check for each way in which the verdict could be
reversed.

Each check has an answer of a few words, and a reason. The functions in this module and in the
`*_risks` modules define when each answer applies. A check has a tone only if its answer is definite
and the verdict is significant: if the difference may be due to chance, there is no verdict that
could be robust. "No difference that matters" is a verdict as well, and has separate checks
(`margin_risks`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES, NO_MATTER
from metrics_core.findings.phrases import RUNS_ARE_TIED
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span

Tone = Literal["firm", "not firm", ""]

_EVIDENCE = "Each check links to its evidence."
_MAX_NAMED = 2
_SUBJECTS = {
    "unjudged": "unjudged documents",
    "ties": "ties",
    "missing": "queries missing from one run",
}


@dataclass(frozen=True)
class RobustnessCheck:
    """One way in which a verdict could be reversed.

    `part` identifies the evidence. `word` says in a few words whether the verdict could be
    reversed, and `reason` explains this in one or two sentences. `brief` is the shorter text on the
    Overview; it is empty if the check does not apply there, for example if there are no ties.
    `range_text` is the end of `reason` that gives a range, if the evidence shows this range in a
    chart."""

    part: str
    title: str
    word: str
    tone: Tone
    reason: str
    brief: str = ""
    range_text: str = ""


@dataclass(frozen=True)
class ComparedPair:
    """The two runs that every check compares, with the measure's name and the verdict.

    `side` is 1 if the run is better, -1 if the baseline is better, and 0 if they are tied."""

    run: str
    baseline: str
    measure: str
    verdict: str
    side: int

    @property
    def is_significant(self) -> bool:
        """Whether one of the two runs is significantly better."""
        return self.verdict in CLEAR

    def leader(self, side: int) -> str:
        """Return the name of the better run: the run if `side` is 1, the baseline if it is -1.

        Raises ValueError if `side` is 0, because tied runs have no leader."""
        if side == 0:
            raise ValueError("tied runs have no leader")
        return self.run if side > 0 else self.baseline


@dataclass(frozen=True)
class Robustness:
    """The robustness checks of a pair of runs, and `text`, an introductory line.

    If there is no verdict, there are no checks, and `text` says why. If `pair` is None, nothing is
    compared. If no run is significantly ahead, `settling_checks` name ways to make the result
    conclusive."""

    all_checks: tuple[RobustnessCheck, ...] = ()
    text: str = ""
    pair: ComparedPair | None = None
    settling_checks: tuple[RobustnessCheck, ...] = ()

    @property
    def checks(self) -> tuple[RobustnessCheck, ...]:
        """The checks for the Overview: `settling_checks` if there are any, otherwise all checks
        that apply."""
        return self.settling_checks or tuple(check for check in self.all_checks if check.brief)

    @property
    def n_passed_checks(self) -> int:
        """Number of `checks` in which the verdict holds."""
        return sum(check.tone == "firm" for check in self.checks)


def build_robustness(
    pair: ComparedPair, possible_checks: Sequence[RobustnessCheck | None], n_queries: int
) -> Robustness:
    """Collect the checks that apply, and add an introductory line. A check that is None does not
    apply.

    `n_queries` is the number of compared queries. If the verdict is inconclusive, the checks are
    not coloured as good or bad."""
    if n_queries < FEWEST_QUERIES:
        text = f"Only {w.format_query_count(n_queries)}: too few to test ({FEWEST_QUERIES} needed)."
        return Robustness((), text, pair)
    checks = tuple(check for check in possible_checks if check is not None)
    checks_text = w.sentence_case(w.number_word(len(checks)))
    if pair.is_significant:
        text = f"{checks_text} checks show how robust the verdict is. {_EVIDENCE}"
        return Robustness(checks, text, pair)
    if pair.verdict == NO_MATTER:
        text = f"{checks_text} checks show whether the difference could matter. {_EVIDENCE}"
        return Robustness(checks, text, pair)
    untoned_checks = tuple(replace(check, tone="") for check in checks)
    if pair.side == 0:
        text = f"{RUNS_ARE_TIED} lead to reverse."
        return Robustness(
            untoned_checks,
            f"{text} {checks_text} checks show what could separate the runs. {_EVIDENCE}",
            pair,
        )
    text = "Not significant yet: the difference may be chance."
    return Robustness(
        untoned_checks,
        f"{text} {checks_text} checks show what its direction depends on. {_EVIDENCE}",
        pair,
    )


def robustness_finding(robustness: Robustness) -> Sentence:
    """Return the headline of the checks: the number of checks in which the verdict holds."""
    compared = robustness.pair
    if compared is None:
        return strong_span("Robustness needs two runs.")
    if not robustness.all_checks:
        statement, blank, rest = robustness.text.partition(". ")
        return strong_span(statement + blank) + muted_span(rest)
    pair = run_span(compared.run) + strong_span(" and ") + run_span(compared.baseline)
    if compared.verdict == NO_MATTER:
        return strong_span("“No difference that matters”") + _describe_passed_checks(robustness)
    if compared.side == 0:
        level = strong_span(f" are tied on {compared.measure}. ")
        return pair + level + muted_span("Neither leads; the checks show what could separate them.")
    if not compared.is_significant:
        return (
            strong_span("No clear difference between ")
            + pair
            + strong_span(". ")
            + muted_span("Not significant yet; the checks show what the direction depends on.")
        )
    return (
        strong_span("The lead of ")
        + run_span(compared.leader(compared.side))
        + _describe_passed_checks(robustness)
    )


def _describe_passed_checks(robustness: Robustness) -> Sentence:
    """State in how many checks the verdict holds, fails or remains open, and describe the first
    checks in which it does not hold."""
    checks, n_holding = robustness.checks, robustness.n_passed_checks
    checks_text = f"{w.number_word(len(checks))} {w.plural(len(checks), 'check')}"
    count_text = (
        f"all {checks_text}"
        if n_holding == len(checks) > 1
        else f"{w.number_word(n_holding)} of {checks_text}"
    )
    n_failing = sum(check.tone == "not firm" for check in checks)
    n_open = len(checks) - n_holding - n_failing
    others = ", ".join(
        f"{w.number_word(n)} {w.plural(n, *forms)}"
        for n, forms in ((n_failing, ("fails", "fail")), (n_open, ("is open", "are open")))
        if n
    )
    sentence = strong_span(
        f" holds in {count_text if n_holding else f'none of {checks_text}'}"
        f"{f'; {others}' if others else ''}."
    )
    if n_holding == len(checks):
        return sentence + muted_span(" No check found anything that could reverse it.")
    not_held = sorted(
        (check for check in checks if check.tone != "firm"), key=lambda check: not check.tone
    )
    failures = [_check_sentence(check) for check in not_held[:_MAX_NAMED]]
    return sentence + muted_span(f" {' '.join(failures)}")


def _check_sentence(check: RobustnessCheck) -> str:
    """Return a sentence with the answer of a check in which the verdict does not hold."""
    word, subject = check.word, _SUBJECTS.get(check.part)
    if word.startswith("reverses"):
        return f"It {word}."
    if check.part == "queries":
        return f"{w.sentence_case(word)}."
    if subject is None:
        return f"{check.title}: {word}."
    if word in (w.DASH, "unknown"):
        return f"The effect of {subject} is unknown."
    if word.startswith("unlikely"):
        word = f"could {word.removeprefix('unlikely to ')}, but are unlikely to"
    return f"{w.sentence_case(subject)} {word}."
