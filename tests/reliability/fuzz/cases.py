"""A case: a mutated file, the door it goes in by, and the choices it is read with."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from metrics_core.__main__ import main
from metrics_core.base.errors import RanklensError
from metrics_core.formats import formats, is_set, read, read_set
from metrics_core.formats.registry import KINDS
from tests.reliability.fuzz.mutating import mutated
from tests.reliability.fuzz.seeds import seeds

NAMES = ("x", "", "a/b.run", "\udcff.json", "\ud800", "qrels.tsv", "..", "x" * 300, "/", "a\0b")
_NOT_IN_A_PATH = str.maketrans({"/": "_", "\0": None, "\ud800": None})
DOORS = ("read", "read", "read", "set", "path", "command line")


@dataclass(frozen=True)
class Case:
    """A file and how it is read."""

    data: bytes
    name: str
    door: str
    choices: dict[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        """Read the file; returns if it gives tables or an error of ours, else raises."""
        try:
            _DOORS[self.door](self)
        except RanklensError as error:
            str(error).encode()
            assert str(error)


@cache
def _seeds() -> dict[str, bytes]:
    return seeds()


def case(seed: int, number: int) -> Case:
    """The case of a number, the same each time."""
    rng = random.Random(f"{seed}/{number}")
    name = rng.choice(sorted(_seeds()))
    data = mutated(rng, _seeds()[name])
    door = rng.choice(DOORS) if rng.random() < 0.9 else "read"
    if rng.random() < 0.2:
        name = rng.choice(NAMES)
    return Case(data, name, door, _choices(rng))


def _choices(rng: random.Random) -> dict[str, Any]:
    """None, one or several of the reading choices."""
    if rng.random() < 0.4:
        return {}
    all_choices: dict[str, tuple[Any, ...]] = {
        "kind": KINDS,
        "format": tuple(f.name for f in formats()),
        "duplicates": ("best", "first"),
        "grades": ("real", {"a": 1.0}),
        "encoding": ("latin-1", "utf-16", "utf-8", "cp037", "rot13", "idna", "x\0y", "utf-7"),
        "limit": ("1GB", 100, 5_000),
    }
    names = rng.sample(sorted(all_choices), rng.choice((1, 1, 2, 3)))
    return {name: rng.choice(all_choices[name]) for name in names}


def _read(case: Case) -> None:
    loaded = read(case.data, name=case.name, **case.choices)
    assert len(loaded.table) > 0 and loaded.title


def _set(case: Case) -> None:
    own = {n: v for n, v in case.choices.items() if n not in ("kind", "format")}
    is_set(case.data)
    assert read_set(case.data, name=case.name, **own)


def _path(case: Case) -> None:
    """By a path with the bytes of the name in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (case.name.translate(_NOT_IN_A_PATH)[-90:] or "x")
        path = path if path.name not in ("", ".", "..") else path.with_name("x")
        if not path.exists():
            path.write_bytes(case.data)
        is_set(path)
        loaded = read(path, **case.choices)
        assert len(loaded.table) > 0


def _command_line(case: Case) -> None:
    """As the run, the judgments or the queries of `evaluate`."""
    with tempfile.TemporaryDirectory() as folder:
        given = {name: str(Path(folder) / name) for name in ("qrels", "run", "queries")}
        for name, seed in (
            ("qrels", "qrels.trec"),
            ("run", "run.trec"),
            ("queries", "queries.csv"),
        ):
            Path(given[name]).write_bytes(_seeds()[seed])
        place = ("run", "qrels", "queries")[len(case.data) % 3]
        Path(given[place]).write_bytes(case.data)
        arguments = ["evaluate", given["qrels"], given["run"], "-m", "nDCG@10"]
        if place == "queries":
            arguments += ["--queries", given["queries"], "--by", "category"]
        for name in {"duplicates", "encoding", "limit"} & case.choices.keys():
            arguments += [f"--{name}", str(case.choices[name])]
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
        assert status in (0, 2)


_DOORS = {"read": _read, "set": _set, "path": _path, "command line": _command_line}
