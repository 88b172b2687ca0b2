"""The templates themselves: nothing undeclared, nothing unused, nothing unescaped."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, UndefinedError, meta, nodes
from markupsafe import Markup

from dashboard.drawing import blocks
from dashboard.drawing.blocks.templates import Template, make_environment, split_words

_FOLDER = Path(blocks.__file__).parent
_SOURCES = {path.name: path.read_text("utf-8") for path in sorted(_FOLDER.glob("*.html.j2"))}
_MODULES = [
    importlib.import_module(f"dashboard.drawing.blocks.{found.name}")
    for found in pkgutil.iter_modules(blocks.__path__)
]


@pytest.mark.parametrize("name", _SOURCES)
def test_a_template_uses_no_name_that_nobody_gives_it(name: str) -> None:
    # mypy does not see into templates; a name written wrong is found here.
    made = make_environment()
    unknown = meta.find_undeclared_variables(made.parse(_SOURCES[name]))
    assert unknown <= set(made.globals)


def test_a_name_goes_on_between_its_words() -> None:
    assert split_words("bm25_coarse-ties") == ["bm25_", "coarse-", "ties"]
    assert (
        split_words("") == [] and split_words("__x") == ["__", "x"] and split_words("a.") == ["a."]
    )
    drawn = Template("markup")("wrapping", name="<b>_c")
    assert drawn == "&lt;b&gt;_<wbr>c"


def test_every_macro_is_drawn_somewhere() -> None:
    everything = "".join(
        [*_SOURCES.values(), *(path.read_text("utf-8") for path in _FOLDER.glob("*.py"))]
    )
    for name, source in _SOURCES.items():
        for macro in make_environment().parse(source).find_all(nodes.Macro):
            uses = re.findall(rf'\b{macro.name}\(|"{macro.name}"', everything)
            assert len(uses) > 1, f"{name}: {macro.name} is drawn nowhere"


@pytest.mark.parametrize("name", _SOURCES)
def test_no_template_switches_escaping_off(name: str) -> None:
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", _SOURCES[name])


def test_no_markup_is_made_of_a_text_that_was_put_together() -> None:
    # Markup(f"…") and Markup("…" + text) escape nothing. Two places are let through, each tested.
    made = re.compile(r"\bMarkup\((?!\))")
    for path in _FOLDER.glob("*.py"):
        assert len(made.findall(path.read_text("utf-8"))) == (
            2 if path.name == "templates.py" else 0
        )


def test_what_draws_gives_markup() -> None:
    drawn = [
        function
        for module in _MODULES
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and "_render(" in inspect.getsource(function)
        and not name.startswith("_")
    ]
    assert len(drawn) > 25
    assert {inspect.signature(f).return_annotation for f in drawn} == {"Markup"}


def test_a_value_that_is_missing_or_unknown_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        Template("markup")("nothing", title="a")
    with pytest.raises(TypeError):
        Template("markup")("nothing", title="a", text="", colour="red")


def test_texts_are_escaped_and_markup_is_not() -> None:
    part = Template("markup")("nothing", title="<i>&", text=Markup("<b>&amp;</b>"))
    assert part == ('<div class="lens nothing"><h2>&lt;i&gt;&amp;</h2><p><b>&amp;</b></p></div>')


def test_line_breaks_of_the_source_do_not_reach_the_page() -> None:
    made = make_environment()

    def drawn(source: str) -> str:
        return made.from_string(source).render(a="A", b="B")

    assert drawn("<p>\n  {{ a }}\n  {{ b }}\n</p>\n") == "<p>AB</p>"
    assert drawn("<p>\n  {{ a }} <b>{{ b }}</b>\n</p>") == "<p>A <b>B</b></p>"
    assert drawn("{% if a %}\n  <i>{{ a }}</i>\n{% endif %}\n") == "<i>A</i>"
    assert drawn("some words\n  go on {{ a }}\n  and on") == "some words\n  go on A\n  and on"
    assert drawn('<i class="x"\n  title="y"></i>') == '<i class="x"\n  title="y"></i>'


def test_templates_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    name = next(iter(_SOURCES))
    first = make_environment(tmp_path / "kept").get_template(name)
    (kept,) = (tmp_path / "kept").iterdir()
    whole = kept.read_bytes()
    compiled: list[str] = []
    generate = Environment._generate

    def told(self: Environment, *given: Any, **options: Any) -> str:
        compiled.append(name)
        return generate(self, *given, **options)

    monkeypatch.setattr(Environment, "_generate", told)
    again = make_environment(tmp_path / "kept").get_template(name)
    assert not compiled
    assert dir(again.module) == dir(first.module)
    flipped = (
        whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in range(0, len(whole), 99)
    )
    for damaged in (b"", whole[:20], whole[:-20], b"x" * 200, whole[32:], *flipped):
        kept.write_bytes(damaged)
        compiled.clear()
        make_environment(tmp_path / "kept").get_template(name)
        assert compiled


def test_templates_are_drawn_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "taken").write_text("a file")
    for name in _SOURCES:
        assert make_environment(tmp_path / "taken").get_template(name).module
