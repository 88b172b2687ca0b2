"""Templates: the markup of the blocks in `NAME.py` is in `NAME.html.j2`, which has one macro per
block.

A function in `NAME.py` decides on the content and its order; the macro writes the markup. Every
text is escaped unless it is already `Markup`, and a missing value is an error. Line breaks next to
a tag only format the source. They are removed, because browsers would show them as spaces between
words; an intended space is written within a line, or as {{ " " }}."""

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
from metrics_core.base.whole_files import read_checksummed_file, write_checksummed_file
from metrics_core.scoring.intervals import LEVEL

_HERE = Path(__file__).parent

_LAYOUT = re.compile(
    r"(?:(?<=>)|(?<=%\}))\s*\n\s*"  # after a tag
    r"|\s*\n\s*(?=<|\{%|\Z)"  # before one, and at the end
    r"|(?<=\}\})\s*\n\s*(?=\{\{)"  # between two values
)


class _Layout(Extension):
    """A Jinja extension that removes line breaks and indentation from the source of a template
    before the template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _LAYOUT.sub("", source)


class _Compiled(BytecodeCache):
    """Cache of compiled templates, in the folder where Python keeps the bytecode of modules. Each
    file has a seal that shows whether the file was changed. Without the cache, compiling all
    templates would take a quarter of a second at each start."""

    def __init__(self, folder: Path) -> None:
        source = Path(__file__).read_bytes() + version("jinja2").encode()
        self._folder, self._made = folder, hashlib.blake2b(source, digest_size=8).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load cached bytecode if its seal is intact. The check is necessary because Python runs
        bytecode without checking it."""
        bytecode = read_checksummed_file(self._path(bucket))
        if bytecode is not None:
            bucket.bytecode_from_string(bytes(bytecode))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store bytecode if the folder is writable."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            write_checksummed_file(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{self._made}-{bucket.key}.j2c"


def mark_up_code(text: str) -> Markup:
    """Return a message as markup. Passages in `backticks` are drawn as code; they are quoted from a
    file."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def split_words(name: str) -> list[str]:
    """Split a name into words. Each word keeps the separators that follow it."""
    return re.findall(r"[^_./+-]*[_./+-]+|[^_./+-]+", name)


def percent(share: float) -> str:
    """Format a share as a percentage in CSS, limited to the range from 0 to 100%."""
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def tone(value: float | None, digits: int = 3) -> str:
    """Return "better" or "worse", depending on the sign of the value as it is printed. Returns ""
    if the value is missing or printed as zero."""
    text = w.format_difference(value, digits)
    if text.startswith("+"):
        return "better"
    return "worse" if text.startswith(w.MINUS) else ""


def is_known(value: object) -> bool:
    """Return whether a value is known, that is, neither None nor NaN nor pandas' NA."""
    return value is not None and value is not pd.NA and value == value


def make_environment(compiled: Path = _HERE / "__pycache__") -> Environment:
    """Return the Jinja environment with the filters and globals of the templates. `compiled` is the
    folder for cached bytecode."""
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
        "with_code": mark_up_code,
        "words_of": split_words,
        "percent": percent,
        "tone": tone,
    }
    jinja.tests["known"] = is_known
    return jinja


_ENVIRONMENT = make_environment()


class Template:
    """The macros of one template. They are compiled when the module that uses the template is
    imported, so that no user has to wait for it."""

    def __init__(self, name: str) -> None:
        self._macros = _ENVIRONMENT.get_template(f"{name}.html.j2").module

    def __call__(self, macro: str, /, **values: object) -> Markup:
        """Draw the block of a macro. Raises TypeError if the macro does not accept one of the
        values."""
        return Markup(getattr(self._macros, macro)(**values))
