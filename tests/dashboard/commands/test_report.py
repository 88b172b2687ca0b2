"""`ranklens report`: one file of what a command line names, and errors as everywhere."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from dashboard.commands.report import execute
from dashboard.notebook import show
from dashboard.start import main
from dashboard.workspace.exports.report_data import extract_packed_collection
from metrics_core import compare
from metrics_core.__main__ import main as core
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError

SAMPLE = Path(__file__).parents[3] / "sample_runs"
RUNS = [str(SAMPLE / f"{name}.run") for name in ("bm25", "dense")]
QRELS, QUERIES = str(SAMPLE / "qrels.txt"), str(SAMPLE / "queries.csv")


def test_the_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.html"
    given = [QRELS, *RUNS, "--queries", QUERIES, "-m", "AP", "--baseline", "dense", "-o", str(out)]
    assert main(["report", *given, "--title", "Ours", "--text", "Read on."]) == 0
    said = capsys.readouterr()
    assert "bm25 vs dense on AP" in said.out and "6 judged queries without results" in said.err
    page = out.read_text()
    assert "<b><bdi>Ours</bdi></b>" in page and "Read on." in page
    assert "vinegar for the robot" in page and "dense" in page


def test_a_file_of_several_runs_is_named_with_each(tmp_path: Path) -> None:
    runs = [Path(run).read_text() for run in RUNS]
    two, out = tmp_path / "two.trec", tmp_path / "x.html"
    two.write_text("".join(runs))
    poor = tmp_path / "short.run"
    poor.write_text("".join(runs[0].splitlines(keepends=True)[:500]))
    assert main(["report", QRELS, str(two), str(poor), "--with-data", "-o", str(out)]) == 0
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", out.read_text()))
    names = [Path(run).stem for run in RUNS]
    for name, own in zip(names, runs, strict=True):
        assert f"two.trec/{name} {w.format_count(own.count(chr(10)))} rows" in text
    assert "short.run 500 rows" in text
    assert f"compare {Path(QRELS).name} two.trec/" in text
    with zipfile.ZipFile(BytesIO(extract_packed_collection(out.read_bytes()))) as packed:
        told = "".join(packed.read(name).decode() for name in packed.namelist() if ".json" in name)
    assert all(f"two.trec/{name}" in told for name in names)


def test_public_holds_no_name(tmp_path: Path) -> None:
    out = tmp_path / "x.html"
    given = [QRELS, *RUNS, "--queries", QUERIES, "--public", "-o", str(out)]
    assert main(["report", *given]) == 0
    page = out.read_text()
    for name in ("bm25", "dense", "vinegar", "Billing", "qrels.txt", str(SAMPLE), str(tmp_path)):
        assert name not in page
    assert "names and texts left out" in page and "query 98" in page and "q098" not in page


def test_the_first_run_is_the_baseline_in_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(tmp_path / name) for name in ("dense.run", "dense-bm25-hybrid.run")]
    for given, path in zip(reversed(RUNS), runs, strict=True):
        Path(path).write_text(Path(given).read_text())
    out = ["-o", str(tmp_path / "x.html")]
    assert main(["report", QRELS, *runs, "--parts", "runs", *out]) == 0
    assert "dense-bm25-hybrid vs dense on nDCG@10" in capsys.readouterr().out
    assert main(["figure", "forest", QRELS, *runs, "-o", str(tmp_path / "x.svg")]) == 0
    assert "Difference from dense on nDCG@10" in capsys.readouterr().out
    assert core(["compare", QRELS, *runs, "--format", "json"]) == 0
    assert '"baseline": "dense"' in capsys.readouterr().out
    shown = show(runs, QRELS).frame.set_index(["run", "measure"])["difference"]
    own = compare(runs, QRELS, "nDCG@10").set_index("run")["difference"]
    assert shown["dense-bm25-hybrid", "nDCG@10"] == own["dense-bm25-hybrid"] < 0


@pytest.mark.parametrize("flag", ["--public", "--no-texts"])
def test_ids_that_are_texts_stay_at_home(flag: str, tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        contexts = ["A secret passage {0}", "A secret one"][:: 1 if name == "ours" else -1]
        sample = {
            "user_input": "My secret question {0}?",
            "retrieved_contexts": contexts,
            "reference_contexts": ["A secret passage {0}"],
        }
        lines = [json.dumps(sample).replace("{0}", str(q)) + "\n" for q in range(12)]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    out, files = tmp_path / "x.html", [str(tmp_path / f"{n}.jsonl") for n in ("ours", "theirs")]
    given = [files[0], *files, "--columns", "doc=retrieved_contexts", "-m", "RR"]
    assert main(["report", *given, "-o", str(out)]) == 0 and "secret" in out.read_text()
    assert main(["report", *given, flag, "-o", str(out)]) == 0
    page = out.read_text()
    assert "secret" not in page and "query 12" in page and "document 1" in page
    assert ("ours" in page) == (flag == "--no-texts")


def test_queries_and_documents_have_their_ids_read_as_the_runs(tmp_path: Path) -> None:
    rows = [f"{q} Q0 d{q}{rank}#1 {rank} {9 - rank} r" for q in range(12) for rank in range(3)]
    texts = {
        "qrels": "".join(f"{q} 0 d{q}{1 + q % 2} 1\n" for q in range(12)),
        "a.run": "\n".join(f"Q{row}" for row in rows),
        "b.run": "\n".join(f"Q{row}" for row in rows[::-1]).replace("d", "e"),
        "queries.csv": "query_id,text\n" + "".join(f"Q{q},what of {q}\n" for q in range(12)),
        "docs.csv": "doc_id,title\n" + "".join(f"d{q}1#1,Page {q}\n" for q in range(12)),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = {name: str(tmp_path / name) for name in texts}
    given = [*(paths[n] for n in ("qrels", "a.run", "b.run")), "--queries", paths["queries.csv"]]
    maps = ["--documents", paths["docs.csv"], "--map-docs", "cut #", "--map-queries", "drop Q"]
    assert main(["report", *given, *maps, "-o", str(tmp_path / "x.html")]) == 0
    page = (tmp_path / "x.html").read_text()
    assert "what of 3" in page and "Page 4" in page
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "queries.csv 12 rows, 12 queries" in text and "docs.csv 12 rows" in text


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--baseline", "bm52"], "bm25"),
        (["--parts", "runs,pie"], "no part named pie"),
        (["-m", "nDGC"], "nDCG"),
        (["-m", "nDCG@10,AP"], "A report shows one measure, not nDCG@10 and AP."),
        (["-o", "no/such/folder/x.html"], "No such file or directory"),
    ],
)
def test_errors_say_what_to_write(
    more: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", QRELS, *RUNS, *more]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("other", ["--public", "--no-texts"])
def test_what_is_left_out_is_not_carried_either(
    other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.html"
    assert main(["report", QRELS, *RUNS, "--with-data", other, "-o", str(out)]) == 2
    assert other in capsys.readouterr().err and not out.exists()


def test_a_report_of_given_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        f"q{q},{run},{q % 2},{100 + q + 50 * i}" for i, run in enumerate("ab") for q in range(20)
    ]
    file, out = tmp_path / "s.csv", tmp_path / "r.html"
    file.write_text("\n".join(["query_id,run,correct,ms", *lines]))
    execute(["--scores", str(file), "-o", str(out), "-m", "ms", "--lower", "ms", "--with-data"])
    assert "slower" in out.read_text() and "could not be created" not in out.read_text()
    command = "compare --scores s.csv --baseline a --lower ms -m correct,ms"
    assert f"metrics-core {command}" in out.read_text()
    assert core(command.replace("s.csv", str(file)).split()) == 0
    execute(["--scores", str(file), "-o", str(out), "-m", "ms"])
    assert "no direction declared" in out.read_text() and "▼ worse" not in out.read_text()
    with pytest.raises(RanklensError, match="no scores of mss"):
        execute(["--scores", str(file), "-o", str(out), "-m", "mss"])


def test_without_judgments_it_shows_what_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.html"
    arguments = ["report", "none", *RUNS, "-o", str(out)]
    assert main([*arguments, "--queries", QUERIES, "--top", "5", "--with-data"]) == 0
    assert capsys.readouterr().out.strip().endswith("dense vs bm25, top 5")
    page = out.read_text()
    text = re.sub(r"\s+", " ", re.sub(r"<style.*?</style>|<[^>]+>", "", page, flags=re.S))
    assert core(["compare", "none", *RUNS, "--top", "5"]) == 0
    title = capsys.readouterr().out.split(". ")[0]
    assert title.startswith("dense changes") and title in text and "not judged" in text
    assert "vinegar for the robot" in text and "dense.run" in text
    with zipfile.ZipFile(BytesIO(extract_packed_collection(out.read_bytes()))) as packed:
        stored = "".join(
            packed.read(name).decode() for name in packed.namelist() if ".json" in name
        )
    assert "dense.run" in stored and "qrels" not in stored
    assert main([*arguments, "--public"]) == 0 and "dense" not in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "none", *RUNS, "-m", "AP"], "--measure needs judgments."),
        (["report", "none", *RUNS, "--documents", QUERIES], "--documents needs judgments."),
        (["report", "none", *RUNS, "--top", "0"], "a whole number from 1 upwards, not 0"),
        (["report", "none", RUNS[0]], "There is no run to compare with bm25."),
        (["figure", "curves", "none", *RUNS], "A figure needs judgments."),
    ],
)
def test_what_needs_judgments_is_refused_without_them(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
