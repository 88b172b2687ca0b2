"""The command that compares: the numbers of the library, in every format."""

from __future__ import annotations

import csv as csv_module
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from metrics_core import formats
from metrics_core.__main__ import main
from metrics_core.base import wording as w
from metrics_core.commands.compare import format_table
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare
from metrics_core.scoring.evaluate import evaluate

SAMPLE = Path(__file__).parents[3] / "sample_runs"
BASELINE, RUNS = "bm25.run", ("dense.run", "titles-only.run")
ENDS = ["low", "high", "level", "inner_low", "inner_high"]
EFFECT = ["effect", "effect_low", "effect_high"]
FIGURES = ["n", "mean", "baseline_mean", "difference", *ENDS, "p", "p_corrected", *EFFECT]
TALLY = ["won", "lost", "same"]
TESTED = ["tested", "ratio", "ratio_low", "ratio_high", "half_from"]
KEYS = ["run", "baseline", "measure", *FIGURES, *TALLY, "verdict", "reason", *TESTED]

Command = Callable[..., tuple[str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `compare` on the sample; gives what it wrote to stdout and stderr."""
    monkeypatch.chdir(SAMPLE)

    def run(*arguments: str, files: tuple[str, ...] = (BASELINE, *RUNS)) -> tuple[str, str]:
        status = main(["compare", "qrels.txt", *files, *arguments])
        out, err = capsys.readouterr()
        assert status == (0 if out else 2)
        return out, err

    return run


def expected(measure: str, method: Method) -> list[dict[str, object]]:
    runs = [formats.read_run(SAMPLE / name) for name in (BASELINE, *RUNS)]
    scores = evaluate(runs, formats.read_qrels(SAMPLE / "qrels.txt"), [measure])
    return compare(scores, measure, "bm25", method=method).iloc[1:].to_dict("records")


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ((), Method()),
        (("--test", "t-test", "--correction", "bonferroni"), Method("t-test", "bonferroni")),
        (("--margin", "0.3", "--level", "0.9"), Method(margin=0.3, level=0.9)),
        (("--test", "sign"), Method("sign")),
    ],
)
def test_json_is_what_the_library_says(
    command: Command, options: tuple[str, ...], method: Method
) -> None:
    found = json.loads(command("--format", "json", "-m", "nDCG@10,P@5", *options)[0])
    assert [list(record) for record in found] == [KEYS] * 4
    wanted = [row for measure in ("nDCG@10", "P@5") for row in expected(measure, method)]
    for record, row in zip(found, wanted, strict=True):
        assert record["baseline"] == "bm25" and record["n"] == row["queries"]
        assert record["level"] == method.level
        for key in set(KEYS) - {"baseline", "measure", "n", "level"}:
            undefined = isinstance(row[key], float) and math.isnan(row[key])
            assert record[key] == (None if undefined else row[key]), key
    if options == ("--test", "sign"):
        assert found[0]["low"] is None, "a sign test has no interval of the mean"
    if method.margin:
        assert {record["verdict"] for record in found} <= {
            "better, but within the margin",
            "worse, but within the margin",
            "no difference that matters",
        }


def test_separated_values_are_the_same_in_full(command: Command) -> None:
    records = json.loads(command("--format", "json", "-m", "AP")[0])
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        out, _ = command("--format", format, "-m", "AP")
        head, *rows = csv_module.reader(io.StringIO(out), delimiter=separator)
        assert head == KEYS
        assert [[float(row[4]), float(row[KEYS.index("p_corrected")])] for row in rows] == [
            [record["mean"], record["p_corrected"]] for record in records
        ]


def test_the_table_and_markdown_say_who_is_better(command: Command) -> None:
    head, *lines = command("-m", "nDCG@10")[0].splitlines()
    labels = ["run", "baseline", "measure", "verdict"]
    assert head.split() == [*labels, "n", "mean", "difference", "interval", "p", *TALLY]
    assert lines[0].split()[:4] == ["dense", "bm25", "nDCG@10", "better"]
    assert "+0.087" in lines[0] and "[" in lines[0]
    markdown, _ = command("-m", "nDCG@10", "--format", "markdown")
    assert markdown.splitlines()[1].startswith("| --- | --- | --- | --- | ---: |")
    assert "| dense | bm25 | nDCG@10 | better | 104 |" in markdown


def test_a_tiny_p_value_is_not_printed_as_zero(command: Command) -> None:
    frame = pd.DataFrame(json.loads(command("-m", "AP", "--format", "json")[0]))
    text = format_table(frame.assign(p_corrected=[3e-9, float("nan")]))
    assert "<0.0001" in text and "0.0000" not in text and "nan" not in text


def test_a_run_against_itself_is_refused_with_the_reason(command: Command) -> None:
    out, err = command("-m", "AP", files=(BASELINE, BASELINE))
    assert not out and "There is no run to compare with bm25" in err


def test_few_queries_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "a").write_text("q1 Q0 d1 1 2 a\nq2 Q0 d1 1 2 a\n")
    (tmp_path / "b").write_text("q1 Q0 d2 1 2 b\nq1 Q0 d1 2 1 b\nq2 Q0 d1 1 2 b\n")
    files = [str(tmp_path / name) for name in "qab"]
    assert main(["compare", *files, "-m", "RR", "--format", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["verdict"] == "cannot tell" and record["reason"] == "fewer than 10 queries"
    assert record["p"] is None and record["low"] is None and record["difference"] == -0.25
    assert main(["compare", *files, "-m", "RR"]) == 0
    # A dash where there is none.
    assert "nan" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--test", "randomization", "--correction", "holm"),
            "cannot be combined with the correction",
        ),
        (("--test", "t-test", "--correction", "min-p"), "cannot be combined with the correction"),
        (("--margin", "0"), "0 is not a valid margin"),
        (("--margin", "nan"), "nan is not a valid margin"),
        (("--level", "95"), "95 is not a valid confidence level"),
    ],
)
def test_what_cannot_be_asked(command: Command, options: tuple[str, ...], said: str) -> None:
    out, err = command("-m", "AP", *options)
    assert not out and said in err


def test_by_a_column_the_parts_add_up_to_the_difference(command: Command) -> None:
    asked = ("-m", "nDCG@10", "--by", "category", "--queries", "queries.csv")
    rows = json.loads(command(*asked, "--format", "json")[0])
    (whole,) = (row for row in expected("nDCG@10", Method()) if row["run"] == "dense")
    own = [row for row in rows if row["run"] == "dense"]
    assert list(own[0]) == ["run", "baseline", "measure", "group", "n", "difference", "part"]
    assert math.fsum(row["part"] for row in own) == pytest.approx(whole["difference"], abs=1e-12)
    assert sum(row["n"] for row in own) == 104
    shown = command(*asked)[0].splitlines()
    assert shown[1].split() == ["dense", "bm25", "nDCG@10", "Network", "9", "+0.243", "+0.021"]
    assert shown[9].split() == ["dense", "bm25", "nDCG@10", "all", "104", "+0.087", "+0.087"]
    printed = [float(line.split()[-1].replace(w.MINUS, "-")) for line in shown[1:10]]
    assert round(1000 * math.fsum(printed[:-1])) == round(1000 * printed[-1])


def test_groups_need_the_queries_and_a_column_of_theirs(command: Command) -> None:
    assert "--by needs the queries." in command("--by", "category")[1]
    assert "no column 'colour'" in command("--by", "colour", "--queries", "queries.csv")[1]
    assert "only --by needs this file" in command("--queries", "queries.csv")[1]
