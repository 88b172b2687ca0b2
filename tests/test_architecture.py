"""The imports point one way, modules stay small: read from the sources, nothing is run."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.app_pages.menu import PAGES

ROOT = Path(__file__).parents[1]
PACKAGES = ("metrics_core", "dashboard")

LONGEST = 400
LONGER: dict[str, int] = {}
"""Modules that may be longer, each with its own limit; they are to be split, not extended."""

TOLD = ("wording", "findings", "errors", "notes", "tables")
"""Modules of metrics_core that hold what was computed, or words for it."""


def modules(*folders: str) -> list[Path]:
    found = [p for f in folders for p in ([ROOT / f] if f.endswith(".py") else rglob(ROOT / f))]
    assert found, folders
    return found


def rglob(folder: Path) -> Iterator[Path]:
    return (p for p in sorted(folder.rglob("*.py")) if "__pycache__" not in p.parts)


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> set[str]:
    """The full name of everything a module imports: `a.b.c` for `from a.b import c`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{label(path)} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imports_of(path: Path, *packages: str) -> set[str]:
    """What a module imports from these packages or modules."""
    return {n for n in imported(path) for p in packages if n == p or n.startswith(f"{p}.")}


STAGES = [
    (
        "errors",
        "notes",
        "wording",
        "memo",
        "parallel",
        "frames",
        "heap",
        "ending",
        "whole_files",
        "compiled",
    ),
    ("tables",),
    ("judging",),
    ("formats",),
    ("onepass",),
    ("measures",),
    ("scoring",),
    ("comparing",),
    ("slicing",),
    ("explaining",),
    ("checks",),
    ("lists", "benchmark"),
    ("findings",),
    ("compatible",),
    ("commands",),
    ("__main__", "__init__", "__version__"),
]
"""metrics_core from first to last; a module imports from its own stage or an earlier one."""


def stage_of(name: str) -> int:
    return next(i for i, stage in enumerate(STAGES) if name in stage)


def part_of(path: Path) -> str:
    """The module or package directly below metrics_core that a file belongs to."""
    return path.relative_to(ROOT / "metrics_core").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", modules("metrics_core"), ids=label)
def test_imports_point_one_way(path: Path) -> None:
    stage = stage_of(part_of(path))
    for name in imports_of(path, "metrics_core"):
        below = name.split(".")[1]
        assert stage_of(below) <= stage, f"{label(path)} imports {name}"


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("metrics_core/formats", ("measures", "judging", "scoring", "findings")),
        ("metrics_core/measures", ("formats", "scoring", "findings")),
        ("metrics_core/judging/join.py", ("formats", "measures")),
        ("metrics_core/tables", ("formats", "judging", "measures")),
    ],
)
def test_what_a_stage_does_not_know(folder: str, forbidden: tuple[str, ...]) -> None:
    for path in modules(folder):
        known = imports_of(path, *(f"metrics_core.{name}" for name in forbidden))
        assert not known, label(path)


def test_the_core_knows_no_dashboard() -> None:
    for path in modules("metrics_core"):
        assert not imports_of(path, "streamlit", "plotly", "dashboard"), label(path)


@pytest.mark.parametrize("path", modules("dashboard/figures", "dashboard/blocks"), ids=label)
def test_figures_and_blocks_draw_what_they_are_given(path: Path) -> None:
    assert not imports_of(path, "streamlit", "scipy")
    # Templates are kept compiled, in sealed files.
    known = (*TOLD, "whole_files")
    told = imports_of(path, *(f"metrics_core.{name}" for name in known))
    named = {f"metrics_core.{name}" for name in TOLD}
    for name in imports_of(path, "metrics_core") - told - named:
        # Types and constants begin with a capital; functions, which compute, do not.
        assert name.rsplit(".", 1)[-1][:1].isupper(), f"{label(path)} imports {name}"


HELD_BY_A_DRAWING = {
    "styles", "palette", "focus_style", "focus", "baseline", "measure", "name", "cutoff",
    "chosen_k", "value_range",
}  # fmt: skip
NOT_OF_THE_DRAWING = {"measure_by_cutoff": {"value_range"}}
"""What a function takes besides: here the range of another measure than the chosen one."""


