"""All pairs of many runs: one family, and places that follow from its verdicts."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest

from metrics_core.comparing.all_pairs import pair_draws
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.comparing.paired_tests import holm_adjusted
from metrics_core.comparing.pairs import compare
from metrics_core.comparing.resampled import resample_means
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]


def scores_of(values: npt.ArrayLike, measure: str = "nDCG@10") -> Scores:
    """Scores of runs a, b, c … from float64[R, Q]."""
    given = np.array(values, dtype=np.float64)
    return Scores(
        runs=tuple(f"{chr(97 + i % 26)}{i // 26 or ''}" for i in range(len(given))),
        query_ids=tuple(f"q{i}" for i in range(given.shape[1])),
        measures=(parse_measure(measure),),
        values=given[:, :, None],
        missing=np.isnan(given),
    )


def found_in(values: npt.ArrayLike, measure: str = "nDCG@10") -> AllPairs:
    return all_pairs(scores_of(values, measure), measure)


def runs_like(gaps: npt.ArrayLike, queries: int = 60, seed: int = 3) -> Floats:
    """Runs that differ in their means by about these gaps; float64[R, Q]."""
    generator = np.random.default_rng(seed)
    shared = generator.normal(0.5, 0.2, (1, queries))
    noise = generator.normal(0.0, 0.05, (len(np.atleast_1d(gaps)), queries))
    return np.asarray(shared + noise + np.reshape(gaps, (-1, 1)), dtype=np.float64)


def test_a_worked_example() -> None:
    # b and d stand level at the top, a is third, c is last.
    found = found_in(runs_like([0.1, 0.2, 0.0, 0.201]))
    assert found.runs[2:] == ("a", "c") and set(found.possible_best_runs) == {"b", "d"}
    assert found.first.tolist() == [1, 1, 3, 4] and found.last.tolist() == [2, 2, 3, 4]
    assert found.verdict.tolist() == [
        [None, "cannot tell", "better", "better"],
        ["cannot tell", None, "better", "better"],
        ["worse", "worse", None, "better"],
        ["worse", "worse", "worse", None],
    ]
    assert found.n_pairs == 6 and found.draws == 10_000 and not found.has_too_few_queries


@pytest.mark.parametrize("lacking", [False, True])
def test_as_resampled_finds_for_few_runs(lacking: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    values = runs_like([0.0, 0.01, 0.015, 0.05, 0.012], queries=40)
    if lacking:
        values[[0, 1, 1, 3], [5, 5, 7, 30]] = np.nan
    # In blocks of three pairs.
    monkeypatch.setattr(pair_draws, "_MOST_VALUES", 30_000)
    found = found_in(values)
    order = [ord(run) - 97 for run in found.runs]
    one, other = np.triu_indices(5, 1)
    wanted = resample_means((values[order][one] - values[order][other]).T)
    assert found.difference[one, other] == pytest.approx(wanted.mean, abs=1e-12)
    assert found.p[one, other] == pytest.approx(wanted.p, rel=1e-9)
    # The farthest pair of each draw tells what any may be off by chance.
    farthest, limits = wanted.distances.max(axis=1), np.abs(wanted.statistic) * (1 - 1e-9)
    corrected, by_holm = found.p_corrected[one, other], holm_adjusted(wanted.p)
    first = int(np.argmax(limits))
    as_far = ((farthest >= limits[first]).sum() + 1) / (len(farthest) + 1)
    wanted_first = math.sqrt(max(as_far, wanted.p[first]) * by_holm[first])
    assert corrected[first] == pytest.approx(wanted_first)
    assert (corrected >= wanted.p).all() and (corrected < by_holm).any()
    width = np.sort(farthest)[-math.floor(0.05 * (len(farthest) + 1))]
    open_ = corrected > 0.05
    assert open_.any()
    n_beyond = int((wanted.distances >= width).sum() / 10)
    own_width = np.sort(wanted.distances, axis=0)[-n_beyond]
    low = (wanted.mean - np.maximum(width, own_width) * wanted.error)[open_]
    assert found.low[one, other][open_] == pytest.approx(np.minimum(low, 0.0), abs=1e-9)
    assert found.queries[one, other].tolist() == wanted.queries.tolist()


def test_what_is_clear_here_is_so_against_either_of_the_two() -> None:
    for seed in range(12):
        values = np.random.default_rng(seed).integers(0, 3, (8, 14)) / 2 + 0.2 * (
            np.arange(8)[:, None] > 3
        )
        scores = scores_of(values)
        found = all_pairs(scores, "nDCG@10")
        for place, baseline in enumerate(found.runs):
            rows = compare(scores, "nDCG@10", baseline).set_index("run")
            clear = {run for run, c in zip(found.runs, found.clear[place], strict=True) if c}
            assert clear <= set(rows.index[rows["verdict"].isin(["better", "worse"])])


def test_no_interval_is_narrower_than_against_either_of_the_two() -> None:
    # One query outweighs all others of "c": its own draws vary more than those of any other run.
    values = runs_like([0.0, 0.02, 0.05, 0.01], queries=25)
    values[2, 7] += 2
    # Every query differs by the same amount.
    scores = scores_of([*values, values[0] - 0.125])
    found = all_pairs(scores, "nDCG@10")
    narrower = 0
    for place, baseline in enumerate(found.runs):
        rows = compare(scores, "nDCG@10", baseline).set_index("run").reindex(found.runs)
        low, high = rows["low"].to_numpy(float), rows["high"].to_numpy(float)
        others = np.arange(5) != place
        assert (found.low[:, place] <= low + 1e-12)[others].all()
        assert (found.high[:, place] >= high - 1e-12)[others].all()
        narrower += int((found.high[:, place] > high + 1e-12)[others].sum())
    assert narrower > 0


def test_both_halves_say_the_same() -> None:
    found = found_in(runs_like([0.0, 0.02, 0.05, 0.06]))
    off = ~np.eye(4, dtype=bool)
    assert (found.difference == -found.difference.T)[off].all()
    assert (found.low == -found.high.T)[off].all()
    assert (found.p_corrected == found.p_corrected.T)[off].all()
    ahead = found.verdict == "better"
    assert (ahead == (found.verdict == "worse").T).all() and ahead.any()
    assert (found.clear == ((found.low > 0) | (found.high < 0)))[off].all()


def test_the_order_of_the_runs_changes_nothing() -> None:
    values = runs_like([0.0, 0.02, 0.05, 0.06, 0.061])
    plain, turned = found_in(values), all_pairs(scores_of(values).select_runs("dbeac"), "nDCG@10")
    assert plain.runs == turned.runs
    assert (plain.first == turned.first).all() and (plain.last == turned.last).all()
    assert np.allclose(plain.p_corrected, turned.p_corrected, equal_nan=True)


def test_mirrored_scores_mirror_the_places() -> None:
    values = runs_like([0.0, 0.02, 0.05, 0.06, 0.061])
    plain, turned = found_in(values), found_in(1 - values)
    assert plain.runs == turned.runs[::-1]
    assert (plain.first + turned.last[::-1] == 6).all()


def test_where_lower_is_better_the_lowest_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = parse_measure("nDCG@10")
    monkeypatch.setitem(measure.declaration.__dict__, "higher_is_better", False)
    found = found_in(runs_like([0.2, 0.0, 0.1]))
    assert found.runs == ("b", "c", "a") and found.first.tolist() == [1, 2, 3]
    assert found.verdict[0, 1] == "better" and found.difference[0, 1] < 0


def test_geometric_means_are_compared_as_such() -> None:
    values = np.exp(runs_like([0.0, 0.4, 0.8]) - 3)
    found = found_in(values, "GMAP")
    means = np.exp(np.log(values).mean(axis=1))[::-1]
    assert found.means == pytest.approx(means)
    assert found.difference[0, 2] == pytest.approx(means[0] - means[2])
    assert found.low[0, 2] < found.difference[0, 2] < found.high[0, 2]
    assert found.low[2, 0] == pytest.approx(-found.high[0, 2])


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_pair_that_one_query_outweighs_hides_nothing(noise: float) -> None:
    values = runs_like([0.0, 0.03, 0.03], queries=50)
    values[2] = values[1] + np.random.default_rng(2).normal(0, noise, 50)
    values[2, 7] += 0.3
    found = found_in(values)
    assert found.runs[2] == "a" and found.first.tolist() == [1, 1, 3]
    assert found.verdict[0, 1] == "cannot tell"
    # One query that differs is none for a test.
    assert np.isnan(found.p_corrected[0, 1]) == (not noise)


def test_one_run_and_two() -> None:
    alone = found_in(runs_like([0.1]))
    assert alone.possible_best_runs == ("a",) and alone.first.tolist() == alone.last.tolist() == [1]
    assert alone.draws == 0
    close = runs_like([0.1, 0.12], queries=15)
    rows = compare(scores_of(close), "nDCG@10", "a").set_index("run")
    assert found_in(close).p_corrected[0, 1] == pytest.approx(rows.loc["b", "p_corrected"])
    two = found_in(runs_like([0.1, 0.3]))
    assert two.possible_best_runs == ("b",) and two.last.tolist() == [1, 2]


def test_runs_that_are_alike_share_all_places() -> None:
    for values in (np.zeros((3, 20)), np.tile(runs_like([0.1]), (3, 1))):
        found = found_in(values)
        assert found.first.tolist() == [1] * 3 and found.last.tolist() == [3] * 3
        assert (found.p[~np.eye(3, dtype=bool)] == 1).all()


def test_under_ten_shared_queries_there_is_no_verdict() -> None:
    few = found_in(runs_like([0.0, 0.5], queries=9))
    assert (
        few.verdict[0, 1] == "cannot tell"
        and np.isnan(few.p_corrected[0, 1])
        and few.has_too_few_queries
    )
    assert found_in(runs_like([0.0, 0.5], queries=10)).verdict[0, 1] == "better"
    values = runs_like([0.0, 0.3, 0.6], queries=24)
    values[0, :12] = values[1, 9:] = np.nan
    found = found_in(values)
    assert found.runs == ("c", "b", "a") and found.queries[1, 2] == 0
    assert found.verdict[1, 2] == "cannot tell" and found.verdict[0, 2] == "better"
    assert found.verdict[0, 1] == "cannot tell" and found.queries[0].tolist() == [24, 9, 12]
    assert np.isnan(found.low[0, 1]) and np.isnan(found.high[0, 1]) and found.low[0, 2] > 0


def test_a_run_without_scores_may_have_any_place() -> None:
    values = runs_like([0.0, 0.3, 0.6])
    values[1] = np.nan
    found = found_in(values)
    assert found.runs == ("c", "a", "b") and found.first.tolist() == [1, 2, 1]
    assert found.last.tolist() == [2, 3, 3]


def test_some_of_the_runs_keep_their_places() -> None:
    found = found_in(runs_like([0.0, 0.1, 0.2, 0.3]))
    some = found.select_runs(["a", "c"])
    assert some.runs == ("c", "a") and some.first.tolist() == [2, 4]
    assert some.verdict[0, 1] == "better" and some.difference.shape == (2, 2)


def test_places_hold_the_true_one() -> None:
    generator = np.random.default_rng(12)
    gaps, trials, missed = np.array([0.0, 0.0, 0.03, 0.05, 0.1]), 200, 0
    best = [(gaps > own).sum() + 1 for own in gaps]
    worst = [(gaps >= own).sum() for own in gaps]
    for _ in range(trials):
        noise = generator.exponential(0.15, (5, 30)) - 0.15
        found = found_in(noise + generator.normal(0.4, 0.2, 30) + gaps[:, None])
        at = [ord(run) - 97 for run in found.runs]
        # Of two that are truly level either may be called the better one.
        missed += any(
            found.first[i] > worst[run] or found.last[i] < best[run] for i, run in enumerate(at)
        )
    assert missed / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.thorough
def test_many_runs_need_little_memory() -> None:
    values = runs_like(np.linspace(0, 0.3, 200), queries=50)
    tracemalloc.start()
    found = found_in(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The draws of 19,900 pairs at once would be 1.6 GB.
    assert found.draws == 10_000 and peak < 300e6
    assert found.first[0] == 1 and found.last[0] < 100 < found.first[-1]
