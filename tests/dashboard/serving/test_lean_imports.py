"""What a start leaves out is there for who asks for it later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner.exec_code import modified_sys_path

from dashboard.serving.lean_imports import keep_on_path
from tests.servers import ROOT


def told_by(program: str) -> list[str]:
    """The words that a program prints, run by itself: what is loaded stays loaded."""
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout.split()


def test_streamlit_is_loaded_without_its_theme_of_charts_and_nothing_is_missing_then() -> None:
    assert told_by(_STREAMLIT) == ["False", "True"]


_STREAMLIT = """
from dashboard.serving.lean_imports import load_streamlit
load_streamlit()
import plotly.io
print("streamlit" in plotly.io.templates)
import streamlit, plotly.graph_objects as go
print(bool(streamlit.plotly_chart(go.Figure(), theme=None)))
"""


def test_parquet_is_loaded_without_s3_which_says_so_where_it_is_asked_for(tmp_path: Path) -> None:
    assert told_by(_PARQUET.format(path=str(tmp_path / "a.parquet"))) == ["False", "1", "True"]


_PARQUET = """
from dashboard.serving.lean_imports import load_parquet
load_parquet()
import sys, pyarrow as pa, pyarrow.parquet as pq
print("pyarrow._s3fs" in sys.modules)
pq.write_table(pa.table({{"a": [1]}}), {path!r})
print(len(pq.read_table({path!r})))
try:
    from pyarrow.fs import S3FileSystem
except ImportError as error:
    print("S3FileSystem" in str(error))
"""


def test_distributions_are_loaded_without_numpys_tools_and_nothing_is_missing_then() -> None:
    assert told_by(_DISTRIBUTIONS) == ["False", "False", "True", "True", "0.5"]


_DISTRIBUTIONS = """
import sys
from dashboard.serving.lean_imports import load_distributions
load_distributions()
print(*(f"numpy.{name}" in sys.modules for name in ("f2py", "testing")))
import numpy as np
np.testing.assert_equal(1, 1)
print(callable(np.f2py.get_include), "numpy.f2py" in sys.modules)
from scipy import stats
print(stats.norm.cdf(0))
"""


def test_numpys_tools_stay_where_they_are_loaded_already() -> None:
    assert told_by(_LOADED_BEFORE) == ["True"]


_LOADED_BEFORE = """
import numpy.f2py, numpy.testing
from dashboard.serving.lean_imports import load_distributions
load_distributions()
print(callable(numpy.f2py.get_include) and callable(numpy.testing.assert_equal))
"""


def test_runs_of_pages_leave_the_list_of_folders_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ROOT / "dashboard" / "app.py"
    monkeypatch.setattr(sys, "path", [*sys.path])
    keep_on_path(app.parent)
    keep_on_path(app.parent)
    before = [*sys.path]
    with modified_sys_path(str(app)):  # as Streamlit does around each run
        assert sys.path == before and before[-1] == str(app.parent)
    assert sys.path == before
