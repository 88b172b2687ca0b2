"""Streamlit's options: these, our theme, and its defaults; no other folder or variable is asked.

Streamlit reads a config.toml in the reader's home and in the folder where the command was called,
and takes options and secrets from there. An option of theirs could open the server to the network,
send usage statistics, or run a tool's interface beside the pages.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from streamlit import config, delta_generator, net_util
from streamlit.components.v2 import manifest_scanner

from dashboard.serving.door.origin import NAMES

THEME = Path(__file__).parents[2] / ".streamlit" / "config.toml"
ADDRESS = NAMES[0]

OPTIONS: dict[str, Any] = {
    "global.developmentMode": False,
    "server.address": ADDRESS,
    "server.allowedHosts": list(NAMES),
    "server.headless": True,
    "server.showEmailPrompt": False,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.allowRunOnSave": False,
    "server.enableStaticServing": True,
    "server.maxUploadSize": 1024,
    "server.disconnectedSessionTTL": 120,
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.xsrfCookieSameSite": "strict",
    "server.enableAgentApi": False,
    "browser.serverAddress": ADDRESS,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "client.showSidebarNavigation": False,
    # A cell may begin like a formula; our own files escape it, the grid's do not.
    "client.disableDataExport": True,
    # Whose pages may send messages into ours.
    "client.allowedOrigins": [],
    "runner.magicEnabled": False,
    # Streamlit collects garbage after every run, for all sessions at once; Python's own is enough.
    "runner.postScriptGC": False,
    "secrets.files": [],
}
"""What differs from Streamlit's defaults, or would be a danger if it did."""


def pin(*, port: int, base: str) -> None:
    """Set every option, before the application is made; `base` is the path it is served below."""
    config.get_config_files = _ours
    config.get_config_options(force_reparse=True)
    served = {"server.port": port, "browser.serverPort": port, "server.baseUrlPath": base}
    # The one option that Streamlit takes from the environment without its command line.
    drawn = {"server.cookieSecret": secrets.token_hex(32)}
    for name, value in {**OPTIONS, **served, **drawn}.items():
        config.set_option(name, value)
    # Streamlit asks a server in the internet for them, unless it knows them.
    net_util._external_ip = net_util._internal_ip = ADDRESS
    # It looks through all packages that are installed for what they add to pages: to ours, nothing.
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    # With the first element it finds out whether it runs in a console, to say that it should not.
    # Either takes a quarter of a second of a start.
    delta_generator._use_warning_has_been_displayed = True


def _ours(file_name: str) -> list[str]:
    return [str(THEME)] if file_name == THEME.name else []
