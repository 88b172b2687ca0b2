"""Tests of what is missing are skipped with the reason; in CI, which installs it, they fail."""

from __future__ import annotations

import pytest

from tests.packages import OPTIONAL, ROOT

pytest_plugins = ["pytester"]

MODULES = {
    "test_module": 'import pytest\nlibrary = pytest.importorskip("no_such_peer")\n',
    "test_single": f"""
import sys
import pytest
def test_peer():
    pytest.importorskip("no_such_peer")
def test_browser():
    pytest.skip("no browser on this machine")
def test_optional():
    sys.modules[{OPTIONAL[0]!r}] = None
    pytest.importorskip({OPTIONAL[0]!r})
def test_system():
    pytest.skip("needs another account")
@pytest.mark.xfail
def test_known():
    assert False
""",
}


@pytest.mark.parametrize(
    ("ci", "outcomes"),
    [("", {"skipped": 5}), ("true", {"skipped": 2, "failed": 2, "errors": 1})],
)
def test_what_make_installs_is_missing(
    ci: str, outcomes: dict[str, int], pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(**MODULES)
    options = ("-ra", "-p", "tests.conftest", "--continue-on-collection-errors")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(xfailed=1, **outcomes)
    words = "though CI is set: no browser" if ci else "SKIPPED *no browser on this machine"
    result.stdout.fnmatch_lines([f"*{words}*"])
