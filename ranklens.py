"""The public interface: all of `metrics_core`, and `show`, which draws a comparison in a notebook.

    >>> import ranklens
    >>> ranklens.evaluate("bm25.run", "qrels.txt", ["nDCG@10"])  # doctest: +SKIP
    >>> ranklens.show(["bm25.run", "dense.run"], "qrels.txt")  # doctest: +SKIP

A name is imported when it is first used. Only `show` needs the dashboard's packages.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import metrics_core
from metrics_core import __version__ as __version__

if TYPE_CHECKING:
    from dashboard.notebook import show as show
    from metrics_core import *  # noqa: F403

__all__ = metrics_core.__all__
"""Without `show`, so that `from ranklens import *` works where the dashboard is not installed."""


def __getattr__(name: str) -> Any:
    """Import a public name on first use. Raises ImportError for `show` without the dashboard."""
    if name in __all__:
        return getattr(metrics_core, name)
    if name != "show":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("streamlit") is None:
        from metrics_core.base.installing import install_command

        command = install_command("app")
        raise ImportError(f"show needs the dashboard, which is not installed: {command}")
    from dashboard.notebook import show

    return show


def __dir__() -> list[str]:
    return [*__all__, "show"]
