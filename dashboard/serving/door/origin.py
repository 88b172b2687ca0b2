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


def hosts(port: int) -> frozenset[bytes]:
    """The values of `Host` with which a browser asks for this port; it leaves out port 80."""
    named = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
    return frozenset(host.encode() for host in named)


def is_ours(scope: Any, served: Set[bytes]) -> bool:
    """Whether a request, an ASGI scope, goes to a host served here and comes from a page of that
    very host, or, where it only reads, from no page at all."""
    named = values(scope, b"host")
    if len(named) != 1 or named[0] not in served:
        return False
    origins = values(scope, b"origin")
    if origins:
        return origins == [b"http://" + named[0]] and _fetched_by_us(scope)
    # A browser leaves Origin out only where it reads, and never for a websocket.
    return scope["type"] == "http" and scope["method"] in _READING and _fetched_by_us(scope)


def _fetched_by_us(scope: Any) -> bool:
    """Not a picture, script or frame in another page; a link there that opens ours is followed."""
    sites = values(scope, b"sec-fetch-site")
    if all(site in (b"same-origin", b"none") for site in sites):
        return True
    followed = values(scope, b"sec-fetch-mode"), values(scope, b"sec-fetch-dest")
    return followed == ([b"navigate"], [b"document"]) and scope.get("method") in _READING


def values(scope: Any, name: bytes) -> list[bytes]:
    """All values of a header, by its name in small letters."""
    return [value for key, value in scope["headers"] if key == name]
