"""Templates: the markup of a block is in `NAME.html.j2` beside `NAME.py`, with one macro per block.

The function in `NAME.py` decides on the content and its order; the macro writes the markup. Every
text is escaped unless it is already `Markup`, and a missing value is an error. Line breaks next to
a tag only lay out the source. They are removed, because on the page they would be spaces between
words; an intended space is written within a line, or as {{ " " }}.
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
from metrics_core.base.whole_files import read_sealed_file, write_sealed
from metrics_core.scoring.intervals import LEVEL

_HERE = Path(__file__).parent

_LAYOUT = re.compile(
    r"(?:(?<=>)|(?<=%\}))\s*\n\s*"  # after a tag
    r"|\s*\n\s*(?=<|\{%|\Z)"  # before one, and at the end
    r"|(?<=\}\})\s*\n\s*(?=\{\{)"  # between two values
)


class _Layout(Extension):
    """A Jinja extension that removes the line breaks and indentation of the source from a template
    before it is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _LAYOUT.sub("", source)


class _Compiled(BytecodeCache):
    """Cache of compiled templates as sealed bytecode, in the folder where Python keeps the bytecode
    of modules. Without it, compiling all templates would take a quarter of a second at every
    start."""

    def __init__(self, folder: Path) -> None:
        source = Path(__file__).read_bytes() + version("jinja2").encode()
        self._folder, self._made = folder, hashlib.blake2b(source, digest_size=8).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load cached bytecode if its seal is intact, because Python runs bytecode unchecked."""
        bytecode = read_sealed_file(self._path(bucket))
        if bytecode is not None:
            bucket.bytecode_from_string(bytes(bytecode))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store bytecode if the folder is writable."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            write_sealed(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{self._made}-{bucket.key}.j2c"


def with_code(text: str) -> Markup:
    """Return a message as markup. Texts in `backticks`, which quote content of a file, are drawn as
    code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def words_of(name: str) -> list[str]:
    """Return the words of a name, each with the separators after it."""
    return re.findall(r"[^_./+-]*[_./+-]+|[^_./+-]+", name)


def percent(share: float) -> str:
    """Format a share as a CSS length, limited to 0–100 %."""
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def tone(value: float | None, digits: int = 3) -> str:
    """Return "better" or "worse" by the sign as printed, or "" for zero and missing values."""
    text = w.format_difference(value, digits)
    if text.startswith("+"):
        return "better"
    return "worse" if text.startswith(w.MINUS) else ""


def is_known(value: object) -> bool:
    """Whether there is a value: neither None nor NaN nor pandas' NA."""
    return value is not None and value is not pd.NA and value == value


def make_environment(compiled: Path = _HERE / "__pycache__") -> Environment:
    """Return the Jinja environment with the filters and globals of the templates; `compiled` is the
    folder for bytecode."""
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


_ENVIRONMENT = make_environment()


class Template:
    """The macros of one template, compiled when the module that uses it is imported, so that no
    reader waits for it."""

    def __init__(self, name: str) -> None:
        self._macros = _ENVIRONMENT.get_template(f"{name}.html.j2").module

    def __call__(self, macro: str, /, **values: object) -> Markup:
        """Draw the block of this macro. Raises TypeError for a value that the macro does not
        accept."""
        return Markup(getattr(self._macros, macro)(**values))
