"""The server: Streamlit's application behind the door, in this process."""

from __future__ import annotations

import gc
import socket
import threading
from collections.abc import AsyncIterator
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
from dashboard.serving.access.repeated_messages import limit_repeated_messages
from dashboard.serving.access.settings import pin_options
from dashboard.serving.access.token import Keys, derive_keys
from dashboard.serving.first_paint import FirstPaint
from dashboard.serving.uploads.streaming import StreamedUploads
from dashboard.streamlit_internals import keep_on_path, static_folder
from dashboard.workspace.disk.scratch import ScratchFolder
from metrics_core.base import process_exit

_PAGE = Path(__file__).parents[1] / "app.py"
_BACKLOG = 2048


def make_application(port: int, opened_by: Keys | None) -> Any:
    """The ASGI application: the pages, what every HTML page is sent with, where
    long uploads are kept, and the door around."""
    base = opened_by.base if opened_by else ""
    pin_options(port=port, base=base)
    keep_on_path(_PAGE.parent)
    painted = Middleware(FirstPaint, base=base, pages=[page.name for page in PAGES])
    streamed = Middleware(
        StreamedUploads,
        base=base,
        largest=config.get_option("server.maxUploadSize") * 2**20,
        scratch=ScratchFolder(workspace_folder()),
    )
    app = App(_PAGE, middleware=[painted, streamed], lifespan=_lifespan)
    headers = security_headers(static_folder() / "index.html")
    return AccessControl(app, port=port, keys=opened_by, headers=headers)


def serve(listening: socket.socket, token: str) -> None:
    """Serve until a signal ends it, on a socket that listens on a port of this computer, for whom
    the token opens it, or for all where it is empty."""
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        make_application(port, derive_keys(token, port) if token else None),
        http=LimitedConnection,
        backlog=ACCEPTED_TOGETHER,
        # Streamlit's own choices; the rest would follow the environment.
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
    _Server(config).run(sockets=[listening])


@asynccontextmanager
async def _lifespan(_: App) -> AsyncIterator[None]:
    """What is done before the first answer, for the first visitor waits for all of it: what he will
    see is opened, and meanwhile what draws it is loaded, which needs Streamlit's runtime. What is
    opened with was loaded before, for two threads that load the same modules see them half done.
    From here on there is garbage, but not among what was loaded.
    """
    from dashboard.session.warm_up import warm_up

    pages = [f"dashboard.app_pages.{page.name}" for page in PAGES]
    thread_name = "opening of what is seen first"
    Thread(target=warm_up, args=(pages,), name=thread_name, daemon=True).start()
    import_module("dashboard.app_pages.overview")
    import_module("dashboard.app_pages.frame")
    # What compares needs it, and the files are still being read.
    Thread(target=import_module, args=("scipy.special",), daemon=True).start()
    gc.freeze()
    gc.enable()
    yield


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state = WaitingConnections()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve. More may wait to be accepted than are at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end. A computation that still runs then cannot keep the process, and that it
        gets no more threads is nothing to print."""
        threading.excepthook = lambda _: None
        process_exit.exit_within(128 + sig)
        super().handle_exit(sig, frame)
