"""All uses of Streamlit that its documentation does not promise: private names, internal modules,
behaviour.

A test names the version for which this was checked; with another version, check each function
again.
"""

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
"""Pattern of the paths to which a browser uploads files. The groups are the session id and the file
id."""

__all__ = [
    "UPLOADS",
    "FileOfUploader",
    "append_to_module_path",
    "current_page_run",
    "is_served_by_streamlit",
    "prevent_outgoing_requests",
    "redraw_page",
    "static_folder",
]


def prevent_outgoing_requests(address: str, options_file: Path) -> None:
    """Restrict Streamlit to the options in the file `options_file`, and skip slow steps and
    outgoing requests of its start.

    Otherwise, Streamlit would ask a server on the internet for this computer's IP address, search
    all installed packages for components, and look for a console when the first element is drawn.
    Each of the latter two takes a quarter of a second.
    """

    def get_config_files(file_name: str) -> list[str]:
        return [str(options_file)] if file_name == options_file.name else []

    config.get_config_files = get_config_files
    config.get_config_options(force_reparse=True)
    net_util._external_ip = net_util._internal_ip = address
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    delta_generator._use_warning_has_been_displayed = True


def append_to_module_path(folder: Path) -> None:
    """Append a folder to the module search path.

    Streamlit prepends the app's folder for each run of a page, unless it is in the path, and
    removes it afterwards. A module import in another thread meanwhile skips the next folder of the
    list; if that contains the libraries, the import fails.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def is_served_by_streamlit() -> bool:
    """Whether the server is `streamlit run`, without the layers that Ranklens adds around it."""
    return config._server_mode == "starlette-managed"


def static_folder() -> Path:
    """The folder of the files that a browser loads."""
    return Path(file_util.get_static_dir())


def current_page_run() -> ScriptRunContext | None:
    """The page run of this thread; None in other threads."""
    return get_script_run_ctx(suppress_warning=True)


def redraw_page(page_context: ScriptRunContext) -> None:
    """Draw the page once more with the current widgets; does not return."""
    # Raised rather than requested, so that clicks in the queue are handled after it.
    raise RerunException(
        RerunData(
            query_string=page_context.query_string,
            page_script_hash=page_context.page_script_hash,
            widget_states=WidgetStates(widgets=page_context.session_state.get_widget_states()),
            cached_message_hashes=page_context.cached_message_hashes,
            context_info=page_context.context_info,
        )
    )
