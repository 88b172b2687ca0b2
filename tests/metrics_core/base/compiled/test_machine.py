"""Which object file is loaded: the one that was made for this part and machine, whole, or none."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from metrics_core.__main__ import main as command_line
from metrics_core.base.compiled import machine
from metrics_core.base.compiled.signatures import SIGNATURES
from metrics_core.base.whole_files import read_checksummed_file, write_checksummed_file

ROOT = Path(__file__).parents[4]
BUILDING = "metrics_core.base.compiled.building"
PARTS = tuple(SIGNATURES)


class _MadeAnewError(Exception):
    """Stands in for compiling, which takes seconds."""


def _name(part: str) -> str:
    return machine._file_name(part)


@pytest.fixture(scope="module")
def codes() -> dict[str, bytes]:
    """The code of each part, as it is kept for this machine."""
    kept = {}
    for part in PARTS:
        machine.compiled_functions(part)
        read = [read_checksummed_file(folder / _name(part)) for folder in machine._cache_folders()]
        kept[part] = next((bytes(code) for code in read if code is not None), b"")
        if not kept[part]:
            pytest.skip("nothing can be kept here")
    return kept


def _sealed(codes: dict[str, bytes], folder: Path) -> dict[str, bytes]:
    """What stands in the file of each part, put into this folder."""
    for part, code in codes.items():
        write_checksummed_file(folder / _name(part), code)
    return {part: (folder / _name(part)).read_bytes() for part in codes}


def _damaged(files: dict[str, bytes], part: str, count: int) -> Iterator[bytes]:
    """So many damages of the file of a part, of each kind in turn."""
    whole, chance = files[part], random.Random(f"{part}{count}")
    for number in range(count):
        at = chance.randrange(len(whole))
        size = min(chance.choice((1, 8, 512, 4096)), len(whole) - at)
        match number % 8:
            case 0:
                yield whole[:at]
            case 1:
                yield whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
            case 2:
                other = next(
                    i for i in range(at, at + len(whole)) if whole[i - len(whole)] != whole[at]
                )
                swapped = bytearray(whole)
                swapped[at], swapped[other - len(whole)] = whole[other - len(whole)], whole[at]
                yield bytes(swapped)
            case 3:
                yield whole[:at] + chance.randbytes(size) + whole[at + size :] + b"\0"
            case 4:
                yield chance.randbytes(size)
            case 5:
                yield next(files[other] for other in files if other != part)
            case 6:
                yield whole[32:]  # without the seal, as it once was kept
            case _:
                yield b"" if number % 3 else bytes(len(whole))


@pytest.mark.parametrize("part", PARTS)
def test_damaged_code_is_made_anew(
    part: str, codes: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(part: str) -> bytes:
        raise _MadeAnewError

    monkeypatch.setenv("RANKLENS_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, BUILDING, SimpleNamespace(compile_part=refused))
    files = _sealed(codes, tmp_path)
    load = machine._load_part.__wrapped__
    assert load(part)
    for damaged in _damaged(files, part, 250):
        (tmp_path / _name(part)).write_bytes(damaged)
        with pytest.raises(_MadeAnewError):
            load(part)


def test_what_was_made_anew_is_kept_whole(
    codes: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_CACHE", str(tmp_path / "new"))
    monkeypatch.setitem(sys.modules, BUILDING, SimpleNamespace(compile_part=codes.__getitem__))
    for _ in range(2):
        assert machine._load_part.__wrapped__("sums")
        assert read_checksummed_file(tmp_path / "new" / _name("sums")) == codes["sums"]
        assert [path.name for path in (tmp_path / "new").iterdir()] == [_name("sums")]
        (tmp_path / "new" / _name("sums")).write_bytes(b"")


def test_who_waits_is_told_that_it_compiles_also_in_the_log_of_a_pipeline(
    codes: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RANKLENS_CACHE", str(tmp_path))
    said: list[str] = []

    def made(part: str) -> bytes:
        said.append(machine.compilation_message())
        return codes[part]

    monkeypatch.setitem(sys.modules, BUILDING, SimpleNamespace(compile_part=made))
    told = "Compiling once for this machine (about 3 s) …"
    for expected in (f"{told}\n", ""):
        assert machine._load_part.__wrapped__("sums")
        assert capsys.readouterr() == ("", expected)  # the second time it is there
    assert said == [told] and not machine.compilation_message()  # a page asks, whoever waits
    assert machine._SECONDS.keys() == SIGNATURES.keys()


def test_work_that_compiling_would_not_pay_for_waits_until_it_is_compiled(
    codes: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RANKLENS_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, BUILDING, SimpleNamespace(compile_part=codes.__getitem__))
    amounts = (0, 9, 10, 79, 80)
    assert [machine.is_worth_loading("rows", n, 10) for n in amounts] == [False] * 4 + [True]
    machine._load_part.cache_clear()
    assert command_line(["prepare"]) == 0
    assert capsys.readouterr().out == f"The code compiled for this machine is in {tmp_path}.\n"
    assert {path.name for path in tmp_path.iterdir()} == {_name(part) for part in PARTS}
    assert [machine.is_worth_loading("rows", n, 10) for n in amounts] == [False] * 2 + [True] * 3


def test_a_folder_that_takes_nothing_is_gone_without(
    codes: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("RANKLENS_CACHE", str(tmp_path / "taken"))
    monkeypatch.setitem(sys.modules, BUILDING, SimpleNamespace(compile_part=codes.__getitem__))
    assert machine._load_part.__wrapped__("sums")


# In processes of their own, which damaged code would end

_COMPARING = """
import sys
from pathlib import Path
from types import SimpleNamespace

