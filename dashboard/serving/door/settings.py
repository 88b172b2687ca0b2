"""Streamlit's options: these, our theme, and its defaults; no other folder or variable is asked.

Streamlit reads a config.toml in the reader's home and in the folder where the command was called,
and takes options and secrets from there. An option of theirs could open the server to the network,
send usage statistics, or run a tool's interface beside the pages.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from streamlit import config

from dashboard.serving.door.origin import NAMES
from dashboard.streamlit_internals import ask_nowhere_else

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
    ask_nowhere_else(ADDRESS, THEME)
    served = {"server.port": port, "browser.serverPort": port, "server.baseUrlPath": base}
    # The one option that Streamlit takes from the environment without its command line.
    drawn = {"server.cookieSecret": secrets.token_hex(32)}
    for name, value in {**OPTIONS, **served, **drawn}.items():
        config.set_option(name, value)
