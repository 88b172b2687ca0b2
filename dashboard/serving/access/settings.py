"""Streamlit's options. Only our config.toml and the defaults apply, whatever the current folder and
the environment contain.

Streamlit also reads options and secrets from the user's home folder and the current folder. Such an
option could open the server to the network, send usage statistics, or run the interface of a tool
beside the pages."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from streamlit import config

from dashboard.serving.access.origin import NAMES
from dashboard.streamlit_internals import prevent_outgoing_requests

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
ADDRESS = NAMES[0]


def set_server_options(*, port: int, base_path: str, origins: Iterable[str]) -> None:
    """Set every option of Streamlit. This must be called before the application is created. The
    application is served at these origins, below the path `base_path`."""
    prevent_outgoing_requests(ADDRESS, CONFIG)
    server_options = {
        "server.port": port,
        "browser.serverPort": port,
        "server.baseUrlPath": base_path,
    }
    # The starting process opens the browser. The cookie secret is the only option that Streamlit
    # takes from the environment without its command line.
    other_options = {
        "server.headless": True,
        "server.cookieSecret": secrets.token_hex(32),
        "server.allowedHosts": sorted({urlsplit(origin).hostname or "" for origin in origins}),
    }
    for name, value in (server_options | other_options).items():
        config.set_option(name, value)
