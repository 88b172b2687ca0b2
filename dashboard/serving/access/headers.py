"""Security headers of every response."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
# Removed, because Streamlit sends `Access-Control-Allow-Origin: *` with our fonts.
_LEAVE = b"access-control-"
_ROOT_PATH = re.compile(rb"; *path=/(?=;|$)", re.IGNORECASE)


def security_headers(page: Path) -> list[tuple[bytes, bytes]]:
    """Return the headers for all responses. They allow an inline script to run only if the script
    is in the HTML file `page`."""
    return [
        (b"content-security-policy", _content_policy(page).encode()),
        (b"x-frame-options", b"DENY"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]


def _content_policy(page: Path) -> str:
    digests = (hashlib.sha256(script).digest() for script in _SCRIPT.findall(page.read_bytes()))
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return "; ".join(
        [
            "default-src 'self'",
            # Our components are sent as text and loaded from a blob.
            f"script-src 'self' blob: {inline}",
            # Streamlit and Plotly use inline styles.
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


def add_security_headers(
    message: dict[str, Any], added_headers: list[tuple[bytes, bytes]], base_path: str
) -> dict[str, Any]:
    """Add headers to the start of a response, and remove headers that let other pages read it.

    Cookies that Streamlit sets are limited to paths below `/base`, because browsers send a cookie
    without this limit to every port of the host."""
    path = b"; Path=/" + base_path.encode()
    names = {name for name, _ in added_headers}
    kept_headers = [
        (name, _ROOT_PATH.sub(path, value) if name.lower() == b"set-cookie" else value)
        for name, value in message.get("headers", [])
        if name.lower() not in names and not name.lower().startswith(_LEAVE)
    ]
    return {**message, "headers": [*kept_headers, *added_headers]}
