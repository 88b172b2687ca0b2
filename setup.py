"""The description and the addresses of the wheel; all else stands in pyproject.toml.

Both follow from `homepage` of its table tool.ranklens. While that is empty the wheel names no
address, and what the description links to stands there as plain text.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def addresses(homepage: str) -> dict[str, str]:
    """The addresses of the project by what stands there; none without a homepage."""
    if not homepage:
        return {}
    return {
        "Homepage": homepage,
        "Documentation": f"{homepage}/blob/HEAD/docs/guide.md",
        "Changelog": f"{homepage}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{homepage}/issues",
    }


def description(readme: str, homepage: str) -> str:
    """The README for where its neighbours are not: links to them are absolute or, without a
    homepage, their text alone, and pictures are left out."""

    def elsewhere(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        if "://" in target:
            return link[0]
        if not homepage:
            return "" if picture else text
        return f"{picture}[{text}]({homepage}/{'raw' if picture else 'blob'}/HEAD/{target})"

    prose_and_code = _CODE.split(readme)
    prose_and_code[::2] = (_LINK.sub(elsewhere, prose) for prose in prose_and_code[::2])
    return re.sub(r"\n{3,}", "\n\n", "".join(prose_and_code))


if __name__ == "__main__":
    from setuptools import setup

    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ranklens"]
    setup(
        long_description=description((ROOT / "README.md").read_text("utf-8"), told["homepage"]),
        long_description_content_type="text/markdown",
        project_urls=addresses(told["homepage"]),
    )
