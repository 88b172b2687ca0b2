"""The comparison with what trec_eval itself printed."""

from __future__ import annotations

from pathlib import Path

from benchmarks.goldens import own_tests


def test_own_tests_count_the_lines_that_are_printed_otherwise(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    line = f"{'map':<22}\tall\t1.0000\n"
    (tmp_path / "same").write_text(line)
    (tmp_path / "other").write_text(line.replace("1", "0"))
    (tmp_path / "longer").write_text(line * 2)
    (tmp_path / "README.txt").write_text(
        "Options and files\n"
        + "".join(f" -m map qrels run -> {name}\n" for name in ("same", "other", "longer"))
    )
    assert [wrong for _, wrong in own_tests(tmp_path)] == [0, 1, 1]
