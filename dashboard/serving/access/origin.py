"""Checks of headers that show whether a request comes from one of our pages. Pages cannot set these
headers themselves.

A cookie does not show this: for a browser, pages on all ports of 127.0.0.1 are one site, and anyone
can point a domain name at 127.0.0.1, which makes it the origin of their page."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

NAMES = ("127.0.0.1", "localhost")
"""Names of this computer. By default, the server listens on the first."""

_READING = ("GET", "HEAD")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_ADDRESS = re.compile(r"(?:(https?)://)?([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?/?", re.ASCII)


def parse_origins(address: str, port: int) -> list[str]:
    """Return the origins of an address such as `NAME`, `NAME:PORT` or `https://NAME`. Returns [] if
    the address has none of these forms.

    If only a `NAME` is given, `port` is used. For the default port of a scheme, two origins are
    returned, because browsers omit this port and other programs may include it."""
    match = _ADDRESS.fullmatch(address.lower())
    if match is None:
        return []
    scheme, name, own_port = match.groups()
    own_port = own_port or (_DEFAULT_PORTS[scheme] if scheme else str(port))
    origin = f"{scheme or 'http'}://{name}"
    is_default = own_port == _DEFAULT_PORTS[scheme or "http"]
    return [*([origin] if is_default else []), f"{origin}:{own_port}"]


def is_same_origin_request(scope: Any, origins_served: Set[str]) -> bool:
    """Return whether the request of an ASGI scope goes to an origin of this server and comes from a
    page of that origin. A request that only reads is also accepted without the header Origin."""
    host_values = header_values(scope, b"host")
    host = b",".join(host_values).decode("latin-1")
    own_origins = {f"http://{host}", f"https://{host}"} & origins_served
    if not own_origins:
        return False
    origins = header_values(scope, b"origin")
    if origins:
        return b",".join(origins).decode("latin-1") in own_origins and _is_allowed_fetch(scope)
    # A browser omits Origin only if it reads, and never for a websocket.
    return scope["type"] == "http" and scope["method"] in _READING and _is_allowed_fetch(scope)


def _is_allowed_fetch(scope: Any) -> bool:
    """Return whether the request is allowed by its Sec-Fetch headers. It is refused if it was made
    for an image, script or frame of another page. Following a link on another page is allowed."""
    sites = header_values(scope, b"sec-fetch-site")
    if all(site in (b"same-origin", b"none") for site in sites):
        return True
    followed = header_values(scope, b"sec-fetch-mode"), header_values(scope, b"sec-fetch-dest")
    return followed == ([b"navigate"], [b"document"]) and scope.get("method") in _READING


def header_values(scope: Any, name: bytes) -> list[bytes]:
    """Return all values of a header, given its name in lower case."""
    return [value for key, value in scope["headers"] if key == name]
