"""What reading a plain file loads: no format of a tool, and nothing that only some files need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from metrics_core.formats import file_kinds, formats, registry
from metrics_core.formats.file_kinds import read_sample, recognise_source
from metrics_core.formats.registry import Kind, run_name
from metrics_core.formats.source.opening import open_source

_QRELS, _RUN = "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 2 x\n1 Q0 c 2 1 x\n"
_LATER = (
    "metrics_core.formats.tools",
    "metrics_core.formats.foreign_files",
    "metrics_core.formats.parsing.contents",
    "metrics_core.formats.source.parquet",
    "metrics_core.checks.id_mismatch",
    "hashlib",
    "secrets",
)

_EVALUATED = """
import sys
from metrics_core.__main__ import main
status = main(["evaluate", "my.qrels", "bm25.v2.run", "-m", "P@1"])
loaded = sorted(name for name in sys.modules if name.startswith(tuple(sys.argv[1].split())))
print(status, loaded)
"""


def test_a_plain_trec_file_loads_no_format_of_a_tool(tmp_path: Path) -> None:
    (tmp_path / "my.qrels").write_text(_QRELS)
    (tmp_path / "bm25.v2.run").write_text(_RUN)
    done = subprocess.run(
        [sys.executable, "-c", _EVALUATED, " ".join(_LATER)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


@pytest.mark.parametrize("kind", [None, "run", "qrels"])
@pytest.mark.parametrize(
    ("name", "text", "is_trec"),
    [
        ("a.run", _RUN, True),
        ("a.qrels", _QRELS, True),
        ("a.txt", _RUN.replace(" ", "\t"), True),
        ("a.txt", _QRELS.replace(" ", "\t"), True),
        # Files of tools whose fields could be those of TREC.
        ("a.txt", "2 qid:1 # 7\n0 qid:1 # 8\n", False),
        ("a.txt", "x 0 y 0\t0\t0.5\nx 0 y 0\t1\t0.4\n", False),
        ("a.txt", "x 0 y 7\n2 qid:1 # 7\n0 qid:1 # 8\n", False),
        ("a.json", '{"query_doc_pairs": 0 [] 1\n', False),
    ],
)
def test_files_are_recognised_as_with_all_formats(
    name: str, text: str, is_trec: bool, kind: Kind | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source(text.encode(), name)
    sample = read_sample(source)
    assert sample.has_trec_lines == is_trec

    def recognised() -> object:
        try:
            return recognise_source(source, sample, kind, None)
        except Exception as error:
            return str(error)

    # As in a process that has loaded no format of a tool so far.
    monkeypatch.setattr(registry, "_core_formats", _plain)
    by_some = recognised()
    monkeypatch.setattr(file_kinds, "formats_for", lambda _: formats())
    assert by_some == recognised()


def _plain() -> list[registry.Format]:
    return [own for own in formats() if ".tools." not in own.read.__module__]


@pytest.mark.parametrize("own", formats(), ids=lambda own: own.name)
def test_no_example_of_a_tool_is_taken_for_trec(own: registry.Format) -> None:
    if not own.example or own.name == "trec":
        return
    assert not read_sample(open_source(own.example.encode(), "a.txt")).has_trec_lines


def test_a_run_is_named_without_any_ending_that_is_known() -> None:
    endings = {ending for own in formats() for ending in own.endings}
    assert {run_name(f"a{ending}") for ending in endings} == {"a"}
