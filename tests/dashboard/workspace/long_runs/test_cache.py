"""What the cache gives back is what was put in, or nothing."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from dashboard.workspace.disk import durable
from dashboard.workspace.long_runs import cache as caches
from dashboard.workspace.long_runs.cache import LAYOUTS, Cache, CachedValue

KEPT = CachedValue({"a": np.array([1, 2, 3])}, {"of": "it"})


def cache(folder: Path, largest: int = 1_000_000, *, may_write: bool = True) -> Cache:
    return Cache(folder / "cache", lambda: may_write, largest)


def test_what_was_kept_is_there_for_the_next_start(tmp_path: Path) -> None:
    cache(tmp_path).put("ranks", "a", "b", value=KEPT)
    found = cache(tmp_path).get("ranks", "a", "b")
    assert found is not None
    assert (found.arrays["a"].tolist(), found.metadata) == ([1, 2, 3], {"of": "it"})
    assert list(found.arrays) == ["a"]
    assert cache(tmp_path).get("ranks", "ab") is None
    assert cache(tmp_path).get("others", "a", "b") is None


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("size", [0, 1, 7])
def test_numbers_come_back_as_they_were(kind: type, size: int, tmp_path: Path) -> None:
    numbers = {"whole": np.arange(size, dtype=kind), "some": np.arange(2 * size, dtype=kind)[::2]}
    cache(tmp_path).put("ranks", "a", value=CachedValue(numbers))
    found = cache(tmp_path).get("ranks", "a")
    assert found is not None and found.metadata is None and list(found.arrays) == list(numbers)
    for name, values in numbers.items():
        assert found.arrays[name].dtype == kind
        np.testing.assert_array_equal(found.arrays[name], values)


def test_what_is_not_as_it_was_written_is_not_there(tmp_path: Path) -> None:
    cache(tmp_path).put("ranks", "a", value=KEPT)
    (path,) = (tmp_path / "cache" / "ranks").iterdir()
    whole = path.read_bytes()
    for place in range(0, len(whole), 17):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache(tmp_path).get("ranks", "a") is None
    for length in (0, 10, 40, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert cache(tmp_path).get("ranks", "a") is None


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    small = cache(tmp_path, 2_000)
    for number, name in enumerate("abc"):
        small.put("ranks", name, value=CachedValue({"a": np.zeros(30)}))
        for path in (tmp_path / "cache" / "ranks").iterdir():
            os.utime(path, (number, number))
        small.get("ranks", "a")
    small.put("ranks", "d", value=CachedValue({"a": np.zeros(60)}))
    assert small.get("ranks", "a") is not None and small.get("ranks", "d") is not None
    assert small.get("ranks", "b") is None


def test_a_table_was_used_when_what_is_known_of_it_was(tmp_path: Path) -> None:
    small = cache(tmp_path)
    names = []
    for number, content in enumerate((b"asked for" * 99, b"not asked" * 99)):
        name = hashlib.sha256(content).hexdigest()
        names.append(name)
        with small.open_draft() as draft:
            assert draft is not None
            draft.write(content)
            small.folder_store.put_table(name, draft)
        small.put(LAYOUTS, name, value=CachedValue(metadata=number))
    for path in (tmp_path / "cache").glob("*/*"):
        os.utime(path, (1, 1))
    before = durable.file_state(small.folder_store.table_path(names[0]))
    small.get(LAYOUTS, names[0])
    assert durable.file_state(small.folder_store.table_path(names[0])) == before
    whole = sum(path.stat().st_size for path in (tmp_path / "cache").glob("*/*"))
    cache(tmp_path, whole).put("ranks", "a", value=KEPT)
    assert not small.folder_store.find_table_problem(
        names[0]
    ) and small.folder_store.find_table_problem(names[1])


def test_a_table_that_is_open_stays(tmp_path: Path) -> None:
    small = cache(tmp_path, 10)
    content = b"as large as it is" * 9
    name = hashlib.sha256(content).hexdigest()
    reader = CachedValue()
    small.open_tables[name] = reader
    with small.open_draft() as draft:
        assert draft is not None
        draft.write(content[:9])
        draft.write(content[9:])
        assert draft.digest == name
        small.folder_store.put_table(name, draft)
    small.put("ranks", "b", value=KEPT)
    assert small.folder_store.read_table(name) == content
    del reader
    small.put("ranks", "a", value=KEPT)
    assert small.get("ranks", "a") is None and small.folder_store.find_table_problem(name)


def test_a_folder_that_is_only_read_gets_nothing(tmp_path: Path) -> None:
    only_read = cache(tmp_path, may_write=False)
    only_read.put("ranks", "a", value=KEPT)
    assert only_read.get("ranks", "a") is None
    with only_read.open_draft() as draft:
        assert draft is None
    assert not (tmp_path / "cache").exists()


def test_code_that_is_not_there_gives_no_other_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_READING_PACKAGES", ("tables", "onepass"))
    with pytest.raises(FileNotFoundError, match="onepass contains no code"):
        caches.reading_code_hash.__wrapped__()
