"""--collection: judgments, queries and documents by the name that ir_datasets has for them. The
data sets are registered here; nothing is downloaded."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dashboard.start import main as ranklens
from metrics_core.__main__ import main
from metrics_core.base.installing import install_command
from metrics_core.commands import reading

ir_datasets = pytest.importorskip("ir_datasets")

NAME = "ranklens-test/held-out"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\nq2 0 d5 0\n"
RUN = "q1 Q0 d2 1 9 a\nq1 Q0 d1 2 8 a\nq2 Q0 d4 1 5 a\n"
OTHER = "q1 Q0 d1 1 9 b\nq1 Q0 d2 2 8 b\nq2 Q0 d4 1 5 b\n"

Command = Callable[..., tuple[int, str, str]]


class Doc(NamedTuple):
    """A document with a price."""

    doc_id: str
    text: str
    price: float
    parts: tuple[str, ...] = ()


class Query(NamedTuple):
    """A query with a column to break down by."""

    query_id: str
    title: str
    category: str

    def default_text(self) -> str:
        """As ir_datasets has it."""
        return self.title


class Judged:
    """The judgments, from a file, or an error while they are fetched."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def qrels_handler(self) -> Judged:
        return self

    def qrels_iter(self) -> Iterator[Any]:
        if self.path is None:
            raise RuntimeError("All download sources failed")
        yield from ir_datasets.formats.TrecQrels(
            ir_datasets.util.LocalDownload(self.path), {}
        ).qrels_iter()


class Texts:
    """Queries and documents; `read` says which were asked for."""

    read: list[str]

    def __init__(self) -> None:
        self.read = []

    def queries_handler(self) -> Texts:
        return self

    def docs_handler(self) -> Texts:
        return self

    def queries_iter(self) -> Iterator[Query]:
        self.read.append("queries")
        yield from (Query("q1", "refund", "x"), Query("q2", "reset", "y"))

    def docs_iter(self) -> Iterator[Doc]:
        self.read.append("documents")
        yield from (Doc(f"d{i}", f"text {i}", i / 2) for i in range(1, 6))


@pytest.fixture
def texts() -> Texts:
    return Texts()


@pytest.fixture
def command(
    tmp_path: Path,
    texts: Texts,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Command:
    """Runs a command beside the data sets; status, stdout and stderr."""
    for name, content in {"qrels": QRELS, "a.run": RUN, "b.run": OTHER}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "kept"))
    registered = dict(ir_datasets.registry._registered)
    monkeypatch.setattr(ir_datasets.registry, "_registered", registered)
    whole = ir_datasets.Dataset(Judged(tmp_path / "qrels"), texts)
    ir_datasets.registry.register(NAME, whole)
    ir_datasets.registry.register("ranklens-test", ir_datasets.Dataset(texts))
    ir_datasets.registry.register("ranklens-test/gone", ir_datasets.Dataset(Judged(None)))
    reading._load_collection.cache_clear()

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        return status, *capsys.readouterr()

    return run


def test_it_stands_for_the_file_of_the_judgments(command: Command, texts: Texts) -> None:
    asked = ("a.run", "b.run", "-m", "nDCG@10,AP", "--format", "csv", "--per-query")
    status, out, err = command("evaluate", "--collection", NAME, *asked)
    assert (status, out) == command("evaluate", "qrels", *asked)[:2]
    assert err.startswith(f"note: {NAME}: read with ir_datasets; missing files are downloaded to")
    assert err.split("\n")[0].endswith("/kept") and err.count("ir_datasets") == 1
    assert texts.read == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "a.run", "--collection", NAME, "-m", "AP"),
        ("evaluate", "a.run", f"--collection={NAME}", "-m", "AP"),
        ("compare", "a.run", "b.run", "--collection", NAME, "-m", "AP"),
        ("compare", "--collection", NAME, "a.run", "b.run", "--gate", "AP > -0.5"),
        ("explain", "a.run", "--collection", NAME, "b.run"),
        ("residuals", "--collection", NAME, "a.run"),
        ("all-pairs", "a.run", "b.run", "--collection", NAME),
    ],
)
def test_each_command_takes_it_anywhere(command: Command, arguments: tuple[str, ...]) -> None:
    status, out, _ = command(*arguments)
    beside = [a for a in arguments if "collection" not in a and a != NAME]
    status_beside, out_beside, _ = command(beside[0], "qrels", *beside[1:])
    # A command to look at a query names the judgments as they were given.
    out, out_beside = (text.partition("Explain the worst query:")[0] for text in (out, out_beside))
    assert (status, out) == (status_beside, out_beside)
    assert status in (0, 1, 3) and out


