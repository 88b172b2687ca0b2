"""Styles that are inserted into the HTML page itself: the style sheet of the app, and a rule that
hides the app at first.

The style sheet is sent once, before the content that it styles. If it were sent with each response,
it would be most of the data, and the browser would restyle the whole page each time.

Streamlit draws a placeholder and its sidebar before it receives our page, and moves both when the
page arrives. The rule hides the app until there is something to show, so that nothing moves
visibly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from dashboard.address.address import NO_PAGE
from dashboard.app_pages.parts.style_sheet import style_sheet

# After some seconds it is shown in any case: it may be an error of Streamlit.
_RULE = (
    b"<style>@keyframes late{to{visibility:visible}}"
    b".stApp:not(:has(.lens)){visibility:hidden;animation:late 0s 8s forwards}</style></head>"
)
_CHANGED = (b"content-length", b"etag")


class FirstPaint:
    """ASGI middleware that adds two things to every HTML page: the style sheet of the app, and a
    CSS rule that hides the app until there is something to show."""

    def __init__(self, app: Any, *, base: str, pages: Sequence[str]) -> None:
        """Wrap the application `app`. It serves one page for each name in `pages`, below `/base`;
        the first page is served at `/base` itself."""
        self._app, self._base, self._pages = app, f"/{base}" if base else "", pages

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http" or "." in scope["path"].rpartition("/")[2]:
            await self._app(scope, receive, send)
            return
        # A compressed page could not be changed; it is small.
        headers = [(k, v) for k, v in scope["headers"] if k != b"accept-encoding"]
        held_response = _HeldResponse(send, self._redirect_target(scope))
        await self._app({**scope, "headers": headers}, receive, held_response)

    def _redirect_target(self, scope: Any) -> str:
        """Return the target of a redirect if the path is not a page: the first page, with the
        unknown name as a parameter. Returns "" if the path is a page.

        Without the redirect, Streamlit would show the first page and add a history entry, so that
        the Back button would lead in circles."""
        first, *other_pages = self._pages
        page = scope["path"].removeprefix(self._base).strip("/")
        if not page or page in other_pages:
            return ""
        query = scope["query_string"].decode("latin-1")
        parameter = "" if page == first else urlencode({NO_PAGE.name: page})
        return f"{self._base}/?{'&'.join(filter(None, (query, parameter)))}"


class _HeldResponse:
    """A function object that passes on the messages of a response. It collects an HTML page until
    the page is complete, adds the styles, and sends it. If there is a `target`, it sends a redirect
    to the target in place of an HTML page."""

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
        start, self._start = self._start, None
        if self._target:
            body, headers = b"", [(b"location", self._target.encode())]
            start["status"] = 303
        else:
            # After Streamlit's own styles, which are in the head, and before those of a page's
            # components.
            sheet = f"<body><style>{style_sheet()}</style>".encode()
            body = self._body.replace(b"</head>", _RULE, 1).replace(b"<body>", sheet, 1)
            headers = [(k, v) for k, v in start["headers"] if k.lower() not in _CHANGED]
        length = (b"content-length", str(len(body)).encode())
        await self._send({**start, "headers": [*headers, length]})
        await self._send({"type": "http.response.body", "body": body})


def _is_html(message: dict[str, Any]) -> bool:
    return any(
        k.lower() == b"content-type" and v.startswith(b"text/html") for k, v in message["headers"]
    )
