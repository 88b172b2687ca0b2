"""How often a gate is wrong: pull requests made of real differences, so that the truth is known.

    python -m benchmarks.gates MATRICES [--pull-requests 1000] [--margin 0.02] [--proportional]

MATRICES is a folder of CSV files, each of scores by topic (rows) and system (columns). A pull
request is a pair of systems of one matrix: queries are drawn from its topics with replacement (of
250 and 1,000 most are drawn several times), and each of them changes with the probability that the
line says, by a difference about the mean of all. So the true difference is 0. A loss is put on the
queries that change, on each the same or in proportion to its score on the main branch. The first
gate is on all queries, further ones on halves drawn at random.

    fails       a change without a true difference is called worse by one of the gates
    let by      a loss of just the margin is called not worse by the one gate
    none        of a loss of just the margin no query has any: that nothing changed is true of
                these queries, and not counted as let by
    told, does  how often a loss of twice the margin fails: what the output says of a change without
                one, on average over those of which it says so, and what is so
    lower end   changes without a true difference that would fail if the lower end of the interval
                had to lie above minus the margin
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.simulations import matrices_in
from metrics_core.base.arrays import Mask
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Gate, QuerySlice
from metrics_core.comparing.gates import NOT_WORSE, GateOutcome, evaluate_gates
from metrics_core.comparing.verdicts import WORSE_RUN
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator

QUERIES, SHARES, GATES = (25, 50, 104, 250, 1_000), (0.0, 0.1, 0.3, 0.7), (1, 3, 10)
_SEED = 20_260
_MEASURE = parse_measure("AP")
"""Any of a scale from 0 to 1: the scores are those of the matrices."""


@dataclass(frozen=True)
class Cell:
    """What was found with so many queries of which such a share changes; `fails` by the number of
    gates, NaN where there was nothing to say."""

    queries: int
    share: float
    fails: dict[int, float]
    let_by: float
    none: float
    told: float
    does: float
    lower_end: float

    def line(self) -> str:
        """The cell as a row of a Markdown table."""
        rates = [*self.fails.values(), self.let_by, self.none, self.told, self.does, self.lower_end]
        cells = [f"{self.queries:,}", f"{self.share:.0%}", *map(_percent, rates)]
        return f"| {' | '.join(cells)} |"


def _percent(rate: float) -> str:
    return "–" if rate != rate else f"{100 * rate:.1f}"


def changed(
    matrix: Floats,
    n: int,
    share: float,
    loss: float,
    chance: Generator,
    *,
    proportional: bool = False,
) -> Floats:
    """The differences of a pull request, float64[n], whose true mean is minus `loss`; the loss of a
    query that changes is `proportional` to its score before, or the same of all."""
    one, other = chance.choice(matrix.shape[1], 2, replace=False)
    before = matrix[:, other]
    gaps = matrix[:, one] - before
    each = before / before.mean() if proportional and before.any() else np.ones(len(gaps))
    drawn = (gaps - gaps.mean() - each * (loss / share if share else 0.0))[
        chance.integers(0, len(gaps), n)
    ]
    return np.where(chance.random(n) < share, drawn, 0.0)


def outcomes_of(gaps: Floats, margin: float, gates: int, chance: Generator) -> list[GateOutcome]:
    """What so many gates find of it."""
    n = len(gaps)
    values = np.stack([np.zeros(n), gaps])[:, :, None]
    ids = tuple(map(str, range(n)))
    missing = np.zeros((2, n), dtype=np.bool_)
    scores = Scores(("main", "branch"), ids, (_MEASURE,), values, missing)
    members: dict[QuerySlice, Mask] = {EVERY_QUERY: np.ones(n, dtype=np.bool_)}
    for number in range(1, gates):
        half = np.isin(np.arange(n), chance.choice(n, n // 2, replace=False))
        members[QuerySlice("half", str(number))] = half
    asked = [Gate(_MEASURE, margin, part) for part in members]
    return evaluate_gates(scores, asked, members, "main")


def cell(
    matrices: Sequence[Floats],
    n: int,
    share: float,
    margin: float,
    number: int,
    *,
    proportional: bool = False,
) -> Cell:
    """One line of the table, of so many pull requests each."""
    chance = np.random.default_rng((_SEED, n, round(100 * share)))

    def made(loss: float) -> list[Floats]:
        some = (matrices[i % len(matrices)] for i in range(number))
        return [changed(m, n, share, loss, chance, proportional=proportional) for m in some]

    def ask(pulls: Sequence[Floats], gates: int = 1) -> list[list[GateOutcome]]:
        return [outcomes_of(gaps, margin, gates, chance) for gaps in pulls]

    same = {gates: ask(made(0.0), gates) for gates in GATES}
    first = [found[0] for found in same[1]]
    at_margin = [found[0] for found in ask(made(margin))] if share else []
    twice = [found[0] for found in ask(made(2 * margin))] if share else []
    told = np.array([found.failure_chance_at_twice_margin for found in first])
    tested = [
        found
        for found in twice
        if found.failure_chance_at_twice_margin == found.failure_chance_at_twice_margin
    ]
    return Cell(
        queries=n,
        share=share,
        fails={
            gates: _rate([any(one.outcome == WORSE_RUN for one in found) for found in every])
            for gates, every in same.items()
        },
        let_by=_rate([f.outcome == NOT_WORSE and not f.is_unchanged for f in at_margin]),
        none=_rate([found.is_unchanged for found in at_margin]),
        told=float(np.nanmean(told)) if (told == told).any() else float("nan"),
        does=_rate([found.outcome == WORSE_RUN for found in tested]),
        lower_end=_rate(
            [not found.is_unchanged and not found.worst_loss < margin for found in first]
        ),
    )


def _rate(found: Sequence[bool]) -> float:
    return float(np.mean(found)) if found else float("nan")


def main() -> int:
    """Print the table, in Markdown; all rates are in per cent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("matrices", help="a folder of topic-by-system matrices")
    parser.add_argument("--pull-requests", type=int, default=1_000, help="of each cell")
    parser.add_argument("--margin", type=float, default=0.02)
    parser.add_argument("--proportional", action="store_true", help="lose in proportion to scores")
    options = parser.parse_args()
    matrices = matrices_in(str(Path(options.matrices)))
    gates = [f"fails, {n} {'gate' if n == 1 else 'gates'}" for n in GATES]
    head = ["n", "changed", *gates, "let by", "none", "told", "does", "lower end"]
    print(f"| {' | '.join(head)} |\n|{'---:|' * len(head)}")
    for n in QUERIES:
        for share in SHARES:
            found = cell(
                matrices,
                n,
                share,
                options.margin,
                options.pull_requests,
                proportional=options.proportional,
            )
            print(found.line(), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