def test_a_snapshot_and_a_gate_of_it(command: Command, texts: Texts) -> None:
    named = ("--collection", NAME)
    assert command("snapshot", *named, "b.run", "-o", "base.json", "-m", "AP")[0] == 0
    status, out, _ = command("compare", *named, "base.json", "a.run", "--gate", "AP > -0.01")
    assert status == 0 and "Cannot tell: AP" in out and texts.read == []
    gate = "AP[category=x] > -0.9"
    assert command("compare", *named, "base.json", "b.run", "--gate", gate)[0] == 0
    assert texts.read == ["queries"]
    assert (
        f"--collection {NAME}"
        in command("compare", *named, "no.json", "a.run", "-m", "AP", "--gate", "AP > -0.1")[2]
    )


def test_a_report_shows_its_queries_and_names_it(command: Command, texts: Texts) -> None:
    asked = ["a.run", "b.run", "--collection", NAME]
    assert ranklens(["report", *asked, "-m", "AP", "-o", "x.html"]) == 0
    page = Path("x.html").read_text()
    assert "refund" in page and texts.read == ["queries"]
    told = re.sub(r"<[^>]+>", "", page)
    assert f"compare --collection {NAME} a.run b.run -m" in told
    assert f"<b><bdi>{NAME}</bdi></b>" in page


def test_a_figure_takes_it_as_all_commands_do(command: Command) -> None:
    asked = ["a.run", "b.run", "-m", "nDCG@10", "-o", "x.svg"]
    assert ranklens(["figure", "curves", "--collection", NAME, *asked]) == 0
    drawn = Path("x.svg").read_text()
    assert ranklens(["figure", "curves", "qrels", *asked]) == 0
    assert Path("x.svg").read_text() == drawn


def test_queries_and_documents_only_where_they_are_needed(command: Command, texts: Texts) -> None:
    status, out, _ = command("evaluate", "a.run", "--collection", NAME, "--by", "category")
    assert status == 0 and texts.read == ["queries"] and " x " in out and " y " in out
    asked = ("-m", "MoneyP@2")
    status, out, err = command("evaluate", "a.run", "--collection", NAME, *asked)
    assert status == 0, err
    assert texts.read == ["queries", "documents"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ranklens-test/heldout", ("no collection", f"Similar names: {NAME}")),
        ("qqqqqqqq", ("no collection 'qqqqqqqq'", "`ir_datasets list`")),
        ("ranklens-test", ("has no qrels", NAME)),
        ("ranklens-test/gone", ("could not load the qrels", "All download sources failed")),
    ],
)
def test_what_is_not_there_is_told(command: Command, name: str, words: tuple[str, ...]) -> None:
    status, out, err = command("evaluate", "--collection", name, "a.run")
    assert status == 2 and not out
    assert not [word for word in words if word not in err]


def test_it_says_how_ir_datasets_is_installed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "ir_datasets":
            raise ImportError(name)
        return load(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    status, _, err = command("evaluate", "--collection", NAME, "a.run")
    assert status == 2 and install_command("ir_datasets") in err
    assert command("evaluate", "qrels", "a.run")[0] == 0
