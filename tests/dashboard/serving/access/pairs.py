"""Pairs of Host and Origin, for a server on `PORT`; None: the header is not sent.

Each refused pair is tried over HTTP, as an upload and as a websocket, by the unit tests and against
a real server.
"""

from __future__ import annotations

Pair = tuple[str | None, str | None]

REFUSED: dict[str, Pair] = {
    "a page on another port": ("127.0.0.1:PORT", "http://127.0.0.1:9999"),
    "a page on the usual port": ("127.0.0.1:PORT", "http://127.0.0.1"),
    "our page by its other name": ("127.0.0.1:PORT", "http://localhost:PORT"),
    "and the other way round": ("localhost:PORT", "http://127.0.0.1:PORT"),
    "another scheme": ("127.0.0.1:PORT", "https://127.0.0.1:PORT"),
    "a websocket's scheme": ("127.0.0.1:PORT", "ws://127.0.0.1:PORT"),
    "a file or a sandboxed frame": ("127.0.0.1:PORT", "null"),
    "nothing in Origin": ("127.0.0.1:PORT", ""),
    "a page in the internet": ("127.0.0.1:PORT", "https://evil.example"),
    "one that begins like ours": ("127.0.0.1:PORT", "http://127.0.0.1:PORT.evil.example"),
    "one with a longer port": ("127.0.0.1:PORT", "http://127.0.0.1:PORT0"),
    "one with our name as user": ("127.0.0.1:PORT", "http://127.0.0.1:PORT@evil.example"),
    "two in one": ("127.0.0.1:PORT", "http://127.0.0.1:PORT http://evil.example"),
    "an extension of the browser": ("127.0.0.1:PORT", "chrome-extension://abcdef"),
    "a rebound name": ("rebound.test:PORT", "http://rebound.test:PORT"),
    "a rebound name that only reads": ("rebound.test:PORT", None),
    "a rebound name that says our origin": ("rebound.test:PORT", "http://127.0.0.1:PORT"),
    "a name below localhost": ("evil.localhost:PORT", "http://evil.localhost:PORT"),
    "a name that ends in a dot": ("localhost.:PORT", "http://localhost.:PORT"),
    "another port in Host": ("127.0.0.1:9999", "http://127.0.0.1:9999"),
    "no port in Host": ("127.0.0.1", "http://127.0.0.1"),
    "another address of this computer": ("127.0.0.2:PORT", "http://127.0.0.2:PORT"),
    "every address": ("0.0.0.0:PORT", "http://0.0.0.0:PORT"),
    "the address of IPv6, not served": ("[::1]:PORT", "http://[::1]:PORT"),
    "a number that is our address": ("2130706433:PORT", "http://2130706433:PORT"),
    "our name as user in Host": ("evil@127.0.0.1:PORT", "http://127.0.0.1:PORT"),
    "an empty Host": ("", "http://127.0.0.1:PORT"),
}

ADMITTED: dict[str, Pair] = {
    "our page": ("127.0.0.1:PORT", "http://127.0.0.1:PORT"),
    "our page by its other name": ("localhost:PORT", "http://localhost:PORT"),
}


def headers_of(pair: Pair, port: int) -> dict[str, str]:
    """The headers of a pair, for a server on this port."""
    named = zip(("Host", "Origin"), pair, strict=True)
    return {name: value.replace("PORT", str(port)) for name, value in named if value is not None}
