"""The command `ranklens`: start the dashboard and print its URL. By default, only this computer has
access."""

from __future__ import annotations

import argparse
import errno
import gc
import ipaddress
import os
import re
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import FrameType

from dashboard import commands
from dashboard.environment import DATA_VARIABLE, WORKSPACE_VARIABLE, workspace_folder
from dashboard.serving.access.origin import NAMES, parse_origins
from metrics_core.base import heap, process_exit
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.installing import install_command
from metrics_core.base.version import __version__

ADDRESS = NAMES[0]
_BACKLOG = 128


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the dashboard in this process until it is stopped, and return the exit status. If the
    first argument is a subcommand, run the subcommand instead.

    There is no second process, so anything that ends this process (Ctrl-C, SIGTERM) ends the
    server."""
    command_line = sys.argv[1:] if arguments is None else list(arguments)
    if find_spec("streamlit") is None:
        command = install_command("app")
        print(f"The dashboard is not installed. Install it with: {command}", file=sys.stderr)
        return 2
    if command_line and command_line[0] in commands.COMMANDS:
        return commands.run_command(command_line[0], command_line[1:])
    # Set before numpy is imported: threads of a matrix product that wait for each other are many
    # times slower while other threads work. Work that benefits from several cores has its own
    # threads (`metrics_core.base.parallel`).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Files written from here on are private to this account.
    os.umask(0o077)
    signal.signal(signal.SIGTERM, _handle_signal)
    # An ignored SIGINT (`nohup`) stays ignored. KeyboardInterrupt is not used: if it passes through
    # an `exec`, as in the definition of each dataclass, Python drops the returned status.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle_signal)
    return process_exit.exit_with_status(lambda: _serve(_make_parser().parse_args(command_line)))


def _serve(options: argparse.Namespace) -> int:
    _allow_all_files()
    heap.keep_freed_memory(use_one_heap=True)
    # Imports create no garbage; collecting it would take a tenth of the start.
    gc.disable()
    try:
        _set_folder_variables(options)
        names = _find_server_names(options)
        listening = _open_socket(options.host, options.port)
        folder = workspace_folder()
        collection_id = _import_file(options.file, folder) if options.file else ""
    except (_RefusedError, RanklensError) as refused:
        print(w.escape_controls_in_lines(str(refused)), file=sys.stderr)
        return 2
    if options.until_eof:
        Thread(target=_exit_when_stdin_closes, name="end with the input", daemon=True).start()
    token = "" if options.no_token else _load_token(folder, renew=options.new_token)
    port = listening.getsockname()[1]
    fields = "&".join(
        filter(None, (token and f"token={token}", collection_id and f"set={collection_id}"))
    )
    path = options.base_path and f"{options.base_path}/"
    address = f"{parse_origins(names[0], port)[0]}/{path}{fields and f'?{fields}'}"
    print(f"Ranklens: {address}", flush=True)
    if not token:
        print(_OPEN_TO_ALL, file=sys.stderr, flush=True)
    if not options.host.is_loopback:
        print(_NOT_ENCRYPTED.format(options.host), file=sys.stderr, flush=True)
    # Started only now, because it takes a second.
    from dashboard.serving.server import serve
    from dashboard.temporary_folders import remove_abandoned_folders

    Thread(target=remove_abandoned_folders, name="abandoned folders", daemon=True).start()
    serve(listening, token, names, options.base_path)
    return 0


def _set_folder_variables(options: argparse.Namespace) -> None:
    """Set the environment variables for the folders named in the options. Raises _RefusedError."""
    if options.data:
        folder = _resolve_folder(options.data)
        if not folder.is_dir():
            raise _RefusedError(
                f"{options.data} is not a folder, but --data (DATA=) needs a folder of files."
            )
        os.environ[DATA_VARIABLE] = str(folder)
    if options.workspace:
        os.environ[WORKSPACE_VARIABLE] = str(_resolve_folder(options.workspace))


def _resolve_folder(name: str) -> Path:
    try:
        return Path(name).expanduser().resolve()
    except RuntimeError as error:
        raise _RefusedError(
            f"{name} refers to the home folder of an account that has no home folder; write the"
            " path in full."
        ) from error


def _import_file(name: str, folder: Path) -> str:
    """Import the collection in a file, and return the id of the collection. Raises _RefusedError
    and StorageError."""
    from dashboard.workspace import Workspace
    from dashboard.workspace.exports import report_data
    from dashboard.workspace.exports.packing import import_packed_collection, is_packed_collection

    path = _resolve_folder(name)
    if not path.is_file():
        raise _RefusedError(f"There is no file {name}.")
    if report_data.is_page_with_data(path):
        return import_packed_collection(
            Workspace(folder), report_data.extract_packed_collection(path), file=path.name
        ).id
    if is_packed_collection(path):
        return import_packed_collection(Workspace(folder), path, file=path.name).id
    raise _RefusedError(
        f"{name} contains no collection. A report contains a collection only if it was saved with"
        " the data."
    )


def _find_server_names(options: argparse.Namespace) -> list[str]:
    """Return the host names that a browser may use for the server. The first one is printed. Raises
    _RefusedError."""
    host = options.host
    if options.no_token and not host.is_loopback:
        raise _RefusedError(
            f"With --host {host}, --no-token would admit the whole network. Omit one of the two."
        )
    for name in options.allowed_host:
        if not parse_origins(name, options.port):
            raise _RefusedError(
                f"--allowed-host {name} is not a valid name. Use the first part of the address in"
                " the browser: server.example, server.example:9000 or https://server.example."
            )
    if host.is_unspecified or str(host) == ADDRESS:
        own_names = list(NAMES)
    else:
        own_names = [f"[{host}]" if host.version == 6 else str(host)]
    return [*options.allowed_host, *own_names]


def _allow_all_files() -> None:
    """Raise the limit of open files to the maximum that the operating system allows."""
    if os.name != "posix":
        return
    import resource

    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # macOS reports no limit, but may refuse more than this one.
    for allowed in (hard_limit, 10_240):
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard_limit))
            return


_OPEN_TO_ALL = (
    "Warning: --no-token lets every account and program on this computer read and delete everything"
    " in the workspace. Use it only behind a proxy that authenticates users (docs/security.md)."
)

_NOT_ENCRYPTED = (
    "Warning: --host {} lets other computers connect, and the connection is not encrypted: anyone"
    " who can read the network traffic can read the token and your data. Prefer an SSH tunnel, or a"
    " proxy with HTTPS (docs/security.md)."
)


def _load_token(folder: Path, *, renew: bool) -> str:
    """Return the workspace's token, or a new one if `renew` is true. If the token cannot be stored,
    return a token that is valid until the server ends."""
    from dashboard.serving.access.token import load_token, new_token

    try:
        return load_token(folder, renew=renew)
    except OSError as error:
        print(
            f"The workspace {w.escape_controls(str(folder))} cannot be made private to this account"
            f" ({error.strerror}), so the token is not saved. The address below is valid until"
            " Ranklens ends.",
            file=sys.stderr,
        )
        return new_token()


class _RefusedError(Exception):
    """Raised if a command cannot be run. The message is the reason as a sentence."""


def _open_socket(host: ipaddress.IPv4Address | ipaddress.IPv6Address, port: int) -> socket.socket:
    """Open a socket and listen on it at once, so that a page which is opened before the server is
    ready waits for it."""
    if not 0 <= port < 2**16:
        raise _RefusedError(
            f"{port} is not a port; a port is a number from 1 to 65535, or 0 for any."
        )
    listening = socket.socket(socket.AF_INET6 if host.version == 6 else socket.AF_INET)
    # Allow a port that was closed a moment ago.
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((str(host), port))
        listening.listen(_BACKLOG)
    except PermissionError as error:
        raise _RefusedError(
            f"This account may not use port {port}; choose a port from 1024 upwards."
        ) from error
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise _RefusedError(f"{host} is not an address of this computer.") from error
        raise _RefusedError(
            f"Port {port} is in use by another program or an earlier Ranklens. Choose"
            f" another one: make run PORT={_next_port(port)}, or --port {_next_port(port)}."
        ) from error
    return listening


def _next_port(port: int) -> int:
    return port + 1 if port + 1 < 2**16 else port - 1


def _exit_when_stdin_closes() -> None:
    """End this process when its standard input closes. The process that started this one holds the
    other end of the input. When that process ends for any reason, the operating system closes the
    input."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def _handle_signal(number: int, _: FrameType | None) -> None:
    process_exit.exit_within(128 + number)
    raise SystemExit(128 + number)


