"""The table of a paper: letters, the best in bold, and a caption that says how it was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics_core.__main__ import main
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.resampled import FEW
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.text_tables.paper_table import RunMeans, paper_table, row_letter
from tests.metrics_core.text_tables.latex_tables import PDFLATEX, compiled, structure

SAMPLE = Path(__file__).parents[3] / "sample_runs"
ODD = r"a_b & 50% #1 $x$ {y} ~z ^2 \n"


def scores(values: dict[str, list[list[float]]]) -> RunMeans:
    """Runs by name, each with a row a measure: AP and Unjudged@10."""
    measures = (parse_measure("AP"), parse_measure("Unjudged@10"))
    of = np.array(list(values.values())).transpose(0, 2, 1)
    query_ids = [f"q{n}" for n in range(of.shape[1])]
    missing = np.zeros(of.shape[:2], dtype=np.bool_)
    return RunMeans.from_scores(Scores(tuple(values), query_ids, measures, of, missing))


def test_a_table_worked_by_hand() -> None:
    of = {"old": [[0.2, 0.4], [0.1, 0.1]], ODD: [[0.5, 0.7], [0.3, 0.5]],
          "none": [[np.nan, np.nan], [0.1, 0.1]]}  # fmt: skip
    beaten = {"AP": {(ODD, "old")}, "Unjudged@10": {("old", ODD), ("none", ODD)}}
    table = paper_table(scores(of), beaten, "Tested by hand, 5%.", "tab:by-hand")
    text = table.to_latex("Our runs.")
    caption = (
        r"\caption{Our runs. Means over 2 queries, with the best in bold. Tested by hand, 5\%.}"
    )
    assert caption in text
    assert "\n\\label{tab:by-hand}\n" in text
    with pytest.raises(ParameterError, match="not a label"):
        table.to_latex(label="tab_{1}")
    named = r"a\_b \& 50\% \#1 \$x\$ \{y\} \textasciitilde{}z \textasciicircum{}2"
    assert text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines() == [
        r"a & old & 0.300 &  & \textbf{0.100} & \textsuperscript{b} \\",
        rf"b & {named} \textbackslash{{}}n & \textbf{{0.600}} & \textsuperscript{{a}} & 0.400 & \\",
        r"c & none & -- &  & \textbf{0.100} & \textsuperscript{b} \\",
    ]
    assert structure(text) == [6] * 4


def test_after_z_comes_aa() -> None:
    assert [row_letter(place) for place in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a", "z", "aa", "ab", "az", "ba", "zz", "aaa",
    ]  # fmt: skip
    names = [f"run{place}" for place in range(28)]
    of = {name: [[0.01 * place] * 2, [0.5] * 2] for place, name in enumerate(names)}
    beaten = {"AP": {(names[27], other) for other in names[:27]}, "Unjudged@10": set()}
    text = paper_table(scores(of), beaten, "", "tab:x").to_latex()
    assert r"aa & run26 & 0.260 &" in text
    assert r"\textsuperscript{a,b,c,d," in text and r",y,z,aa}" in text
    assert structure(text) == [6] * 29


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What both commands print of the sample and of a run with an odd name."""
    folder = tmp_path_factory.mktemp("paper")
    odd = folder / f"{ODD.replace(chr(92), '')}.run"
    odd.write_text((SAMPLE / "titles-only.run").read_text())
    runs = [str(SAMPLE / name) for name in ("bm25.run", "dense.run")] + [str(odd)]
    asked = [str(SAMPLE / "qrels.txt"), *runs, "-m", "nDCG@10,AP,NumRel", "--format", "latex"]
    out = {}
    for command, more in {"compare": ["--baseline", "dense"], "all-pairs": []}.items():
        with pytest.MonkeyPatch.context() as patch:
            found: list[str] = []
            patch.setattr(
                "metrics_core.__main__._print_output", lambda text, f=found: f.append(text)
            )
            main([command, *asked, *more])
        out[command] = found[0]
    return out


def test_letters_say_what_the_verdicts_say(printed: dict[str, str]) -> None:
    for text in printed.values():
        assert r"b & dense & \textbf{0.636} & \textsuperscript{ac} &" in text
        assert r"a & bm25 & 0.548 & \textsuperscript{c} &" in text
        assert structure(text) == [8] * 4
    told = printed["compare"]
    assert "only pairs that include bm25 (a) or dense (b) are compared; test: paired" in told
    assert "and baseline (at most two): Holm" in told and "104 queries" in told
    told = printed["all-pairs"]
    assert (
        f"test: paired bootstrap (for up to {FEW} queries combined with a randomisation test)"
        in told
    )
    assert "three comparisons per measure" in told


def test_few_queries_are_not_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    for name, doc in {"a": "d1", "b": "d2"}.items():
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 {doc} 1 1 t\n")
    files = [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]
    for command in ("compare", "all-pairs"):
        assert main([command, *files, "-m", "AP", "--format", "latex"]) == 0
        text = capsys.readouterr().out
        assert (
            "Means over 1 query, with the best in bold. Not tested: there are too few queries"
        ) in text
        assert "superscript" not in text


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
def test_it_compiles(printed: dict[str, str], tmp_path: Path) -> None:
    assert compiled("".join(printed.values()), tmp_path).startswith(b"%PDF")
