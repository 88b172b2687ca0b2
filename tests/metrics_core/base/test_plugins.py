"""What packages of others add, and what they cannot break."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from metrics_core.base import plugins
from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import Registry, guard_function
from tests.packages import install

GROUP = "ranklens.fruit"
ADDS = (
    "from tests.metrics_core.base import test_plugins as t\nt.FRUIT.add({0!r}, {0!r}, __name__)\n"
)
FRUIT = Registry[str](GROUP, "fruit", str.split)
"""In each test another, with one of ours."""

Install = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The registry, and a folder of packages that nothing remembers afterwards."""
    fruit = Registry[str](GROUP, "fruit", lambda name: {name.lower()})
    fruit.add("Apple", "Apple", "metrics_core.fruit")
    monkeypatch.setattr(sys.modules[__name__], "FRUIT", fruit)
    monkeypatch.delenv(plugins.VARIABLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_failed", set())
    plugins.warn_once.cache_clear()
    yield
    plugins.warn_once.cache_clear()
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


@pytest.fixture
def package(tmp_path: Path) -> Install:
    """Installs a package of one module, with an entry point of its name."""

    def installed(name: str, source: str) -> None:
        module = f"plugin_{name.replace('-', '_')}"
        install(tmp_path, name, {GROUP: {"mine": module}}, {module: source})

    return installed


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings of our logger."""
    own = [record for record in caplog.records if record.name == "ranklens"]
    assert all(record.levelno == logging.WARNING for record in own)
    return [record.getMessage() for record in own]


def test_a_package_adds(package: Install, caplog: pytest.LogCaptureFixture) -> None:
    package("pear-trees", ADDS.format("Pear"))
    assert FRUIT.all() == ["Apple", "Pear"]
    assert not said(caplog)


def test_it_may_ask_while_it_is_loaded(package: Install) -> None:
    package("pear-trees", ADDS.format("Pear") + "assert t.FRUIT.all() == ['Apple', 'Pear']\n")
    assert FRUIT.all() == ["Apple", "Pear"]


def test_none_is_loaded_where_none_is_wanted(
    package: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    package("pear-trees", ADDS.format("Pear"))
    monkeypatch.setenv(plugins.VARIABLE, "none")
    assert FRUIT.all() == ["Apple"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import gone_for_good", "ModuleNotFoundError: No module named 'gone_for_good'."),
        ("1 / 0", "ZeroDivisionError: division by zero."),
        ("raise SystemExit", "SystemExit."),
        ("raise KeyboardInterrupt", "KeyboardInterrupt."),
        ("raise BaseException('odd')", "BaseException: odd."),
        ("class Odd(BaseException): pass\nraise Odd", "Odd."),
        ("no python", "SyntaxError: invalid syntax (plugin_pear_trees.py, line 3)."),
    ],
)
def test_one_that_fails_adds_nothing_and_is_told_of_once(
    source: str, why: str, package: Install, caplog: pytest.LogCaptureFixture
) -> None:
    package("pear-trees", ADDS.format("Pear") + source)
    package("quince-trees", ADDS.format("Quince"))
    assert [FRUIT.all(), FRUIT.all()] == [["Apple", "Quince"]] * 2
    assert Registry[str](GROUP, "fruit", lambda name: {name}).all() == []  # it is not tried again
    assert plugins.failed_packages() == ["pear-trees"]
    assert said(caplog) == [
        "A plug-in of pear-trees was not loaded (entry point ranklens.fruit: mine ="
        f" plugin_pear_trees). {why}\nEverything else works. Fix or uninstall pear-trees, or"
        " disable all plug-ins with RANKLENS_PLUGINS=none."
    ]


BROKEN: dict[str, Callable[[Path], object]] = {
    "no text": lambda told: (told / "entry_points.txt").write_bytes(b"\xff\xfe[x]\n"),
    "no value": lambda told: (told / "entry_points.txt").write_text("[console_scripts]\nran\n"),
    "no section": lambda told: (told / "entry_points.txt").write_text(f"[{GROUP}]\nmine\n"),
    "a folder": lambda told: [
        (told / "entry_points.txt").unlink(),
        (told / "entry_points.txt").mkdir(),
    ],
    "no metadata": lambda told: (told / "METADATA").unlink(),
    "nameless": lambda told: (told / "METADATA").write_text("Metadata-Version: 2.1\n"),
    "no module": lambda told: (told / "entry_points.txt").write_text(f"[{GROUP}]\nmine = !\n"),
    "empty": lambda told: (told / "entry_points.txt").write_text(f"[{GROUP}]\nmine =\n"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_package_that_is_not_whole_takes_no_other_down(
    how: str, package: Install, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It need not be one of ours; what cannot be read is named."""
    package("pear-trees", ADDS.format("Pear"))
    package("quince-trees", ADDS.format("Quince"))
    BROKEN[how](tmp_path / "quince_trees-1.0.dist-info")
    loads = how in ("no metadata", "nameless")
    assert sorted(FRUIT.all()) == ["Apple", "Pear", *(["Quince"] if loads else [])]
    told = said(caplog)
    assert len(told) == (0 if loads or how == "a folder" else 1)
    assert all("quince-trees" in one and "Everything else works." in one for one in told)
    assert Registry[str](GROUP, "fruit", lambda name: {name}).all() == []
    assert len(said(caplog)) == len(told)


@pytest.mark.parametrize(("name", "whose"), [("APPLE", "Apple of Ranklens"), ("pear", "Pear of")])
def test_a_name_is_of_one_only(
    name: str, whose: str, package: Install, caplog: pytest.LogCaptureFixture
) -> None:
    package("pear-trees", ADDS.format("Pear"))
    package("shop", ADDS.format("Plum") + ADDS.format(name))
    assert FRUIT.all() == ["Apple", "Pear"]
    (told,) = said(caplog)
    assert f"The fruit {name} of shop and {whose}" in told
    assert "pear-trees" in told or "Ranklens" in told


def test_what_is_declared_again_takes_its_own_place() -> None:
    FRUIT.add("Fig", "a fig", "__main__")
    FRUIT.add("Fig", "another", "__main__")  # a cell of a notebook, run again
    assert FRUIT.all() == ["Apple", "another"]
    with pytest.raises(
        RanklensError, match="of __main__ and Apple of Ranklens have names in common: apple"
    ):
        FRUIT.add("Apple", "Apple", "__main__")


def test_a_mistake_of_theirs_is_told_as_theirs() -> None:
    def fails(message: str) -> None:
        raise (RanklensError if message == "ours" else ValueError)(message)

    with pytest.raises(RanklensError, match=r"The pip of orchard failed: ValueError: sour\."):
        guard_function(fails, "The pip", "orchard")("sour")
    with pytest.raises(RanklensError, match=r"The pip of orchard failed: SystemExit: 3\."):
        guard_function(sys.exit, "The pip", "orchard")(3)
    with pytest.raises(RanklensError, match=r"^ours$"):
        guard_function(fails, "The pip", "orchard")("ours")
    with pytest.raises(KeyboardInterrupt):  # whoever waits for it may end it
        guard_function(interrupted, "The pip", "orchard")()


def interrupted() -> None:
    raise KeyboardInterrupt
