"""A gate's outcome in the forms that a pull request and a pipeline take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from metrics_core.__main__ import main

SAMPLE = Path(__file__).parents[3] / "sample_runs"
GATES_OF_P = tuple(f"P@{k} > -0.5" for k in range(2, 13))
GATES = ("AP > -0.02", "nDCG@10 > -0.04", "nDCG@10[category=Network] > -0.04", "P@10 > -0.03")

Gate = Callable[..., tuple[int, str]]


@pytest.fixture
def gate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Runs gates on the sample; status and stdout."""
    monkeypatch.chdir(SAMPLE)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def run(
        format: str,
        *gates: str,
        runs: tuple[str, ...] = ("hybrid.run",),
        more: tuple[str, ...] = (),
    ) -> tuple[int, str]:
        asked = [word for gate in gates for word in ("--gate", gate)]
        files = ["qrels.txt", "dense.run", *runs, "--queries", "queries.csv"]
        status = main(["compare", *files, *asked, "--format", format, *more])
        return status, capsys.readouterr().out

    return run


def test_a_comment_has_heading_table_reasons_and_queries(gate: Gate) -> None:
    status, text = gate("markdown", *GATES)
    lines = text.splitlines()
    assert status == 1
    assert lines[0] == "## ❌ Worse: AP falls by 0.023 [0.003, 0.042]"
    counted = "104 queries: 1 gate failed, 2 passed, 1 inconclusive."
    assert lines[2] == f"**hybrid** against **dense**, {counted}"
    at = lines.index("| Result | Measure | Queries | n | Margin | Difference [95%, all gates] |")
    assert [line.split(" | ")[0] for line in lines[at + 2 : at + 6]] == [
        "| ❌ **worse**",
        "| ⚪\u00a0cannot\u00a0tell",
        "| ✅\u00a0not\u00a0worse",
        "| ✅\u00a0not\u00a0worse",
    ]
    assert lines[at + 2].endswith("| AP | all | 104 | −0.02 | **−0.023** [−0.042, −0.003] |")
    assert lines[at + 3].endswith("| 9 | −0.04 | **−0.007** [–] |")
    assert "on Network: 9 queries are too few to test: a gate needs at least 10." in text
    assert "inconclusive checks applies: pass (--if-unclear pass)." in text
    assert "**Five worst of 44 lost queries (AP)**" in text
    row = "threw away the box, can i still return `q003` | ranked too low | 0.722 → 0.362 | −0.360"
    assert f"| {row} |" in lines
    assert lines[-1] == (
        "<sub>baseline dense.run e8978d0c1465 · run hybrid.run 83f2e89d8fe8 ·"
        " qrels qrels.txt 8b4bba3b1ae0 · Ranklens 0.1.0</sub>"
    )


@pytest.mark.parametrize(
    ("asked", "heading", "says"),
    [
        ("nDCG@10 > -0.03", "✅ Not worse: nDCG@10 −0.011 [−0.029, 0.008]", "1 of 1 gate passed"),
        (
            "nDCG@10 > -0.01",
            "⚪ Cannot tell: nDCG@10 −0.011 [−0.029, 0.008]",
            ("neither confirmed nor"),
        ),
        (
            "nDCG@10[category=Network] > -0.04",
            "⚪ Cannot tell: nDCG@10 on Network −0.007, only 9 queries",
            "9 queries are too few",
        ),
    ],
)
def test_one_gate_is_a_short_comment(gate: Gate, asked: str, heading: str, says: str) -> None:
    _, text = gate("markdown", asked)
    assert text.startswith(f"## {heading}\n") and says in text
    assert "| Result | Measure" not in text and ("| Query |" in text) == ("Cannot" in heading)


SHORT = ["q001", "q002", "q003"]
FORMATS = ("table", "markdown", "github", "junit", "json")


