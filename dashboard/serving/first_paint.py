"""What the page that loads the app brings along: how everything looks, and one rule.

The style sheet comes once and never later than what it styles; sent with each answer it would be
most of it, and the browser would style all of the page anew each time.

Streamlit draws a placeholder and its sidebar before it has anything of ours, and moves both when
the page comes: nothing is to jump. So the rule is to show the app when it has something to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from dashboard.address.address import NO_PAGE
from dashboard.app_pages.parts.style_sheet import style_sheet

# After some seconds it is shown whatever it holds, an error of Streamlit's own for example.
_RULE = (
    b"<style>@keyframes late{to{visibility:visible}}"
    b".stApp:not(:has(.lens)){visibility:hidden;animation:late 0s 8s forwards}</style></head>"
)
_CHANGED = (b"content-length", b"etag")


class FirstPaint:
    """ASGI middleware that adds rule and style sheet to every HTML page it passes on."""

    def __init__(self, app: Any, *, base: str, pages: Sequence[str]) -> None:
        """`app` is the application whose pages are passed on; it serves those of these names below
        `/base`, the first at its root."""
        self._app, self._base, self._pages = app, f"/{base}" if base else "", pages

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http" or "." in scope["path"].rpartition("/")[2]:
            await self._app(scope, receive, send)
            return
        # Packed, the page could not be read; it is small.
        headers = [(k, v) for k, v in scope["headers"] if k != b"accept-encoding"]
        held_response = _HeldResponse(send, self._redirect_target(scope))
        await self._app({**scope, "headers": headers}, receive, held_response)

    def _redirect_target(self, scope: Any) -> str:
        """Where a path leads that is no page's: to the first page, which names it. Streamlit would
        show the first page and add an entry to the history, to which Back returns in circles."""
        first, *other_pages = self._pages
        page = scope["path"].removeprefix(self._base).strip("/")
        if not page or page in other_pages:
            return ""
        query = scope["query_string"].decode("latin-1")
        parameter = "" if page == first else urlencode({NO_PAGE.name: page})
        return f"{self._base}/?{'&'.join(filter(None, (query, parameter)))}"


class _HeldResponse:
    """Passes messages on; those of an HTML page only once it is whole, with what is added, or the
    address that is to be asked for in its place."""

    def __init__(self, send: Any, target: str) -> None:
        self._send, self._target = send, target
        self._start: dict[str, Any] | None = None
        self._body = b""

    async def __call__(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start" and _is_html(message):
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        if self._target:
            await self._redirect()
            return
        # Behind Streamlit's own styles, which are in the head, and before those of a page's parts.
        sheet = f"<body><style>{style_sheet()}</style>".encode()
        body = self._body.replace(b"</head>", _RULE, 1).replace(b"<body>", sheet, 1)
        headers = [(k, v) for k, v in self._start["headers"] if k.lower() not in _CHANGED]
        length = (b"content-length", str(len(body)).encode())
        await self._send({**self._start, "headers": [*headers, length]})
        await self._send({"type": "http.response.body", "body": body})
        self._start = None

    async def _redirect(self) -> None:
        headers = [(b"location", self._target.encode()), (b"content-length", b"0")]
        await self._send({"type": "http.response.start", "status": 303, "headers": headers})
        await self._send({"type": "http.response.body", "body": b""})
        self._start = None


def _is_html(message: dict[str, Any]) -> bool:
    return any(
        k.lower() == b"content-type" and v.startswith(b"text/html") for k, v in message["headers"]
    )
