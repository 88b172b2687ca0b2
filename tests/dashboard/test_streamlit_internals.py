"""What is used of Streamlit beside what it promises is there, and does what it is used for."""

from __future__ import annotations

import sys

import pytest
import streamlit
from streamlit import config, delta_generator, net_util
from streamlit.runtime.scriptrunner.exec_code import modified_sys_path

from dashboard.streamlit_internals import append_to_module_path, current_page_run, static_folder
from tests.servers import ROOT


def test_the_version_was_looked_at() -> None:
    assert streamlit.__version__.startswith(("1.66.", "1.67.")), (
        "go through dashboard/streamlit_internals.py, with platform habits, before another version"
    )


def test_what_is_set_is_there_to_be_set() -> None:
    assert callable(config.get_config_files)
    assert hasattr(net_util, "_external_ip") and hasattr(net_util, "_internal_ip")
    assert isinstance(delta_generator._use_warning_has_been_displayed, bool)


def test_no_page_is_drawn_here() -> None:
    assert current_page_run() is None
    assert (static_folder() / "index.html").is_file()


def test_runs_of_pages_leave_the_list_of_folders_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ROOT / "dashboard" / "app.py"
    monkeypatch.setattr(sys, "path", [*sys.path])
    append_to_module_path(app.parent)
    append_to_module_path(app.parent)
    before = [*sys.path]
    with modified_sys_path(str(app)):  # as Streamlit does around each run
        assert sys.path == before and before[-1] == str(app.parent)
    assert sys.path == before
