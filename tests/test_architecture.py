"""The imports point one way and in no circle, modules stay small: read from the sources, nothing is
run. Each rule is one test, which lists all that break it."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from dashboard.app_pages.menu import PAGES

ROOT = Path(__file__).parents[1]
PACKAGES = ("metrics_core", "dashboard")

LONGEST = 400
LONGER: dict[str, int] = {}
"""Modules that may be longer, each with its own limit; they are to be split, not extended."""

TOLD = ("base", "findings", "tables")
"""Packages of metrics_core that hold what was computed, or words for it."""

CORE = (
    ("base",),
    ("tables",),
    ("judging",),
    ("formats",),
    ("judging.while_reading",),
    ("measures",),
    ("extending",),
    ("scoring",),
    ("comparing",),
    ("unjudged",),
    ("slicing",),
    ("explaining",),
    ("checks",),
    ("list_scores",),
    ("lists", "benchmark"),
    ("findings",),
    ("text_tables",),
    ("results",),
    ("python_lists",),
    ("python_interface", "python_gate"),
    ("compatible",),
    ("commands",),
    ("__main__",),
)
DASHBOARD = (
    ("environment", "streamlit_internals", "temporary_folders"),
    ("printing",),
    ("workspace", "address"),
    ("files",),
    ("study",),
    ("answers",),
    ("drawing", "dashboard_process"),
    ("paper_figures",),
    ("notebook", "commands"),
    ("session", "components"),
    ("app_pages",),
    ("app",),
    ("serving",),
    ("start",),
    ("__main__",),
)
"""Both packages from first to last; a module imports from its own place or an earlier stage, never
from another place of the same stage."""

BEFORE_THE_SERVER = {"dashboard.serving.access.origin", "dashboard.environment"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def modules(*folders: str) -> list[Path]:
    found = [p for f in folders for p in ([ROOT / f] if f.endswith(".py") else rglob(ROOT / f))]
    assert found, folders
    return found


def rglob(folder: Path) -> Iterator[Path]:
    assert folder.is_dir(), f"{folder} is not there"
    return (p for p in sorted(folder.rglob("*.py")) if "__pycache__" not in p.parts)


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    return label(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__")


MODULES = {dotted(path): path for path in modules(*PACKAGES)}


@cache
def imported(path: Path) -> frozenset[str]:
    """The full name of everything a module imports: `a.b.c` for `from a.b import c`."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{label(path)} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def imports_of(path: Path, *packages: str) -> set[str]:
    """What a module imports from these packages or modules."""
    return {n for n in imported(path) for p in packages if n == p or n.startswith(f"{p}.")}


def modules_behind(path: Path) -> set[str]:
    """Our modules that a module imports, or from which it imports a name."""
    asked = {n if n in MODULES else n.rpartition(".")[0] for n in imported(path)}
    return (asked & MODULES.keys()) - {dotted(path)}


def offenders(folders: tuple[str, ...], breaks: Callable[[Path], object]) -> dict[str, object]:
    """The modules of these folders that break a rule, each with how."""
    return {label(path): how for path in modules(*folders) if (how := breaks(path))}


# Directions and circles


def place_of(name: str, stages: tuple[tuple[str, ...], ...]) -> tuple[int, str] | None:
    """The stage of a module and its place there; None of a package's own `__init__`."""
    below = name.partition(".")[2]
    fitting = [
        (len(place), i, place)
        for i, stage in enumerate(stages)
        for place in stage
        if below == place or below.startswith(f"{place}.")
    ]
    assert fitting or not below, f"{name} stands in no stage"
    return max(fitting)[1:] if fitting else None


def against(path: Path, stages: tuple[tuple[str, ...], ...]) -> list[str]:
    """The imports of a module that point to a later stage, or beside it."""
    here = place_of(dotted(path), stages)
    if here is None:
        return []
    found = []
    for name in modules_behind(path):
        there = place_of(name, stages) if name.split(".")[0] == dotted(path).split(".")[0] else None
        if there and (there[0] > here[0] or (there[0] == here[0] and there[1] != here[1])):
            found.append(name)
    return sorted(found)


def test_imports_point_one_way() -> None:
    found = offenders(("metrics_core",), lambda path: against(path, CORE))
    found |= offenders(("dashboard",), lambda path: against(path, DASHBOARD))
    assert not found


