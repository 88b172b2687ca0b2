"""Whether a request comes from our own page: a browser says so in headers no page can set.

A cookie does not show it. Pages on all ports of 127.0.0.1 are one site to a browser, and a name
that its owner points at 127.0.0.1 is the origin of his page.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

NAMES = ("127.0.0.1", "localhost")
"""What this computer calls itself; the server listens on the first."""

_READING = ("GET", "HEAD")


def allowed_hosts(port: int) -> frozenset[bytes]:
    """The values of `Host` with which a browser asks for this port; it leaves out port 80."""
    host_names = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
    return frozenset(host.encode() for host in host_names)


def is_own_request(scope: Any, hosts_served: Set[bytes]) -> bool:
    """Whether a request, an ASGI scope, goes to a host served here and comes from a page of that
    very host, or, where it only reads, from no page at all."""
    host_values = header_values(scope, b"host")
    if len(host_values) != 1 or host_values[0] not in hosts_served:
        return False
    origins = header_values(scope, b"origin")
    if origins:
        return origins == [b"http://" + host_values[0]] and _is_fetched_by_us(scope)
    # A browser leaves Origin out only where it reads, and never for a websocket.
    return scope["type"] == "http" and scope["method"] in _READING and _is_fetched_by_us(scope)


def _is_fetched_by_us(scope: Any) -> bool:
    """Not a picture, script or frame in another page; a link there that opens ours is followed."""
    sites = header_values(scope, b"sec-fetch-site")
    if all(site in (b"same-origin", b"none") for site in sites):
        return True
    followed = header_values(scope, b"sec-fetch-mode"), header_values(scope, b"sec-fetch-dest")
    return followed == ([b"navigate"], [b"document"]) and scope.get("method") in _READING


def header_values(scope: Any, name: bytes) -> list[bytes]:
    """All values of a header, by its name in small letters."""
    return [value for key, value in scope["headers"] if key == name]