def _parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        message = f"{text!r} is not an IP address such as 0.0.0.0 or 192.168.1.5"
        raise argparse.ArgumentTypeError(message) from error


def _parse_path(text: str) -> str:
    if not re.fullmatch(r"[\w.~@/-]*", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a path such as /user/anna/ranklens")
    return text.strip("/")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ranklens",
        description="Compare retrieval runs in a browser.",
        epilog="; ".join(
            f"ranklens {name}: {description}" for name, description in commands.COMMANDS.items()
        ),
    )
    parser.add_argument(
        "file",
        nargs="?",
        help="a collection to import and open: a report saved with the data, or a downloaded zip",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--port", type=int, default=8501, help="port (default: 8501; 0: any free port)"
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        type=_parse_address,
        default=ADDRESS,
        help=f"IP address to listen on (default: {ADDRESS}, this computer only); 0.0.0.0: all"
        " addresses of this computer",
    )
    parser.add_argument(
        "--allowed-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another name under which browsers reach Ranklens: server.example,"
        " server.example:9000, or https://server.example behind a proxy; repeatable",
    )
    parser.add_argument(
        "--base-path",
        metavar="PATH",
        type=_parse_path,
        default="",
        help="prefix of all paths, such as /ranklens; for a proxy that does not remove it",
    )
    parser.add_argument("--data", help="open this folder's files instead of the samples")
    parser.add_argument("--workspace", help="folder in which files are kept between sessions")
    parser.add_argument(
        "--until-eof",
        action="store_true",
        help="end when standard input closes, for example when the program that started Ranklens"
        " ends",
    )
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--new-token",
        action="store_true",
        help="create a new token; earlier addresses no longer open Ranklens",
    )
    token.add_argument(
        "--no-token",
        action="store_true",
        help="admit everyone who can reach the port; use it only behind a proxy that authenticates"
        " users",
    )
    return parser