if sys.argv[1]:
    whole = Path(sys.argv[1]).read_bytes()
    building = SimpleNamespace(compile_part=lambda _: whole)
    sys.modules["metrics_core.base.compiled.building"] = building
from metrics_core.__main__ import main

sys.exit(main(["compare", "-m", "AP,nDCG@10", *sys.argv[2:]]))
"""


def _compared(
    folder: Path, cache: Path, code: Path | str, before: str = ""
) -> tuple[int, str, str]:
    """How a comparison ends and what it says; the file `code` stands in for compiling, if any, and
    the process runs what is to come `before`."""
    files = [str(folder / name) for name in ("a.qrels", "a.run", "b.run")]
    done = subprocess.run(
        [sys.executable, "-c", before + _COMPARING, str(code), *files],
        cwd=ROOT,
        env={**os.environ, "RANKLENS_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    chance = random.Random(5)
    rows = [(q, d) for q in range(30) for d in range(6)]
    (tmp_path / "a.qrels").write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q, d in rows))
    for name in ("a.run", "b.run"):
        lines = (f"q{q} Q0 d{d} 1 {chance.random()} {name}\n" for q, d in rows)
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.thorough)])
def test_damaged_code_changes_no_number(
    count: int, codes: dict[str, bytes], collection: Path
) -> None:
    files = _sealed(codes, collection / "whole")
    expected = _compared(collection, collection / "whole", "")
    assert expected[0] == 0 and "AP" in expected[1]
    (collection / "code").write_bytes(codes["sums"])

    def compared(given: tuple[int, bytes]) -> tuple[int, str, str]:
        number, damaged = given
        cache = collection / str(number)
        cache.mkdir()
        (cache / _name("sums")).write_bytes(damaged)
        # The first is compiled in earnest.
        ended = _compared(collection, cache, collection / "code" if number else "")
        assert read_checksummed_file(cache / _name("sums")) is not None
        said = ended[2].replace("Compiling once for this machine (about 3 s) …\n", "")
        assert said != ended[2]
        return (*ended[:2], said)

    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(compared, enumerate(_damaged(files, "sums", count))))
    assert ended == [expected] * count


_REFUSING = """
import ctypes, sys

if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE, as of Linux 6.3
    sys.exit(77)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_where_no_code_may_be_loaded_it_is_said(collection: Path) -> None:
    code, said, wrong = _compared(collection, collection / "none", "", _REFUSING)
    if code == 77:
        pytest.skip("this system cannot refuse it")
    assert (code, said) == (2, "")
    assert "does not allow programs to run code that they compile themselves" in wrong
    assert "MemoryDenyWriteExecute=no" in wrong
