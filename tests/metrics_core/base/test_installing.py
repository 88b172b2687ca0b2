"""The command that installs an extra works from where Ranklens came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metrics_core.base import installing
from metrics_core.base.installing import install_command

ROOT = Path(__file__).resolve().parents[3]
METADATA = """Metadata-Version: 2.4
Name: ranklens
Version: 99
Requires-Dist: numpy>=2
Requires-Dist: pyspark>=4; extra == "spark"
Requires-Dist: streamlit<2,>=1.67; extra == "app"
"""


def test_in_a_checkout_it_is_the_folder() -> None:
    assert install_command("app") == f"pip install '{ROOT}[app]'"


@pytest.mark.parametrize(
    ("came_from", "command"),
    [
        ({"url": "file://{folder}", "dir_info": {}}, "pip install '{folder}[spark]'"),
        ({"url": "file://{folder}/a%20b.whl"}, "pip install '{folder}/a b.whl[spark]'"),
        ({"url": "file://{folder}/gone.whl"}, "pip install 'pyspark>=4'"),
        (
            {"url": "https://host/r", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'ranklens[spark] @ git+https://host/r@abc'",
        ),
        ({"url": "https://host/r.whl"}, "pip install 'ranklens[spark] @ https://host/r.whl'"),
        (None, "pip install 'pyspark>=4'"),
    ],
)
def test_installed_it_is_what_it_was_installed_from(
    came_from: dict[str, Any] | None,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(installing, "_ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a b.whl").touch()
    folder = tmp_path / "ranklens-99.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    if came_from is not None:
        url = came_from["url"].replace("{folder}", str(tmp_path))
        (folder / "direct_url.json").write_text(json.dumps(came_from | {"url": url}))
    assert install_command("spark") == command.replace("{folder}", str(tmp_path))


def test_a_copy_without_either_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_ROOT", tmp_path)
    monkeypatch.setattr("sys.path", [])
    assert install_command("app") == "pip install '.[app]' in the Ranklens folder"
