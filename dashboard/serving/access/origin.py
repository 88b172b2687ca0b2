"""Decide from headers that no page can set whether a request comes from one of our pages.

A cookie does not show this: pages on all ports of 127.0.0.1 are one site to a browser, and anyone
can point a domain name at 127.0.0.1, which makes it the origin of their page.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

NAMES = ("127.0.0.1", "localhost")
"""Names of this computer; the server listens on the first."""

_READING = ("GET", "HEAD")


def allowed_hosts(port: int) -> frozenset[bytes]:
    """The values of `Host` for this port; browsers omit port 80."""
    host_names = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
    return frozenset(host.encode() for host in host_names)


def is_same_origin_request(scope: Any, hosts_served: Set[bytes]) -> bool:
    """Whether the request of an ASGI scope goes to a host of this server and comes from a page of
    that host. A request that only reads may also come from no page."""
    host_values = header_values(scope, b"host")
    if len(host_values) != 1 or host_values[0] not in hosts_served:
        return False
    origins = header_values(scope, b"origin")
    if origins:
        return origins == [b"http://" + host_values[0]] and _is_fetched_by_us(scope)
    # A browser omits Origin only if it reads, and never for a websocket.
    return scope["type"] == "http" and scope["method"] in _READING and _is_fetched_by_us(scope)


def _is_fetched_by_us(scope: Any) -> bool:
    """Whether the request was not made for an image, script or frame of another page. Following a
    link from another page is allowed."""
    sites = header_values(scope, b"sec-fetch-site")
    if all(site in (b"same-origin", b"none") for site in sites):
        return True
    followed = header_values(scope, b"sec-fetch-mode"), header_values(scope, b"sec-fetch-dest")
    return followed == ([b"navigate"], [b"document"]) and scope.get("method") in _READING


def header_values(scope: Any, name: bytes) -> list[bytes]:
    """All values of a header, by its lower-case name."""
    return [value for key, value in scope["headers"] if key == name]
