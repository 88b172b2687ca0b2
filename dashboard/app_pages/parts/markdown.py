"""User text where Streamlit would read Markdown: every character shown as it stands."""

from __future__ import annotations

import re

# An invisible word joiner breaks what Streamlit would turn into emoji, icons, links and arrows.
_JOINER = "\u2060"


def escape_markdown(text: str) -> str:
    """The text escaped for Streamlit's Markdown, so that it is shown letter for letter."""
    text = re.sub(r"(?<=[-<~])(?=[->=])|(?<=>)(?==)", _JOINER, text)
    text = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$^=&])", r"\\\1", text).replace("\n", " ")
    text = re.sub(r":(?=\S)", "\\\\:" + _JOINER, text)
    text = re.sub(r"(?i)(https?|www|ftp)(?=\\?[:.])", lambda m: m[0][:1] + _JOINER + m[0][1:], text)
    return text.replace("@", "@" + _JOINER)
