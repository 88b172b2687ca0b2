"""`import ranklens`: the public interface under the project's own name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import metrics_core
import ranklens
from dashboard.notebook import show
from tests.packages import ROOT


def test_it_has_what_metrics_core_has_and_show() -> None:
    assert {name: getattr(ranklens, name) for name in metrics_core.__all__} == {
        name: getattr(metrics_core, name) for name in metrics_core.__all__
    }
    assert ranklens.show is show
    assert set(dir(ranklens)) == {*metrics_core.__all__, "show"}
    assert ranklens.__version__ == metrics_core.__version__
    with pytest.raises(AttributeError, match="'ranklens' has no attribute 'nothing'"):
        _ = ranklens.nothing


def _run(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, which finds the sources behind its folder."""
    before = f"import sys; sys.path.append({str(ROOT)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", before + source], cwd=folder, capture_output=True, text=True
    )


def test_importing_it_loads_no_more_than_metrics_core(tmp_path: Path) -> None:
    program = """import importlib.util, metrics_core
before = {*sys.modules}
import ranklens
print(*({*sys.modules} - before))"""
    assert _run(program, tmp_path).stdout == "ranklens\n"


def test_without_the_dashboard_all_but_show_works(tmp_path: Path) -> None:
    missing = "import importlib.util as u; u.find_spec = lambda name: None\n"
    done = _run(missing + "from ranklens import *; print(evaluate.__name__)", tmp_path)
    assert done.stdout == "evaluate\n", done.stderr
    done = _run(missing + "from ranklens import show", tmp_path)
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ImportError: show needs the dashboard, which is not installed: pip ")
    assert f"'{ROOT}[app]'" in said
