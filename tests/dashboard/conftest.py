"""The app under test: its own workspace, opened on a page, its drawn text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dashboard.files.files import File, read_file
from dashboard.session import open_collection
from dashboard.study.library import Library, assemble_library
from dashboard.workspace import DEFAULT_SETTINGS

# Every run of an AppTest reads what each installed package says of itself, to find components: two
# thirds of the run. They stay the same for as long as these tests take.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

APP = Path(__file__).resolve().parents[2] / "dashboard" / "app.py"


class ExampleKept:
    """The example's files and their study, read and judged once for all tests that patch nothing:
    no test changes them, and what the study works out depends on nothing else."""

    def __init__(self) -> None:
        self.files: dict[str, list[File]] = {}
        self.libraries: dict[tuple[int, ...], Library] = {}

    def read_files(self, path: Path, **more: Any) -> list[File]:
        """Read a file as `read_files` of the dashboard does."""
        if more["origin"] != "sample" or more["choices"]:
            return read_file(path, **more)
        if more["display_name"] not in self.files:
            self.files[more["display_name"]] = read_file(path, **more)
        return self.files[more["display_name"]]

    def assemble(self, files: Sequence[File], **more: Any) -> Library:
        """Make a library as `assemble` of the dashboard does."""
        plain = {file.origin for file in files} == {"sample"} and not more["qrels_key"]
        if not plain or more["settings"] != DEFAULT_SETTINGS:
            return assemble_library(files, **more)
        key = tuple(id(file.table) for file in files)  # a library keeps its tables alive
        if key not in self.libraries:
            self.libraries[key] = assemble_library(files, **more)
        return self.libraries[key]


_EXAMPLE = ExampleKept()


@pytest.fixture(autouse=True)
def empty_workspace(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test has its own workspace folder and no folder of data."""
    apart = {"monkeypatch", "unread_example"} & set(request.fixturenames)
    example = ExampleKept() if apart else _EXAMPLE
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RANKLENS_WORKSPACE", str(tmp_path / "workspace"))
        patched.delenv("RANKLENS_DATA", raising=False)
        patched.setattr(open_collection, "read_file", example.read_files)
        patched.setattr(open_collection, "assemble_library", example.assemble)
        st.cache_resource.clear()
        # Streamlit puts the app into the place of the program, which processes that are started by
        # other tests would then begin with.
        program = sys.modules["__main__"]
        yield
        sys.modules["__main__"] = program


@pytest.fixture
def unread_example() -> None:
    """A test with this has an example that no other test has opened."""


@pytest.fixture(autouse=True)
def no_page_ends(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A page that an unforeseen exception ended says so to its reader and in the log."""
    yield
    ended = [r for r in caplog.get_records("call") if r.name == "ranklens" and r.exc_info]
    assert not ended, [str(record.exc_info) for record in ended]


def opened(page: str = "", **parameters: Any) -> AppTest:
    """The app on a page with these parameters in its address."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    if page:
        app.switch_page(f"app_pages/{page}.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def on_files(app: AppTest) -> AppTest:
    """The app on the Files page, from wherever an upload has led to."""
    if not app.file_uploader:
        app.switch_page("app_pages/data.py").run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def drawn(app: AppTest) -> str:
    """All drawn HTML, styles left out."""
    whole = " ".join(e.proto.body for e in app.get("html"))
    return re.sub(r"<style>.*?</style>", "", whole, flags=re.DOTALL)


def text_of(app: AppTest) -> str:
    """All drawn HTML as plain text."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", drawn(app))).split())
