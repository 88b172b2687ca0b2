"""Streamlit's options are ours, whatever folders and variables around the command say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.servers import ROOT

PRINTED = """
import json
from dashboard.serving.access.settings import set_server_options
set_server_options(port=8501, base_path="below", origins=["http://127.0.0.1:8501", "http://localhost:8501"])
from dashboard.serving.server import make_application
from dashboard.serving.access.token import derive_keys
make_application(8501, derive_keys("T" * 43, 8501))
from streamlit import config, net_util
from streamlit.runtime.secrets import secrets_singleton
found = {name: option.value for name, option in config.get_config_options().items()}
found["asked for"] = [net_util.get_external_ip(), net_util.get_internal_ip()]
found["secrets"] = secrets_singleton.load_if_toml_exists()
print(json.dumps(found, default=str))
"""
ASKED = """
import importlib.metadata, json, sys
if "pinned" in sys.argv:
    from dashboard.serving.access.settings import set_server_options
    set_server_options(port=8501, base_path="", origins=["http://127.0.0.1:8501"])
import streamlit
from streamlit import env_util
from streamlit.components.v2.component_manager import BidiComponentManager
asked = []
env_util.is_repl = lambda: asked.append("console")
importlib.metadata.distributions = lambda: asked.append("packages") or []
BidiComponentManager().discover_and_register_components(start_file_watching=False)
streamlit.text("The first element")
print(json.dumps(asked))
"""
DEFAULTS = """
import json
from streamlit import config
print(json.dumps({n: o.value for n, o in config._config_options_template.items()}, default=str))
"""
HOSTILE = """
[global]
developmentMode = true
e2eTest = true
[server]
address = "0.0.0.0"
port = 1
headless = false
enableCORS = false
enableXsrfProtection = false
enableAgentApi = true
corsAllowedOrigins = ["http://evil.example"]
allowedHosts = ["*"]
cookieSecret = "known"
maxUploadSize = 1
baseUrlPath = "theirs"
trustedUserHeaders = '{"X": "y"}'
sslCertFile = "/nowhere"
scriptHealthCheckEnabled = true
fileWatcherType = "poll"
folderWatchList = ["/"]
[client]
showErrorDetails = "full"
allowedOrigins = ["http://evil.example"]
disableDataExport = false
toolbarMode = "developer"
[browser]
gatherUsageStats = true
serverAddress = "evil.example"
[runner]
magicEnabled = true
[logger]
level = "debug"
messageFormat = "%(message)s"
[ui]
hideTopBar = true
[magic]
displayRootDocString = true
[secrets]
files = ["/nowhere/secrets.toml"]
[theme]
base = "dark"
primaryColor = "#123456"
"""
BROKEN = {
    "a damaged file": "[server\n",
    "a theme that is no section": "[theme.sidebar.light]\nprimaryColor = '#000000'\n",
    "a theme from the internet": '[theme]\nbase = "http://127.0.0.1:9/theme.toml"\n',
}
# Drawn anew at each start.
RANDOM = {"server.cookieSecret"}


def run(code: str, folder: Path, home: Path, *arguments: str, **variables: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), **variables}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def with_config(folder: Path, content: str) -> Path:
    (folder / ".streamlit").mkdir(parents=True)
    (folder / ".streamlit" / "config.toml").write_text(content)
    secret = "[auth]\ncookie_secret = 'known'\n"
    (folder / ".streamlit" / "secrets.toml").write_text(secret)
    return folder


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every option where nobody says anything."""
    empty = tmp_path_factory.mktemp("empty")
    return run(PRINTED, empty, empty)


def variables_for(names: Any) -> dict[str, str]:
    """A hostile variable for each option, as Streamlit's command line names them."""
    written = {}
    for name in names:
        if "." in name:
            snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
            written[f"STREAMLIT_{snake.replace('.', '_').upper()}"] = "1"
    return written


def test_no_folder_and_no_variable_changes_an_option(tmp_path: Path, calm: dict[str, Any]) -> None:
    folder = with_config(tmp_path / "here", HOSTILE)
    home = with_config(tmp_path / "home", HOSTILE)
    variables = variables_for(calm)
    assert len(variables) > 150
    assert {"STREAMLIT_SERVER_ENABLE_AGENT_API", "STREAMLIT_SERVER_COOKIE_SECRET"} <= set(variables)
    found = run(PRINTED, folder, home, **variables)
    changed = {name: found[name] for name in calm if found[name] != calm[name]}
    assert set(changed) <= RANDOM
    assert found["server.cookieSecret"] not in ("known", "1")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(text, id=name, marks=[pytest.mark.thorough] * bool(i))
        for i, (name, text) in enumerate(BROKEN.items())
    ],
)
def test_a_broken_file_is_not_even_read(content: str, tmp_path: Path, calm: dict[str, Any]) -> None:
    found = run(PRINTED, with_config(tmp_path / "here", content), tmp_path)
    assert {n: v for n, v in found.items() if n not in RANDOM} == {
        n: v for n, v in calm.items() if n not in RANDOM
    }


def test_every_option_is_ours_or_streamlits_default(calm: dict[str, Any], tmp_path: Path) -> None:
    from dashboard.serving.access.settings import CONFIG

    sections = tomllib.loads(CONFIG.read_text("utf-8"))
    set_here = {
        f"{section}.{name}": value
        for section, options in sections.items()
        if section != "theme"
        for name, value in options.items()
    }
    defaults = run(DEFAULTS, tmp_path, tmp_path)
    assert set(set_here) <= set(defaults)
    for name, value in defaults.items():
        section = name.partition(".")[0]
        if section == "theme" or name in RANDOM:
            continue
        started = {"server.headless": True, "server.port": 8501, "browser.serverPort": 8501}
        ours = set_here | started
        if name == "server.baseUrlPath":
            assert len(calm[name]) == 32
        else:
            assert calm[name] == ours.get(name, value), name


def test_what_would_open_the_server_is_off(calm: dict[str, Any]) -> None:
    assert calm["server.enableAgentApi"] is False
    assert calm["server.address"] == "127.0.0.1"
    assert calm["server.enableXsrfProtection"] is True
    assert calm["server.corsAllowedOrigins"] == []
    assert calm["server.trustedUserHeaders"] == {}
    assert calm["browser.gatherUsageStats"] is False
    assert calm["client.disableDataExport"] is True
    assert calm["client.allowedOrigins"] == []
    assert calm["secrets"] is False


def test_our_theme_stays(calm: dict[str, Any]) -> None:
    assert calm["theme.light.primaryColor"] == "#1D2433"
    assert calm["theme.base"] is None


def test_no_address_of_this_computer_is_asked_for(calm: dict[str, Any]) -> None:
    assert calm["asked for"] == ["127.0.0.1", "127.0.0.1"]


def test_nobody_looks_for_a_console_or_for_packages_that_add_to_pages(tmp_path: Path) -> None:
    assert run(ASKED, tmp_path, tmp_path) == ["packages", "console"]
    assert run(ASKED, tmp_path, tmp_path, "pinned") == []
