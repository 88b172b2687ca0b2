"""Finds as files: the bytes, and in the file's name what it is; how it is read stands beside."""

from __future__ import annotations

import json
from pathlib import Path

from tests.reliability.fuzz.cases import Case
from tests.reliability.fuzz.running import Find

FINDS = Path(__file__).parents[1] / "finds"


def written(folder: Path, one: Case, find: Find) -> Path:
    """Keep a case; one of each kind is kept."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{find.slug}.bin"
    if not path.exists() or len(one.data) < path.stat().st_size:
        path.write_bytes(one.data)
        how = {"name": one.name, "door": one.door, "choices": one.choices, "why": find.why}
        path.with_suffix(".json").write_text(json.dumps(how, indent=1) + "\n")
    return path


def kept(folder: Path = FINDS) -> dict[str, Case]:
    """The cases that were found before, by the file's name."""
    found = {}
    for path in sorted(folder.glob("*.bin")):
        how = json.loads(path.with_suffix(".json").read_text())
        found[path.stem] = Case(path.read_bytes(), how["name"], how["door"], how["choices"])
    return found
