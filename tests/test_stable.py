"""The stable interface: names and values that programs, pipelines, links and files use.

`stable.json` lists them. A change of the list is a change of the interface and needs a line in
CHANGELOG.md; `python -m tests.test_stable` writes the list again.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import metrics_core
import ranklens
from metrics_core import extending, lists
from metrics_core.commands import load_commands
from metrics_core.comparing import gates
from metrics_core.formats.read_as import ReadAs

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("stable.json")
SAMPLES = ROOT / "sample_runs"
RUNS = [str(SAMPLES / name) for name in ("bm25.run", "dense.run")]
QRELS = str(SAMPLES / "qrels.txt")


def parameters(function: Callable[..., Any]) -> list[str]:
    """Each parameter as `name=default`, with `*` before those that are named only."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return []
    return [
        f"{'*' if p.kind is p.KEYWORD_ONLY else ''}{p.name}"
        + ("" if p.default is p.empty else f"={p.default!r}")
        for p in signature.parameters.values()
    ]


def interface(value: Any) -> Any:
    """The parameters of a function; of a class its parameters, fields and public members."""
    if not inspect.isclass(value):
        return parameters(value) if callable(value) else repr(value)
    fields = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    members = {
        name: parameters(member) if inspect.isroutine(member) and callable(member) else "value"
        for name in dir(value)
        if not name.startswith("_")
        for member in [getattr(value, name)]
        if name not in dir(tuple) and name not in dir(Exception)
    }
    return {"parameters": parameters(value), "fields": fields, "members": members}


def python_names() -> dict[str, Any]:
    modules = (metrics_core, extending, lists)
    return {"ranklens.show": interface(ranklens.show)} | {
        f"{module.__name__}.{name}": interface(getattr(module, name))
        for module in modules
        for name in module.__all__
    }


def frames() -> dict[str, Any]:
    """Columns of the frames that the functions of `metrics_core` return."""
    given: tuple[Any, ...] = (RUNS, QRELS, "nDCG@10")
    queries = str(SAMPLES / "queries.csv")
    scores = metrics_core.evaluate(RUNS[0], QRELS, ["nDCG@10"])
    columns = {
        "evaluate": scores,
        "aggregate": metrics_core.aggregate(scores),
        "compare": metrics_core.compare(*given),
        "curves": metrics_core.curves(*given),
        "all_pairs": metrics_core.all_pairs(*given),
        "breakdown": metrics_core.breakdown(*given, by="category", queries=queries),
    }
    named: dict[str, Any] = {}
    for name, frame in columns.items():
        table = getattr(frame, "frame", frame)
        named[name] = list(getattr(table, "columns", [type(frame).__name__]))
    return named


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices
        else:
            choices = "" if action.choices is None else f" {list(action.choices)}"
            yield f"{' '.join(action.option_strings) or action.dest}{choices}"


def commands() -> dict[str, Any]:
    found = {}
    for command in load_commands([]):
        parser = argparse.ArgumentParser(command.name)
        command.arguments(parser)
        found[f"metrics-core {command.name}"] = sorted(options(parser))
    from dashboard import commands as served
    from dashboard.start import main

    for name in ("", *served.COMMANDS):
        with contextlib.redirect_stdout(io.StringIO()) as help_, contextlib.suppress(SystemExit):
            main([*filter(None, [name]), "--help"])
        found[f"ranklens {name}".strip()] = sorted(
            set(re.findall(r"--[a-z][a-z-]+", help_.getvalue()))
        )
    return found


def keys(value: Any, before: str = "") -> Iterator[str]:
    """Paths of the keys of a JSON value; a key that names a query, run or measure is `*`."""
    if isinstance(value, dict):
        for name, inner in value.items():
            plain = name if re.fullmatch(r"[a-z_]+", name) else "*"
            yield f"{before}{plain}"
            yield from keys(inner, f"{before}{plain}.")
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, before)


