"""Text from users or files in Streamlit's Markdown, where every character must be shown
literally."""

from __future__ import annotations

import re

# An invisible word joiner prevents Streamlit from creating emoji, icons, links and arrows.
_JOINER = "\u2060"


def escape_markdown(text: str) -> str:
    """Escape a string for Streamlit's Markdown, so that it is shown literally."""
    text = re.sub(r"(?<=[-<~])(?=[->=])|(?<=>)(?==)", _JOINER, text)
    text = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$^=&])", r"\\\1", text).replace("\n", " ")
    text = re.sub(r":(?=\S)", "\\\\:" + _JOINER, text)
    text = re.sub(r"(?i)(https?|www|ftp)(?=\\?[:.])", lambda m: m[0][:1] + _JOINER + m[0][1:], text)
    return text.replace("@", "@" + _JOINER)
