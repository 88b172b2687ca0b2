"""The package of docs/extending.md, installed: its measure and its format work as ours do."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from metrics_core import RanklensError, extending
from metrics_core.base.plugins import Registry, guard_with_fallback, warn_once
from metrics_core.extending import TopK
from metrics_core.formats.registry import limit_kinds
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring import registry
from metrics_core.measures.declaring.plugin_checks import check_kernel
from metrics_core.measures.declaring.registry import Share
from metrics_core.measures.declaring.worked_example import make_example
from tests.packages import EXAMPLE, install, install_example, with_packages

QRELS = "".join(f"q1 0 {doc} {grade}\n" for doc, grade in ("a2", "b0", "c1", "e3", "f1", "g0"))
RUN = "".join(f"q1 Q0 {doc} {rank} {10 - rank} x\n" for rank, doc in enumerate("xabcde", 1))

Said = tuple[dict[str, Any], str]

PROGRAM = """
import contextlib, io, json, sys
from metrics_core import RanklensError, parse_measure
from metrics_core.__main__ import main
from metrics_core.judging.while_reading import large_files

def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(arguments) == 0, arguments
    return out.getvalue()

def scores(run, *more):
    lines = printed("evaluate", "q.txt", run, "-m", "LinearP@4,linear precision(rel=2)@4",
                    "--format", "tsv", *more).splitlines()
    return [line.split("\\t")[2:] for line in lines[1:]]

said = {"lists": scores("mine.lists"), "trec": scores("mine.run")}
large_files.FROM = 0
said |= {"at once": scores("mine.run"), "memory": scores("mine.run", "--memory", "500MB")}
try:
    parse_measure("LinaerP@3")
except RanklensError as error:
    said["hint"] = error.hint
said["measures"], said["formats"] = printed("measures"), printed("formats")

