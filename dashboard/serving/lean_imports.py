"""How libraries are loaded: at a start without what they load beside and nothing here uses, and
while pages run without missing any."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType


def load_streamlit() -> None:
    """Load Streamlit as where Plotly is not installed: it then makes no theme for Plotly's charts,
    of which ours use none, and which took a sixth of the time until the first answer."""
    with _not_there("plotly.io"):
        import_module("streamlit")


def load_parquet() -> None:
    """Load what reads tables as where Arrow was built without S3, which its list of file systems
    would else load; all of ours are here."""
    with _not_there("pyarrow._s3fs"):
        import_module("pyarrow.parquet")


@contextmanager
def _not_there(name: str) -> Iterator[None]:
    """Whoever asks for this module meanwhile is told that there is none."""
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


def load_distributions() -> None:
    """Load what intervals and tests are made with. scipy asks numpy for all that it offers, and so
    for its reader of Fortran and its tools for tests: half of the time, a third of the modules."""
    import numpy as np

    with _hidden(np, "f2py"), _hidden(np, "testing"):
        import_module("scipy.special")


@contextmanager
def _hidden(package: ModuleType, name: str) -> Iterator[None]:
    """An empty module in the place of one that the package loads when it is asked for; whoever
    asks for it afterwards is given the real one."""
    full = f"{package.__name__}.{name}"
    if full in sys.modules:
        yield
        return
    setattr(package, name, ModuleType(full))
    try:
        yield
    finally:
        # Not where somebody loaded the real one meanwhile.
        if full not in sys.modules:
            delattr(package, name)


def keep_on_path(folder: Path) -> None:
    """Let modules be looked for in a folder, after all others.

    Streamlit puts that of the app in front for each run of a page, unless it is there, and takes it
    away afterwards: whoever loads a module meanwhile, in another thread, passes over the next
    folder of the list, and where that holds the libraries, it is told that there is none.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