def outputs(folder: Path) -> dict[str, Any]:
    """Keys of what the commands write, and their statuses."""
    from metrics_core.__main__ import main

    def printed(*arguments: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            main(arguments)
        return output.getvalue()

    gate = ("compare", QRELS, *RUNS, "-m", "nDCG@10", "--gate", "nDCG@10 > -0.5")
    snapshot = folder / "snapshot.json"
    printed("snapshot", QRELS, RUNS[0], "-m", "nDCG@10", "-o", str(snapshot))
    as_json = {
        "gate.json": printed(*gate, "--format", "json"),
        "snapshot": snapshot.read_text(),
        "evaluate": printed("evaluate", QRELS, RUNS[0], "-m", "nDCG@10", "--format", "json"),
        "explain": printed("explain", QRELS, *RUNS, "--query", "q001", "--format", "json"),
    }
    found: dict[str, Any] = {
        name: sorted(set(keys(json.loads(text)))) for name, text in as_json.items()
    }
    junit = printed(*gate, "--format", "junit")
    found["junit"] = sorted(set(re.findall(r"<(\w+)|\b(\w+)=\"", junit)))
    found["statuses"] = {
        name: getattr(gates, name)
        for name in ("ALL_WELL", "FAILED", "INPUT_ERROR", "UNCLEAR", "CHANGED")
    }
    return found


def addresses() -> dict[str, Any]:
    from dashboard.address.address import SHARED_FIELDS, SHARED_QUERIES
    from dashboard.app_pages.menu import PAGES

    return {
        "shared": [f"{field.name} {field.kind}" for field in SHARED_FIELDS],
        "controls": {"missing": [SHARED_QUERIES]},
        "pages": {page.name: [f"{f.name} {f.kind}" for f in page.fields] for page in PAGES},
    }


def workspace() -> dict[str, Any]:
    from dashboard.workspace.disk.contents import SCHEMA
    from dashboard.workspace.disk.database import VERSION
    from dashboard.workspace.disk.records import Collection, Entry
    from metrics_core.base.notes import Note

    return {
        "tables": dict(SCHEMA),
        "version": VERSION,
        "records": {
            record.__name__: [field.name for field in dataclasses.fields(record)]
            for record in (Collection, Entry, Note)
        },
    }


def outside() -> dict[str, Any]:
    """Names in the files that other tools read, and the variables of the environment."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    action = (ROOT / "action.yml").read_text()
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    folders = (ROOT / name for name in ("metrics_core", "dashboard", ".github"))
    inside = (p for folder in folders for p in folder.rglob("*"))
    sources = [p for p in (*ROOT.glob("*.py"), *inside) if p.suffix in {".py", ".sh", ".yml"}]
    text = "\n".join(path.read_text("utf-8") for path in sources) + action
    return {
        "scripts": project["scripts"],
        "entry points": project["entry-points"],
        "extras": sorted(project["optional-dependencies"]),
        "plug-in groups": sorted(set(re.findall(r'group="([\w.]+)"|"(ranklens\.\w+)"', text))),
        "action": re.findall(r"^  ([a-z-]+):$", action, re.MULTILINE),
        "hooks": re.findall(r"id: (\S+)", hook),
        "pytest options": sorted(
            set(re.findall(r'add(?:option|ini)\(\s*"([\w-]+)"', text))
        ),
        "fixtures": re.findall(
            r"@pytest\.fixture[^\n]*\ndef (\w+)", (ROOT / "pytest_ranklens.py").read_text()
        ),
        "marker of the comment": sorted(set(re.findall(r"<!-- ranklens[^>]*-->", text))),
        "variables": sorted(set(re.findall(r"\bRANKLENS_[A-Z_]+\b", text))),
    }  # fmt: skip


def stable(folder: Path) -> Any:
    """All of it, as JSON would hold it; `folder` takes files."""
    collected = {
        "python": python_names(),
        "reading choices": [field.name for field in dataclasses.fields(ReadAs)],
        "frames": frames(),
        "commands": commands(),
        "outputs": outputs(folder),
        "addresses": addresses(),
        "workspace": workspace(),
        "outside": outside(),
    }
    return json.loads(json.dumps(collected))


def test_the_stable_interface_is_unchanged(tmp_path: Path) -> None:
    assert stable(tmp_path) == json.loads(LIST.read_text("utf-8"))


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        LIST.write_text(json.dumps(stable(Path(made)), indent=1, sort_keys=True) + "\n")