@pytest.mark.parametrize("path", modules("dashboard/figures", "dashboard/blocks"), ids=label)
def test_what_a_drawing_holds_is_handed_on_as_one(path: Path) -> None:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            given = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)}
            parts = (given & HELD_BY_A_DRAWING) - NOT_OF_THE_DRAWING.get(node.name, set())
            most = 0 if "drawing" in given else 1
            assert len(parts) <= most, f"{label(path)}: {node.name} takes {sorted(parts)}"


@pytest.mark.parametrize("path", modules("dashboard/figures"), ids=label)
def test_figures_know_no_page(path: Path) -> None:
    others = ("app_pages", "session", "opened", "frame", "answers")
    assert not imports_of(path, *(f"dashboard.{name}" for name in others))


@pytest.mark.parametrize("package", ["answers", "app_pages", "blocks", "figures"])
def test_what_pages_are_made_of_is_loaded_with_the_page_that_asks_for_it(package: str) -> None:
    # A start would load them all; and two threads that load modules of a package which imports
    # them in turn may see each other's half loaded.
    assert not imports_of(ROOT / "dashboard" / package / "__init__.py", "dashboard", "metrics_core")
    assert not imports_of(ROOT / "dashboard" / "pages.py", "dashboard.app_pages")


@pytest.mark.parametrize("path", modules("dashboard/app_pages"), ids=label)
def test_pages_neither_compute_nor_draw(path: Path) -> None:
    assert not imports_of(path, "numpy", "plotly", "scipy", "pyarrow")
    assert imports_of(path, "pandas") <= {"pandas", "pandas.DataFrame", "pandas.Series"}
    computing = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "pd"
    }
    assert computing <= {"DataFrame", "Series"}, "pandas is there for annotations"
    assert not _summarised(path)
    core = imports_of(path, "metrics_core")
    computed = {n for n in core if n.split(".")[1] not in (*TOLD, "measures", "formats")}
    lower = {n for n in computed if n.rsplit(".", 1)[-1].islower()}
    assert not lower, "pages ask dashboard.answers"


@pytest.mark.parametrize("path", modules("dashboard/app_pages"), ids=label)
def test_pages_can_be_imported_without_drawing(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    calls = [n for n in body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    assert not calls, "what draws stands behind `if __name__ == '__main__'`"
    if path.stem != "__init__":
        page = importlib.import_module(f"dashboard.app_pages.{path.stem}")
        assert path.stem in {page.name for page in PAGES} and callable(page.render)


def _summarised(path: Path) -> set[str]:
    """Calls of array methods that compute: a page has its answers worked out for it."""
    computing = {"mean", "median", "sum", "std", "quantile", "groupby", "pivot", "merge", "agg"}
    return {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in computing
    }


WITHOUT_STREAMLIT = (
    "address",
    "arriving",
    "answers",
    "opened",
    "workspace",
    "drawing.py",
    "theme.py",
    "ticks.py",
)


def test_what_is_behind_the_pages_knows_no_streamlit() -> None:
    for path in modules(*(f"dashboard/{name}" for name in WITHOUT_STREAMLIT)):
        assert not imports_of(path, "streamlit"), label(path)


def test_only_the_session_holds_state() -> None:
    held = {"session_state", "query_params", "cache_data", "cache_resource"}
    for path in modules("dashboard"):
        if label(path).startswith("dashboard/session/"):
            continue
        used = {
            node.attr
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("st", "streamlit")
        }
        assert not used & held, label(path)


@pytest.mark.parametrize("path", modules(*PACKAGES), ids=label)
def test_modules_stay_small(path: Path) -> None:
    lines = path.read_text().count("\n")
    assert lines <= LONGER.get(label(path), LONGEST)


def test_longer_modules_are_listed_only_while_they_are_longer() -> None:
    for name, limit in LONGER.items():
        assert LONGEST < (ROOT / name).read_text().count("\n") <= limit


@pytest.mark.parametrize("path", modules(*PACKAGES), ids=label)
def test_modules_are_named_for_what_they_hold(path: Path) -> None:
    assert path.stem not in ("utils", "util", "helpers", "helper", "common", "misc")


@pytest.mark.parametrize("path", modules("metrics_core"), ids=label)
def test_public_names_of_the_core_are_explained(path: Path) -> None:
    tree = ast.parse(path.read_text())
    if not tree.body:
        return
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{label(path)}: {node.name}"
