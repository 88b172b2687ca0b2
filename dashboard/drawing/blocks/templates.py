"""Templates: the markup of a part stands in `NAME.html.j2` beside `NAME.py`, one macro a part.

The function in `NAME.py` decides what is said and in which order; the macro writes it down. Every
text is escaped where it is written, unless it is `Markup` already, and a value that was not given
is an error. Line breaks next to a tag are layout of the source and do not reach the page, where
they would be blanks between words; a blank that is meant stands within its line, or as {{ " " }}.
"""

from __future__ import annotations

import hashlib
import re
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from markupsafe import Markup, escape

from dashboard.drawing.blocks.table import Column
from metrics_core.base import wording as w
from metrics_core.base.whole_files import read_sealed, write_sealed
from metrics_core.scoring.intervals import LEVEL

_HERE = Path(__file__).parent

_LAYOUT = re.compile(
    r"(?:(?<=>)|(?<=%\}))\s*\n\s*"  # after a tag
    r"|\s*\n\s*(?=<|\{%|\Z)"  # before one, and at the end
    r"|(?<=\}\})\s*\n\s*(?=\{\{)"  # between two values
)


class _Layout(Extension):
    """Takes the layout of the source out of a template before it is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _LAYOUT.sub("", source)


class _Compiled(BytecodeCache):
    """Templates as bytecode, sealed, where Python keeps that of the modules beside them: compiling
    all takes a quarter of a second of every start."""

    def __init__(self, folder: Path) -> None:
        source = Path(__file__).read_bytes() + version("jinja2").encode()
        self._folder, self._made = folder, hashlib.blake2b(source, digest_size=8).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """What was kept, if it is whole: Python runs bytecode as it is given."""
        bytecode = read_sealed(self._path(bucket))
        if bytecode is not None:
            bucket.bytecode_from_string(bytes(bytecode))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, if the folder may be written."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            write_sealed(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{self._made}-{bucket.key}.j2c"


def with_code(text: str) -> Markup:
    """A message in which `backticks` mark what stands in a file."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def words_of(name: str) -> list[str]:
    """The words of a name, each with what joins it to the next."""
    return re.findall(r"[^_./+-]*[_./+-]+|[^_./+-]+", name)


def percent(share: float) -> str:
    """A length as CSS, kept within its track."""
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def tone(value: float | None, digits: int = 3) -> str:
    """ "better" or "worse" by the sign that is shown, "" for zero and for no value."""
    text = w.format_difference(value, digits)
    if text.startswith("+"):
        return "better"
    return "worse" if text.startswith(w.MINUS) else ""


def is_known(value: object) -> bool:
    """Whether there is a value: neither None nor NaN nor pandas' NA."""
    return value is not None and value is not pd.NA and value == value


def environment(compiled: Path = _HERE / "__pycache__") -> Environment:
    """What the templates are read with, and what they can call; `compiled` is the folder that keeps
    them as bytecode."""
    jinja = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=[_Layout],
        auto_reload=False,
        bytecode_cache=_Compiled(compiled),
    )
    jinja.globals |= {"w": w, "LEVEL": LEVEL, "Column": Column}
    jinja.filters |= {
        "with_code": with_code,
        "words_of": words_of,
        "percent": percent,
        "tone": tone,
    }
    jinja.tests["known"] = is_known
    return jinja


_ENVIRONMENT = environment()


class Template:
    """The macros of one template; compiled with the module that uses them, so that no reader waits
    for it."""

    def __init__(self, name: str) -> None:
        self._macros = _ENVIRONMENT.get_template(f"{name}.html.j2").module

    def __call__(self, macro: str, /, **values: object) -> Markup:
        """The part that this macro draws; TypeError for a value that it does not take."""
        return Markup(getattr(self._macros, macro)(**values))
