"""All uses of Streamlit that its documentation does not guarantee: private names, internal modules,
undocumented behaviour.

A test names the Streamlit version for which this module was checked. If another version is used,
check each function again."""

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
"""Pattern of the paths to which a browser uploads files. Its groups are the session id and the file
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
    """Make Streamlit read only the options in the file `options_file`, and skip outgoing requests
    and slow steps at its start.

    Otherwise, Streamlit would ask a server on the internet for this computer's IP address, search
    all installed packages for components, and check for a console when the first element is drawn.
    The search and the check take a quarter of a second each."""

    def get_config_files(file_name: str) -> list[str]:
        return [str(options_file)] if file_name == options_file.name else []

    config.get_config_files = get_config_files
    config.get_config_options(force_reparse=True)
    net_util._external_ip = net_util._internal_ip = address
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    delta_generator._use_warning_has_been_displayed = True


def append_to_module_path(folder: Path) -> None:
    """Append a folder to the module search path, so that Streamlit does not change the path.

    For each run of a page, Streamlit puts the app's folder at the start of the path, unless it is
    in the path already, and removes it afterwards. If another thread is importing a module at this
    moment, the import skips the next folder in the path. If the skipped folder contains the
    libraries, the import fails."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def is_served_by_streamlit() -> bool:
    """Return whether the app is served by `streamlit run`, and therefore without the access control
    and the other parts of Ranklens's own server."""
    return config._server_mode == "starlette-managed"


def static_folder() -> Path:
    """Return the folder with the files that a browser loads."""
    return Path(file_util.get_static_dir())


def current_page_run() -> ScriptRunContext | None:
    """Return Streamlit's context of the page that this thread is drawing. Returns None if the
    thread draws no page."""
    return get_script_run_ctx(suppress_warning=True)


def redraw_page(page_context: ScriptRunContext) -> None:
    """Draw the page once more with the present values of its widgets. This function does not
    return."""
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
