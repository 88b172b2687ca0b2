"""Access control as an ASGI application. It passes on only requests of the user of this
computer."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence, Set
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from starlette.responses import HTMLResponse, Response

from dashboard.serving.access import origin
from dashboard.serving.access.connection_limits import LET_IN
from dashboard.serving.access.headers import add_security_headers
from dashboard.serving.access.token import Keys

COOKIE = b"ranklens"
# A link from somebody else has the secret path of their server.
_SECRET_PATH = re.compile(r"/[0-9a-f]{32}(?=/|$)")
_FOLDER = Path(__file__).parent


def _load_refusal_page(name: str) -> bytes:
    """Return a refusal page, made from a text file. The heading of the text is also the page's
    title."""
    body = (_FOLDER / name).read_text("utf-8")
    title = body.partition("<h1>")[2].partition("</h1>")[0]
    frame = Template((_FOLDER / "refused.html").read_text("utf-8"))
    return frame.substitute(title=title, body=body).encode()


NOT_SIGNED_IN = _load_refusal_page("not_signed_in.html")
NO_WORKSPACE = _load_refusal_page("no_workspace.html")
"""The page that refuses requests to URLs without a secret path. For such a URL, the server cannot
know whether the browser has the cookie, because browsers send it only to URLs below a secret
path."""
_FRESH = {"cache-control": "no-store"}


class AccessControl:
    """An ASGI application that passes on requests which come from our pages and have the right
    cookie. It answers all other requests with status 403.

    A browser gets the cookie in exchange for the token, which is in the printed URL as `?token=`.
    If there are no keys (`--no-token`), only Host and Origin are checked."""

    def __init__(
        self,
        app: Any,
        *,
        origins: Set[str],
        keys: Keys | None,
        headers: Sequence[tuple[bytes, bytes]],
    ) -> None:
        """Wrap the application `app`, which serves at these origins, below `/keys.base`. `headers`
        are added to every response."""
        self._app = app
        self._origins = origins
        self._keys = keys
        self._headers = list(headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request or websocket, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        base = self._keys.base if self._keys else ""

        async def send_with_security_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = add_security_headers(message, self._headers, base)
            await send(message)

        if not origin.is_same_origin_request(scope, self._origins):
            await _refuse(scope, receive, send_with_security_headers)
        elif self._keys is None or self._has_cookie(scope, self._keys):
            _release_connection(scope)
            await self._app(scope, receive, send_with_security_headers)
        elif self._has_token(scope, self._keys):
            _release_connection(scope)
            [host] = origin.header_values(scope, b"host")
            is_https = f"http://{host.decode()}" not in self._origins
            response = _make_access_response(scope, self._keys, is_https=is_https)
            await response(scope, receive, send_with_security_headers)
        else:
            await _refuse(scope, receive, send_with_security_headers)

    def _has_cookie(self, scope: Any, keys: Keys) -> bool:
        return f"{scope['path']}/".startswith(f"/{keys.base}/") and any(
            _equals_secret(value, keys.cookie) for value in _cookie_values(scope)
        )

    def _has_token(self, scope: Any, keys: Keys) -> bool:
        return (
            scope["type"] == "http"
            and scope["method"] in ("GET", "HEAD")
            and any(_equals_secret(value, keys.token) for value in _split_query(scope)[0])
        )


def _release_connection(scope: Any) -> None:
    """Cancel the time limit of a connection after one of its requests was let in."""
    let_in = scope.get("state", {}).get(LET_IN)
    if let_in is not None:
        let_in()


def _make_access_response(scope: Any, keys: Keys, *, is_https: bool) -> Response:
    """Return a response that sets the cookie and redirects to the requested URL without the
    token."""
    path = scope["path"].removeprefix(f"/{keys.base}".rpartition("/")[0])
    path = quote(_SECRET_PATH.sub("", path) or "/", safe="/~!$&'()*+,;=:@")
    target = f"/{keys.base}{path}"
    if query := b"&".join(_split_query(scope)[1]):
        target += f"?{query.decode('latin-1')}"
    cookie = f"{COOKIE.decode()}={keys.cookie}; Path=/{keys.base}; HttpOnly; SameSite=Strict"
    cookie += "; Secure" if is_https else ""
    headers = {"location": target, "set-cookie": cookie, **_FRESH}
    return Response(status_code=303, headers=headers)


async def _refuse(scope: Any, receive: Any, send: Any) -> None:
    """Refuse a request with status 403.

    Every URL whose path looks like a secret path gets the same page, whether or not the path
    belongs to this server. The page therefore reveals neither this nor the reason for the refusal.
    A websocket is closed before it is accepted."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    page = NOT_SIGNED_IN if _SECRET_PATH.search(scope["path"]) else NO_WORKSPACE
    await HTMLResponse(page, 403, _FRESH)(scope, receive, send)


def _cookie_values(scope: Any) -> list[bytes]:
    """Return the values of all cookies that have the name of our cookie. There may be several,
    because another server on this host may have set one."""
    pairs = (
        part.strip().partition(b"=")
        for header in origin.header_values(scope, b"cookie")
        for part in header.split(b";")
    )
    return [value for name, _, value in pairs if name == COOKIE]


def _split_query(scope: Any) -> tuple[list[bytes], list[bytes]]:
    """Return the tokens in the query string, and its other fields unchanged."""
    fields = scope["query_string"].split(b"&")
    tokens = [unquote_to_bytes(f[6:]) for f in fields if f.startswith(b"token=")]
    return tokens, [f for f in fields if f and not f.startswith(b"token=")]


def _equals_secret(value: bytes, secret: str) -> bool:
    return hmac.compare_digest(value, secret.encode())