def lacking(tmp_path: Path, *query_ids: str) -> str:
    """The file of the run dense2, which is dense without these queries."""
    path, rows = tmp_path / "dense2.run", (SAMPLE / "dense.run").read_text().splitlines()
    path.write_text("".join(f"{row}\n" for row in rows if row.split()[0] not in query_ids))
    return str(path)


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_names_the_queries_without_results(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    """Also where the outcome is cannot tell and the status 0, and in the step's summary."""
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    short = lacking(tmp_path, *SHORT)
    status, text = gate(format, "nDCG@10 > -0.03", runs=(short,))
    said = "dense2 has no results for 3 of 104 judged queries: q001, q002, q003."
    assert status == 0 and said in text
    assert format != "github" or said in summary.read_text("utf-8")
    many = [f"q{n:03}" for n in range(5, 105)]
    status, text = gate(format, "nDCG@10 > -0.03", runs=(lacking(tmp_path, *many),))
    said = "for 100 of 104 judged queries: q005, q006, q007, q008, q009 and 95 more."
    assert status == 1 and said in text
    assert format != "json" or json.loads(text)["unanswered"][0]["query_ids"] == many
    _, text = gate(format, "nDCG@10 > -0.03")
    assert "no results for" not in text


@pytest.mark.parametrize("format", FORMATS)
def test_queries_that_changed_are_listed_unless_it_is_not_worse(
    gate: Gate, tmp_path: Path, format: str
) -> None:
    _, text = gate(format, "nDCG@10 > -0.03", runs=(lacking(tmp_path, *SHORT),))
    lost = text.partition("changed")[2]
    assert [lost.find(query) for query in ("q002", "q001", "q003")] == sorted(
        lost.find(query) for query in SHORT
    )
    assert "q003" in lost and "0.39" in text
    _, text = gate(format, "nDCG@10 > -0.03")
    assert "ot worse" in text and "q003" not in text


def test_of_several_gates_the_queries_of_what_cannot_be_told_are_folded(gate: Gate) -> None:
    _, text = gate("markdown", *GATES)
    folded = text.partition("<details><summary>")[2].partition("</details>")[0]
    assert folded.startswith("The 3 changed queries (nDCG@10[category=Network])</summary>\n\n| Que")
    assert text.count("<details>") == 1 and "**Five worst of 44 lost queries (AP)**" in text


def test_other_headings(gate: Gate, tmp_path: Path) -> None:
    _, text = gate("markdown", more=("--floor", "AP >= 0.6"))
    assert text.startswith("## ❌ Below the floor: AP is 0.537 (required: 0.6).")
    _, text = gate("markdown", more=("--floor", "AP >= 0.5"))
    assert text.startswith("## ✅ Floor held: AP is 0.537")
    _, text = gate("markdown", more=("--overlap", "top10 >= 0.9"))
    assert text.startswith("## ❌ Overlap too small") and "| Query | Kept | RBO |" in text
    baseline = str(tmp_path / "b.json")
    main(["snapshot", "qrels.txt", "dense.run", "-o", baseline, "-m", "AP"])
    asked = ["compare", "qrels.txt", baseline, "hybrid.run", "--format", "markdown"]
    output = tmp_path / "out.md"
    gates = ["--gate", "AP > -0.1", "--gate", "RR > -0.1", "--report", f"markdown={output}"]
    assert main([*asked, *gates]) == 4
    text = output.read_text("utf-8")
    assert text.startswith(
        "## ⚪ Some scores cannot be compared, because judgments, queries or measures changed"
    )
    assert "Scores of RR were not compared, because b.json" in text


def test_many_gates_fold_those_that_passed(gate: Gate) -> None:
    _, text = gate("markdown", *GATES_OF_P, "AP > -0.02", runs=("bm25.run",))
    shown, folded = text.split("<details>")
    assert shown.count("| ❌") == 1 and "not\u00a0worse |" not in shown
    assert folded.startswith("<summary>11 gates passed</summary>") and folded.count("| ✅") == 11


def test_a_comment_that_is_too_long_is_cut_and_says_so(gate: Gate, tmp_path: Path) -> None:
    """GitHub takes 65,536 characters, and our action sets a line before them."""
    short = lacking(tmp_path, *SHORT)
    gates = [f"P@{k} > -0.02" for k in range(1, 150)]
    _, text = gate("markdown", *gates, runs=(short,))
    assert 60_000 < len(text) < 65_000
    body, said, footer = text.partition(
        "**Truncated: a comment can have at most 65,536 characters."
    )
    assert said and body.count("<details>") == body.count("</details>")
    assert footer.rstrip().endswith("</sub>") and f"</sub>{said}" not in text
    assert all(line.count("|") in (0, 5, 7) for line in body.splitlines())


def test_several_runs_have_a_column(gate: Gate) -> None:
    _, text = gate("markdown", "AP > -0.02", runs=("hybrid.run", "bm25.run"))
    assert "| Result | Run | Measure |" in text and "| ❌ **worse** | bm25 | AP |" in text


def test_texts_and_ids_call_nobody_and_break_no_table(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "a|b `c` @team <b>x</b> #12 ] [link](u)"
    for name in ("qrels.txt", "dense.run", "hybrid.run"):
        text = (SAMPLE / name).read_text("utf-8").replace("q003", "q|`@3")
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "queries.csv").write_text(f'query_id,text\nq|`@3,"{odd}"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    _, text = gate("markdown", "AP > -0.02")
    row = next(line for line in text.splitlines() if "−0.360" in line)
    assert row.replace("\\|", "").count("|") == 5
    assert "@team" not in row and "#12" not in row and "<b>" not in row and "`c`" not in row
    assert "q\\|\\`@" in row


def test_annotations_are_workflow_commands_and_the_summary_is_the_comment(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, comment = gate("markdown", *GATES)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    status, text = gate("github", *GATES)
    lines = text.splitlines()
    assert status == 1
    assert lines[0].startswith(
        "::error title=Worse%3A AP falls by 0.023 [0.003%2C 0.042]::The loss"
    )
    assert lines[1].startswith("::warning title=Cannot tell%3A nDCG@10 on Network")
    assert lines[2].startswith("::notice title=Not worse%3A ") and "%25 interval" in lines[2]
    assert summary.read_text("utf-8") == f"before\n{comment}"
    _, text = gate("github", *GATES, more=("--if-unclear", "fail"))
    assert text.splitlines()[1].startswith("::error title=Cannot tell")


def test_junit_has_a_case_for_each_gate(gate: Gate) -> None:
    _, text = gate("junit", *GATES, more=("--floor", "AP >= 0.6"))
    suite = ElementTree.fromstring(text)
    assert suite.attrib | {"tests": "5", "failures": "2", "skipped": "1"} == suite.attrib
    found = {case.get("name"): case[0].tag for case in suite}
    assert found == {
        "AP > -0.02 (hybrid)": "failure",
        "nDCG@10[category=Network] > -0.04 (hybrid)": "skipped",
        "P@10 > -0.03 (hybrid)": "system-out",
        "nDCG@10 > -0.04 (hybrid)": "system-out",
        "AP >= 0.6 (hybrid)": "failure",
    }
    _, text = gate("junit", GATES[2], more=("--if-unclear", "fail"))
    assert ElementTree.fromstring(text).get("failures") == "1"


def test_json_has_all_of_it(gate: Gate) -> None:
    status, text = gate("json", *GATES, more=("--floor", "AP >= 0.4"))
    told = json.loads(text)
    assert (told["schema"], told["status"], told["queries"]) == (1, status, 104)
    assert [found["outcome"] for found in told["gates"]] == [
        "worse",
        "cannot tell",
        "not worse",
        "not worse",
    ]
    assert told["gates"][1]["low"] is None and told["gates"][0]["low"] < -0.04
    assert told["floors"][0]["outcome"] == "held"
    assert told["broken"][0]["lost"] == 44 and told["broken"][0]["worst"][0]["query_id"] == "q003"


def test_several_reports_at_once(gate: Gate, tmp_path: Path) -> None:
    names = {"markdown": "out.md", "junit": "out.xml", "json": "out.json", "table": "out.txt"}
    reports = [f"--report={format}={tmp_path / name}" for format, name in names.items()]
    _, shown = gate("table", "AP > -0.02", more=tuple(reports))
    for format, name in names.items():
        _, alone = gate(format, "AP > -0.02")
        assert (tmp_path / name).read_text("utf-8") == alone
    assert (tmp_path / "out.txt").read_text("utf-8") == shown
