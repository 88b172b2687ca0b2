"""All that is used of Streamlit and that it does not promise: names with an underscore, modules of
its inside, habits. A test names the version for which it was looked at; with another one, each
function here is looked at again."""

from __future__ import annotations

import sys
from pathlib import Path

from streamlit import config, delta_generator, file_util, net_util
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFile as FileOfUploader

UPLOADS = r"/_stcore/upload_file/([^/]+)/([^/]+)"
"""The path that a browser sends a file to: of a session, and of a file."""

__all__ = [
    "UPLOADS",
    "FileOfUploader",
    "ask_nowhere_else",
    "draw_again",
    "is_served_by_streamlit",
    "keep_on_path",
    "page_run",
    "static_folder",
]


def ask_nowhere_else(address: str, options: Path) -> None:
    """Have Streamlit read no options but those of this file, and ask nobody what address this
    computer has, as it would a server in the internet; nor look through all packages that are
    installed for what they add to pages, nor, with the first element, for a console. Either of
    these takes a quarter of a second of a start."""

    def get_config_files(file_name: str) -> list[str]:
        return [str(options)] if file_name == options.name else []

    config.get_config_files = get_config_files
    config.get_config_options(force_reparse=True)
    net_util._external_ip = net_util._internal_ip = address
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    delta_generator._use_warning_has_been_displayed = True


def keep_on_path(folder: Path) -> None:
    """Let modules be looked for in a folder, after all others.

    Streamlit puts that of the app in front for each run of a page, unless it is there, and takes it
    away afterwards: whoever loads a module meanwhile, in another thread, passes over the next
    folder of the list, and where that holds the libraries, it is told that there is none.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def is_served_by_streamlit() -> bool:
    """Whether the server is that of `streamlit run`, without anything of our own around it."""
    return config._server_mode == "starlette-managed"


def static_folder() -> Path:
    """Where the files are that a browser loads."""
    return Path(file_util.get_static_dir())


def page_run() -> ScriptRunContext | None:
    """The run of a page that this thread is; None in other threads."""
    return get_script_run_ctx(suppress_warning=True)


def draw_again(run: ScriptRunContext) -> None:
    """Draw the page once more with the widgets as they are; does not return."""
    # Raised, not requested: what was clicked meanwhile stands in the queue, and comes after it.
    raise RerunException(
        RerunData(
            query_string=run.query_string,
            page_script_hash=run.page_script_hash,
            widget_states=WidgetStates(widgets=run.session_state.get_widget_states()),
            cached_message_hashes=run.cached_message_hashes,
            context_info=run.context_info,
        )
    )
