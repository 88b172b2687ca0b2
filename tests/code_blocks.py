"""The fenced blocks of the documentation, and how each kind of them is run.

A block that no function here knows raises `UnknownBlockError`: none is passed over in silence.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard import commands, start
from metrics_core import __main__ as command_line
from metrics_core import join_judgments, read_qrels, read_run, write
from metrics_core.formats import formats, read
from metrics_core.measures import declarations
from metrics_core.measures.declaring.description import describe_measure
from metrics_core.tables import Qrels, RankedRun, Run
from tests.packages import EXAMPLE, ROOT, SOURCES

SAMPLES = ROOT / "sample_runs"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

PIPELINES = ("bash", "yaml")
"""The languages of whole pipelines: `tests/packaging/` runs them, away from the sources."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class UnknownBlockError(AssertionError):
    """Nobody knows how to run this block."""


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language, its text, and the text before it."""

    page: Path
    line: int
    language: str
    text: str
    before: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    whole = page.read_text("utf-8")
    assert whole.count("\n```") % 2 == 0, f"{page}: a fence is left open"
    for found in _FENCE.finditer(whole):
        before = whole[: found.start()]
        yield Block(page, before.count("\n") + 1, found[1], found[2], before)


def missing_in(block: Block) -> list[str]:
    """The modules that a block imports and that are not installed."""
    if block.language != "python":
        return []
    named: set[str] = set()
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Import):
            named |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add((node.module or "").split(".")[0])
    return sorted(name for name in named if find_spec(name) is None)


def anchor_of(heading: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def run_block(block: Block) -> None:
    """Run a block in the current folder, which `prepare` has filled; raises where it fails."""
    match block.language:
        case "python" | "toml" if block.page.name == "extending.md":
            _find_in_example_package(block)
        case "python":
            _run_python(block)
        case "sh":
            _run_shell(block)
        case "math":
            assert block.text.strip() in {describe_measure(d).formula for d in declarations()}
        case "" if block.text.startswith("metrics_core/ "):
            _find_entries(block)
        case "" if block.page.name == "formats.md":
            _read_example(block)
        case "" if block.page.name == "performance.md":
            _find_benchmark(block)
        case _:
            raise UnknownBlockError(f"{block}: a block of {block.language or 'no language'}")


def prepare(folder: Path) -> None:
    """The files that blocks name: the sample runs, and what is made of them."""
    for path in (*SAMPLES.glob("*.run"), SAMPLES / "qrels.txt", SAMPLES / "queries.csv"):
        (folder / path.name).write_bytes(path.read_bytes())
    qrels, run = read_qrels(SAMPLES / "qrels.txt"), read_run(SAMPLES / "bm25.run")
    for name in ("shop.run", "other.run"):
        write(run.renamed(name[:-4]), folder / name, "trec")
    docs = sorted(set(run.doc_ids.to_pylist()) | set(qrels.doc_ids.to_pylist()))
    rows = [f"{doc},{1 + place % 7}" for place, doc in enumerate(docs)]
    (folder / "seen.csv").write_text("query_id,doc_id\nq1,d1\n")
    answers = [f"q{q},{run},{q % 2}\n" for run in ("a", "b") for q in range(12)]
    (folder / "answers.csv").write_text("query_id,run,correct\n" + "".join(answers))
    (folder / "items.csv").write_text("doc_id,price\n" + "\n".join(rows) + "\n")
    (folder / "ranks").mkdir()
    for name in ("bm25", "dense"):
        ranked = _ranked(read_run(SAMPLES / f"{name}.run"), qrels)
        write(ranked, folder / "ranks" / f"{name}.parquet", "parquet")
    # A block that reads a snapshot may run in another process than the block that makes it.
    made = folder / "baseline.json"
    snapshot = ["snapshot", str(folder / "qrels.txt"), str(folder / "dense.run"), "-o", str(made)]
    _call([*snapshot, "-m", "nDCG@10,AP,R@10"])


def _ranked(run: Run, qrels: Qrels) -> RankedRun:
    """The run as judged ranks, as Spark writes them."""
    ranks = join_judgments(run, qrels)
    judged = np.bincount(ranks.judged_query, minlength=ranks.n_queries)
    listed = np.flatnonzero(ranks.retrieved)
    query = np.concatenate([listed, ranks.query])
    docs = [None] * len(listed) + qrels.doc_ids.take(ranks.qrels_row).to_pylist()
    rank = np.concatenate([np.ones(len(listed), dtype=np.int64), ranks.rank])
    ids = [ranks.query_ids[code] for code in query]
    return RankedRun.from_ranks(run.name, ids, docs, rank, ranks.retrieved[query], judged[query])


# Python


def _run_python(block: Block) -> None:
    """Run the block statement by statement; behind an expression may stand its value in a comment.
    What takes `spark`, a session on a cluster, is looked through instead."""
    tree = ast.parse(block.text, str(block))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "spark" in names:
        _look_through(tree)
        return
    space: dict[str, Any] = dict(_sample_dictionaries()) if {"qrels", "run"} <= names else {}
    lines = block.text.splitlines()
    for statement in tree.body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), str(block), "eval"), space)
            _compare(value, lines[(statement.end_lineno or 1) - 1].partition("  # ")[2])
        else:
            exec(compile(ast.Module([statement], []), str(block), "exec"), space)


def _sample_dictionaries() -> Mapping[str, Any]:
    """`qrels` and `run`, as programs hold them."""
    qrels, run = read_qrels(SAMPLES / "qrels.txt"), read_run(SAMPLES / "bm25.run")
    nested: dict[str, dict[str, dict[str, float]]] = {"qrels": {}, "run": {}}
    for name, table, column in (("qrels", qrels, "relevance"), ("run", run, "score")):
        for row in table.to_pandas().itertuples():
            own = nested[name].setdefault(str(row.query_id), {})
            own[str(row.doc_id)] = getattr(row, column)
    return nested


def _compare(value: Any, comment: str) -> None:
    try:
        expected = ast.literal_eval(comment)
    except (SyntaxError, ValueError):
        return  # words, or none
    assert value == expected, (value, expected)


def _look_through(tree: ast.Module) -> None:
    """What is imported from us is there, and is called with arguments that it takes."""
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module or "")
            known |= {
                alias.asname or alias.name: getattr(module, alias.name) for alias in node.names
            }
    called = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            named = {k.arg: k.value for k in node.keywords if k.arg is not None}
            inspect.signature(known[node.func.id]).bind(*node.args, **named)
            called.add(node.func.id)
    assert known and called == set(known), "an import is not used"


# Shells


def _run_shell(block: Block) -> None:
    """Run the lines that call our commands; of others look at what can be known here."""
    aliases: dict[str, list[str]] = {}
    for line in block.text.splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        words = aliases.get(words[0], words[:1]) + words[1:]
        match words:
            case ["alias", definition]:
                name, _, meaning = definition.partition("=")
                aliases[name] = shlex.split(meaning)
            case ["python", "-m", "metrics_core", *arguments] | ["metrics-core", *arguments]:
                _call(arguments)
            case ["ranklens", *arguments]:
                _call_ranklens(arguments)
            case ["make", target, *settings]:
                _look_into_makefile(target, settings)
            case ["pip", "install", "-r", name] | ["streamlit", "run", name]:
                assert (ROOT / name).is_file(), name
            case ["pytest"]:
                pass  # it runs this
            case ["pip", "install", what]:
                _look_at_extras(what)
            case _:
                raise UnknownBlockError(f"{block}: {line}")


def _call(arguments: list[str]) -> None:
    if "--spark" in arguments:  # there may be neither Spark nor the cluster
        command_line._make_parser(arguments).parse_args(arguments)
    else:
        assert command_line.main(arguments) == 0, arguments


def _call_ranklens(arguments: list[str]) -> None:
    """Run the command; only parse what would start the server."""
    if arguments and arguments[0] in commands.COMMANDS:
        assert commands.run_command(arguments[0], arguments[1:]) == 0, arguments
    else:
        start._make_parser().parse_args(arguments)


def _look_into_makefile(target: str, settings: list[str]) -> None:
    rules = (ROOT / "Makefile").read_text()
    assert re.search(rf"^{target}:", rules, re.MULTILINE), target
    for setting in settings:
        assert re.search(rf"^{setting.partition('=')[0]} \?=", rules, re.MULTILINE), setting


def _look_at_extras(what: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name, extras = re.fullmatch(r"([\w.-]+?)(?:\[([\w,]+)\])?", what).groups()  # type: ignore[union-attr]
    assert name in (".", project["name"]), what
    assert set((extras or "").split(",")) <= {"", *project["optional-dependencies"]}, what


# What was printed, and examples of files


def _read_example(block: Block) -> None:
    """The example is read as the format under whose heading it stands; of a binary one the columns
    are named, and a row of such is read."""
    name = re.findall(r"^- Short name: `(.+)`$", block.before, re.MULTILINE)[-1]
    own = next(f for f in formats() if f.name == name)
    assert block.text.rstrip("\n") == own.example
    _, binary, columns = own.example.partition("(binary) columns ")
    content = _parquet(columns.split(", ")) if binary else own.example.encode()
    kind = own.kinds[0] if name in ("kilt", "bioasq") else None  # nobody can tell
    assert len(read(content, format=name, kind=kind).table)


def _find_in_example_package(block: Block) -> None:
    """It is a file of the package that `tests/metrics_core/test_extending.py` installs and runs."""
    assert block.text in [path.read_text() for path in EXAMPLE.iterdir() if path.is_file()]


def _find_entries(block: Block) -> None:
    """Each line names what is at the top of the repository, and no folder is left out."""
    named = [name for line in block.text.splitlines() for name in line.split("  ")[0].split()]
    assert all((ROOT / name).exists() for name in named), named
    assert {name for name in SOURCES if (ROOT / name).is_dir()} <= {n.rstrip("/") for n in named}


def _parquet(columns: list[str]) -> bytes:
    whole = ("retrieved", "judged", "rank")
    written = io.BytesIO()
    row = {name: [1 if name in whole else 0.5 if name == "score" else name] for name in columns}
    pq.write_table(pa.table(row), written)
    return written.getvalue()


def _find_benchmark(block: Block) -> None:
    """It is what the benchmark printed that is named last before it: that is there, and knows the
    options that are named."""
    said = re.findall(r"`python -m (benchmarks\.\w+)((?:\s[^`]*)?)`", block.before)
    module, arguments = said[-1]
    source = ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text()
    for option in re.findall(r"--[\w-]+", arguments):
        assert f'"{option}"' in source, f"{block}: {module} has no {option}"