from dashboard.address.measure_key import measure_choices
said["picker"] = [choice.key for choice in measure_choices() if "LinearP" in choice.key]
json.dump(said, sys.stdout)
"""

NONE = """
import sys, metrics_core
loaded = {name for name in sys.modules if name.startswith("metrics_core.")}
assert loaded == {"metrics_core.base", "metrics_core.base.version"}
import metrics_core.measures, metrics_core.formats
assert "importlib.metadata" not in sys.modules
assert metrics_core.declarations() and metrics_core.formats.formats()
assert not {"importlib.metadata", "essay_search"} & sys.modules.keys()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What a process with the example and two packages that are none says, and its stderr."""
    packages, folder = tmp_path_factory.mktemp("packages"), tmp_path_factory.mktemp("files")
    install_example(packages)
    install(packages, "broken-one", {"ranklens.measures": {"a": "broken_one"}}, {})
    taken = (EXAMPLE / "essay_search.py").read_text().replace('"LinearP"', '"nDCG"')
    install(packages, "copy-cat", {"ranklens.measures": {"a": "copy_cat"}}, {"copy_cat": taken})
    (folder / "q.txt").write_text(QRELS)
    (folder / "mine.run").write_text(RUN)
    (folder / "mine.lists").write_text("q1: x=9 a=8 b=7 c=6 d=5 e=4\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=with_packages(packages),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_the_measure_has_the_value_worked_out_by_hand(
    installed: Said,
) -> None:
    said, _ = installed
    by_hand = [["LinearP@4", f"{(3 + 1) / 10}"], ["LinearP(rel=2)@4", f"{3 / 10}"]]
    for path in ("lists", "trec", "at once", "memory"):
        assert said[path] == by_hand, path


def test_it_stands_where_ours_stand(installed: Said) -> None:
    said, _ = installed
    assert "\nAdded by essay-search\n" in said["measures"]
    assert "\nLinearP(rel)@k  Linear precision\n" in said["measures"]
    assert "\nscored-lists (run): Scored lists\n" in said["formats"]
    assert "\nessay-answers (run, queries): Essay answers\n" in said["formats"]
    assert said["picker"]


def test_what_is_wrong_with_others_is_said_once(installed: Said) -> None:
    _, stderr = installed
    assert stderr.count("A plug-in of ") == 2
    assert (
        "broken-one was not loaded (entry point ranklens.measures: a = broken_one). Modul" in stderr
    )
    assert "The measure nDCG of copy-cat and nDCG of Ranklens have names in common: ndcg." in stderr


def test_who_asks_for_a_measure_that_is_left_out_is_told_so(installed: Said) -> None:
    said, _ = installed
    assert said["hint"].startswith("Did you mean LinearP?")
    assert said["hint"].endswith("The measures from broken-one and copy-cat could not be loaded.")


def test_where_nothing_is_installed_nothing_is_loaded() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NONE], capture_output=True, text=True, env=with_packages()
    )
    assert done.returncode == 0, done.stderr


def test_the_example_needs_what_is_promised_and_no_more() -> None:
    source = (EXAMPLE / "essay_search.py").read_text()
    assert [name for name in extending.__all__ if source.count(name) < 2] == []
    assert "metrics_core." not in source.replace("from metrics_core.extending import", "")


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (np.zeros(2), "Mine of orchard returned 2 from 0 to 0, expected 1 score from 0 to 1."),
        (0.5, "returned one number from 0.5 to 0.5, expected"),
        ([], "returned 0 from nan to nan, expected"),
        ([3.0], "returned 1 from 3 to 3, expected 1 score from 0 to 1.\\n.* range=\\(low, high\\)"),
        (np.array(["a"]), "Mine of orchard failed: ValueError"),
    ],
)
def test_a_kernel_owes_a_number_a_query(made: Any, told: str) -> None:
    def kernel(ranks: JudgedRanks) -> Any:
        return made

    with pytest.raises(RanklensError, match=told):
        check_kernel(kernel, "Mine", "orchard", (0.0, 1.0))(make_example())


@pytest.mark.parametrize(
    "score",
    [
        lambda found, cutoff: found / (cutoff if cutoff > 2 else 2),
        lambda found, cutoff: found / math.sqrt(cutoff),
        lambda found, cutoff: found / max(np.atleast_1d(cutoff)),
        lambda found, cutoff: found[:, 0] if found.ndim > 1 else found,
        lambda found, cutoff: found / cutoff,
    ],
    ids=["an if", "one number", "mistaken", "one cutoff", "takes arrays"],
)
def test_a_kernel_for_one_cutoff_has_a_curve(score: Callable[[Any, Any], Any]) -> None:
    def kernel(ranks: JudgedRanks, *, cutoff: TopK) -> Any:
        return score(ranks.relevant().count(cutoff).astype(float), cutoff)

    scores, cutoffs = (
        check_kernel(kernel, "Mine", "orchard", (0.0, math.inf)),
        np.array([1, 2, 3, 5, 10]),
    )
    by_hand = [kernel(make_example(), cutoff=cutoff) for cutoff in cutoffs.tolist()]
    assert scores(make_example(), cutoff=cutoffs).tolist() == np.stack(by_hand, axis=1).tolist()
    assert scores(make_example(), cutoff=cutoffs[:0]).shape == (1, 0)


def test_what_fails_for_one_cutoff_fails_for_several() -> None:
    def kernel(ranks: JudgedRanks, *, cutoff: TopK) -> Any:
        return np.zeros(2) if cutoff > 1 else np.zeros(ranks.n_queries)

    with pytest.raises(RanklensError, match="returned 2 from 0 to 0, expected 1 score from"):
        check_kernel(kernel, "Mine", "orchard", (0.0, 1.0))(make_example(), cutoff=np.array([1, 2]))


def test_a_format_that_fails_knows_no_file(caplog: pytest.LogCaptureFixture) -> None:
    def broken(sample: str) -> Any:
        raise KeyError(sample)

    warn_once.cache_clear()
    recognise = limit_kinds(broken, ("run",), "The format x recognises no file", "orchard")
    assert [recognise("one"), recognise("one")] == [{}, {}]
    assert (
        guard_with_fallback(broken, None, "The format x has no columns", "orchard")("one") is None
    )
    told = [record.getMessage().splitlines()[0] for record in caplog.records]
    assert told == [
        "The format x recognises no file: orchard failed. KeyError: 'one'.",
        "The format x has no columns: orchard failed. KeyError: 'one'.",
    ]


def test_a_format_is_of_its_own_kinds_alone() -> None:
    found = {"run": 60, "poem": 97}
    assert limit_kinds(lambda _: found, ("run", "qrels"), "x", "orchard")("sample") == {"run": 60}


@pytest.mark.parametrize("error", [KeyError("odd"), SystemExit(3), BaseException("odd")])
def test_whatever_of_a_measure_fails_is_said_to_be_of_its_package(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its kernel, its terms, what it divides by, and what makes its score."""

    def fails(*given: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(registry, "declaring_package", lambda module: "orchard")
    monkeypatch.setattr(registry, "_REGISTRY", Registry("x", "measure", lambda own: {own.name}))
    more: dict[str, Any] = {"terms": fails, "from_precisions": fails, "reach": Share("P", fails)}
    words = dict.fromkeys(("title", "gloss", "formula", "reference"), "")
    registry.measure("Mine", worked={}, **words, **more)(example_kernel)
    one = registry.declarations()[0]
    registry.terms("Mine")(fails)
    registry.declare_share("Mine", "P")(fails)
    two = registry.declarations()[0]
    assert isinstance(one.reach, Share)
    assert isinstance(two.reach, Share)
    assert one.from_precisions is not None
    for call in (
        one.terms,
        one.from_precisions,
        one.reach.find_layers,
        two.terms,
        two.reach.find_layers,
    ):
        assert call is not None
        with pytest.raises(RanklensError, match="of orchard failed"):
            call(make_example())
    registry.terms("Mine")(lambda ranks: 3)
    with pytest.raises(RanklensError, match="of orchard returned int, expected Hits"):
        registry.declarations()[0]().terms(make_example())


def example_kernel(ranks: JudgedRanks) -> Any:
    """Scores of 0."""
    return np.zeros(ranks.n_queries)
