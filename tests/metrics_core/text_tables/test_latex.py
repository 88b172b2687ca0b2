"""LaTeX that shows every name letter for letter, and tables that hold together."""

from __future__ import annotations

import pytest

from metrics_core.text_tables.latex import escape, format_tabular
from tests.metrics_core.text_tables.latex_tables import structure


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("bm25_tuned&co", r"bm25\_tuned\&co"),
        ("50% #1 $x$ {y}", r"50\% \#1 \$x\$ \{y\}"),
        ("a~b^c\\d", r"a\textasciitilde{}b\textasciicircum{}c\textbackslash{}d"),
        ("<b>|", r"\textless{}b\textgreater{}\textbar{}"),
        ("[1ex]*", "{[}1ex{]}{*}"),
        ("a--b ''", "a-{}-b '{}'"),
        ("\N{MINUS SIGN}0.5 \N{EN DASH}", "$-$0.5 --"),
        ("a\x1b\nb", r"a\textbackslash{}u001b\textbackslash{}u000ab"),
    ],
)
def test_every_letter_is_that_letter(text: str, written: str) -> None:
    assert escape(text) == written


def test_a_table_has_its_rules_and_columns() -> None:
    text = format_tabular(["run", "n & m"], [["[2pt]", "1"], ["a\\\\b", "2"]], 1)
    assert text.startswith("\\begin{tabular}{lr}\n\\toprule\nrun & n \\& m \\\\\n\\midrule\n")
    assert structure(text) == [2, 2, 2]