def circles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of modules in which each leads to each (Tarjan, SIAM Journal on Computing 1972)."""
    number, lowest = dict[str, int](), dict[str, int]()
    open_, found, numbers = list[str](), list[list[str]](), count()

    def visit(name: str) -> None:
        number[name] = lowest[name] = next(numbers)
        open_.append(name)
        for other in imports[name]:
            if other not in number:
                visit(other)
            if other in open_:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            place = open_.index(name)
            circle, open_[place:] = open_[place:], []
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in imports:
        if name not in number:
            visit(name)
    return found


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_imports_lead_back_to_where_they_began() -> None:
    assert not circles({name: modules_behind(path) for name, path in MODULES.items()})


def test_what_a_stage_does_not_know() -> None:
    forbidden = {
        "metrics_core/formats": ("measures", "judging", "scoring", "findings"),
        "metrics_core/measures": ("formats", "scoring", "findings"),
        "metrics_core/judging/join.py": ("formats", "measures"),
        "metrics_core/tables": ("formats", "judging", "measures"),
    }
    for folder, unknown in forbidden.items():
        names = [f"metrics_core.{name}" for name in unknown]
        assert not offenders((folder,), lambda path, names=names: imports_of(path, *names))


def test_the_core_knows_no_dashboard() -> None:
    unknown = ("streamlit", "plotly", "dashboard")
    assert not offenders(("metrics_core",), lambda path: imports_of(path, *unknown))


EDGES = {
    "metrics_core.compatible": {"metrics_core.__main__"},
    "metrics_core.scoring.spark": {"metrics_core.commands.on_spark"},
    "metrics_core.formats.tools": set[str](),
}
"""What the core does without, with the modules that import it; the registry of formats loads those
of tools by their package's name."""


def test_edges_are_imported_by_their_own_door_only() -> None:
    for edge, own in EDGES.items():
        found = offenders(PACKAGES, lambda path, edge=edge: imports_of(path, edge))
        found = {name: how for name, how in found.items() if dotted(ROOT / name) not in own}
        assert not {name for name in found if not dotted(ROOT / name).startswith(edge)}


_WITHOUT = """
import sys
import types
import pytest
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.startswith({edges!r}):
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
sys.modules["metrics_core.formats.tools"] = types.ModuleType("no tools")
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *{folders!r}]))
"""


@pytest.mark.thorough
def test_the_core_works_without_its_edges() -> None:
    stages = ("base", "tables", "judging", "measures", "scoring", "comparing", "slicing", "checks")
    folders = [f"tests/metrics_core/{name}" for name in stages]
    folders += ["--ignore=tests/metrics_core/scoring/spark"]
    program = _WITHOUT.format(edges=tuple(EDGES), folders=folders)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stdout


def test_what_the_start_needs_before_the_server_loads_nothing_of_it() -> None:
    for name in BEFORE_THE_SERVER:
        found = modules_behind(MODULES[name])
        assert all(n.startswith("metrics_core.base.") for n in found), f"{name} loads {found}"


# Drawing


DRAWN = ("dashboard/drawing/figures", "dashboard/drawing/blocks")


def computing(path: Path) -> set[str]:
    """What a module imports of the core that computes: types and constants begin with a capital."""
    known = {f"metrics_core.{name}" for name in TOLD}
    core = imports_of(path, "metrics_core")
    asked = core - imports_of(path, *known) - known
    return {name for name in asked if not name.rsplit(".", 1)[-1][:1].isupper()}


def test_figures_and_blocks_draw_what_they_are_given() -> None:
    assert not offenders(("dashboard/drawing",), lambda path: imports_of(path, "streamlit"))
    assert not offenders(DRAWN, lambda path: imports_of(path, "scipy") | computing(path))


HELD_BY_A_DRAWING = {
    "styles", "palette", "focus_style", "focus", "baseline", "measure", "name", "cutoff",
    "chosen_k", "value_range",
}  # fmt: skip
NOT_OF_THE_DRAWING: dict[str, set[str]] = {}
"""What a function takes besides: here the range of another measure than the chosen one."""


def test_what_a_drawing_holds_is_handed_on_as_one() -> None:
    def parts(path: Path) -> list[str]:
        found = []
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                given = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)}
                held = (given & HELD_BY_A_DRAWING) - NOT_OF_THE_DRAWING.get(node.name, set())
                if len(held) > (0 if "drawing" in given else 1):
                    found.append(f"{node.name} takes {sorted(held)}")
        return found

    assert not offenders(DRAWN, parts)


def test_figures_know_no_page() -> None:
    others = [f"dashboard.{name}" for name in ("app_pages", "session", "study", "answers")]
    assert not offenders((DRAWN[0],), lambda path: imports_of(path, *others))


# Pages


