"""The server: Streamlit's application behind the access control, in this process."""

from __future__ import annotations

import gc
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any

import uvicorn
from starlette.middleware import Middleware
from streamlit import config
from streamlit.starlette import App

from dashboard.app_pages.menu import PAGES
from dashboard.environment import workspace_folder
from dashboard.serving.access.access_control import AccessControl
from dashboard.serving.access.connection_limits import (
    ACCEPTED_TOGETHER,
    LimitedConnection,
    WaitingConnections,
)
from dashboard.serving.access.headers import security_headers
from dashboard.serving.access.origin import NAMES, parse_origins
from dashboard.serving.access.repeated_messages import limit_repeated_messages
from dashboard.serving.access.settings import set_server_options
from dashboard.serving.access.token import Keys, derive_keys
from dashboard.serving.first_paint import FirstPaint
from dashboard.serving.uploads.streaming import StreamedUploads
from dashboard.streamlit_internals import append_to_module_path, static_folder
from dashboard.workspace.disk.scratch import ScratchFolder
from metrics_core.base import process_exit

_PAGE = Path(__file__).parents[1] / "app.py"
_BACKLOG = 2048


def make_application(
    port: int, keys: Keys | None, host_names: Sequence[str] = NAMES, path_prefix: str = ""
) -> Any:
    """Return the ASGI application: the pages, their styles, the handling of long uploads, and the
    access control around them.

    `keys` are the keys that give access, or None for no keys. `host_names` are the host names that
    a browser may use for the server. `path_prefix` is the beginning of all paths. It is only used
    if there are no keys, because the keys already contain it."""
    base = keys.base if keys else path_prefix
    origins = {origin for name in host_names for origin in parse_origins(name, port)}
    set_server_options(port=port, base_path=base, origins=origins)
    append_to_module_path(_PAGE.parent)
    painted = Middleware(FirstPaint, base=base, pages=[page.name for page in PAGES])
    streamed = Middleware(
        StreamedUploads,
        base=base,
        largest=config.get_option("server.maxUploadSize") * 2**20,
        scratch=ScratchFolder(workspace_folder()),
    )
    app = App(_PAGE, middleware=[painted, streamed], lifespan=_lifespan)
    headers = security_headers(static_folder() / "index.html")
    return AccessControl(app, origins=origins, keys=keys, headers=headers)


def serve(
    listening_socket: socket.socket, token: str, host_names: Sequence[str], path_prefix: str
) -> None:
    """Serve on a socket that listens on a port of this computer, until a signal stops the server.
    If the token is empty, everybody on this computer has access. All paths begin with
    `path_prefix`."""
    port = listening_socket.getsockname()[1]
    config = uvicorn.Config(
        make_application(
            port, derive_keys(token, port, path_prefix) if token else None, host_names, path_prefix
        ),
        http=LimitedConnection,
        backlog=ACCEPTED_TOGETHER,
        # Streamlit's own choices; the others would depend on the environment.
        ws="websockets-sansio",
        ws_max_size=32 * 2**20,
        ws_ping_interval=30,
        ws_ping_timeout=30,
        ws_per_message_deflate=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        use_colors=False,
        timeout_graceful_shutdown=process_exit.EXIT_TIMEOUT // 2,
    )
    limit_repeated_messages()
    _Server(config).run(sockets=[listening_socket])


@asynccontextmanager
async def _lifespan(_: App) -> AsyncIterator[None]:
    """Prepare the data of the first page before the first response.

    The collection is loaded in a thread. At the same time, this function imports the modules that
    draw the collection, which need Streamlit's runtime. The modules that load a collection are
    imported earlier, because two threads that import the same modules may see them incomplete.
    Garbage collection starts here and ignores the objects that exist so far."""
    from dashboard.session.warm_up import warm_up

    pages = [f"dashboard.app_pages.{page.name}" for page in PAGES]
    thread_name = "loading the first page"
    Thread(target=warm_up, args=(pages,), name=thread_name, daemon=True).start()
    import_module("dashboard.app_pages.overview")
    import_module("dashboard.app_pages.frame")
    # Comparisons need it; import it while the files are still being read.
    Thread(target=import_module, args=("scipy.special",), daemon=True).start()
    gc.freeze()
    gc.enable()
    yield


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state = WaitingConnections()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving. The sockets get a longer backlog, so that they can queue more connections
        than are accepted at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to shut down. The process ends even if a computation is still running. If such a
        computation fails because it cannot start more threads, the error is not printed."""
        threading.excepthook = lambda _: None
        process_exit.exit_within(128 + sig)
        super().handle_exit(sig, frame)