def test_what_pages_are_made_of_is_loaded_with_the_page_that_asks_for_it() -> None:
    # A start would load them all; and two threads that load modules of a package which imports
    # them in turn may see each other's half loaded.
    for package in ("answers", "app_pages", "drawing/blocks", "drawing/figures"):
        own = ROOT / "dashboard" / package / "__init__.py"
        assert not imports_of(own, "dashboard", "metrics_core"), package
    menu = imports_of(ROOT / "dashboard" / "app_pages" / "menu.py", "dashboard.app_pages")
    assert not menu


def test_pages_neither_compute_nor_draw() -> None:
    def computes(path: Path) -> set[str]:
        tables = imports_of(path, "pandas")
        odd = tables - {"pandas", "pandas.DataFrame", "pandas.Series"}
        core = {n for n in imports_of(path, "metrics_core") if not n.startswith(allowed)}
        asked = {n for n in core if n.rsplit(".", 1)[-1].islower()}
        return imports_of(path, "numpy", "plotly", "scipy", "pyarrow") | odd | asked | _used(path)

    allowed = tuple(f"metrics_core.{name}" for name in (*TOLD, "measures", "formats"))
    assert not offenders(PAGE_FILES, computes), "pages ask dashboard.answers"


PAGE_FILES = tuple(label(path) for path in sorted((ROOT / "dashboard" / "app_pages").glob("*.py")))


def _used(path: Path) -> set[str]:
    """Functions of pandas, and methods of arrays that compute."""
    methods = {"mean", "median", "sum", "std", "quantile", "groupby", "pivot", "merge", "agg"}
    nodes = list(ast.walk(tree(path)))
    of_pandas = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "pd"
    }
    called = {
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return (of_pandas - {"DataFrame", "Series"}) | (called & methods)


def test_pages_can_be_imported_without_drawing() -> None:
    def draws(path: Path) -> bool:
        return any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) for n in tree(path).body
        )

    assert not offenders(PAGE_FILES, draws), "what draws stands behind `if __name__ == '__main__'`"
    stems = {Path(name).stem for name in PAGE_FILES} - {"__init__", "menu", "frame"}
    assert stems == {page.name for page in PAGES}
    for name in stems:
        assert callable(importlib.import_module(f"dashboard.app_pages.{name}").render)


def test_every_page_has_a_test_of_its_own() -> None:
    tests = ROOT / "tests" / "dashboard" / "app_pages"
    assert not [page.name for page in PAGES if not (tests / f"test_{page.name}.py").is_file()]


def test_what_is_behind_the_pages_knows_no_streamlit() -> None:
    behind = ("address", "files", "study", "answers", "workspace", "environment.py")
    folders = tuple(f"dashboard/{name}" for name in behind)
    assert not offenders(folders, lambda path: imports_of(path, "streamlit"))


def test_what_streamlit_does_not_promise_is_used_in_one_module() -> None:
    inside = (
        "streamlit.config.get_config_files",
        "streamlit.delta_generator._",
        "streamlit.file_util",
        "streamlit.net_util",
        "streamlit.proto",
        "streamlit.runtime",
        "streamlit.components.v2.manifest_scanner",
    )

    def uses(path: Path) -> list[str]:
        if label(path) == "dashboard/streamlit_internals.py":
            return []
        return [name for name in imported(path) if name.startswith(inside)]

    assert not offenders(("dashboard",), uses)


def test_only_the_session_holds_state() -> None:
    held = {"session_state", "query_params", "cache_data", "cache_resource"}

    def holds(path: Path) -> set[str]:
        if label(path).startswith("dashboard/session/"):
            return set()
        return held & {
            node.attr
            for node in ast.walk(tree(path))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("st", "streamlit")
        }

    assert not offenders(("dashboard",), holds)


# All modules


def test_modules_stay_small() -> None:
    def lines(path: Path) -> int:
        n = path.read_text().count("\n")
        return n if n > LONGER.get(label(path), LONGEST) else 0

    assert not offenders(PACKAGES, lines)


def test_longer_modules_are_listed_only_while_they_are_longer() -> None:
    for name, limit in LONGER.items():
        assert LONGEST < (ROOT / name).read_text().count("\n") <= limit


def test_modules_are_named_for_what_they_hold() -> None:
    nothing = ("utils", "util", "helpers", "helper", "common", "misc")
    assert not offenders(PACKAGES, lambda path: path.stem in nothing)


def test_public_names_of_the_core_are_explained() -> None:
    def unexplained(path: Path) -> list[str]:
        if not tree(path).body:
            return []
        own = [] if ast.get_docstring(tree(path)) else ["the module"]
        return own + [
            node.name
            for node in tree(path).body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]

    assert not offenders(("metrics_core",), unexplained)
