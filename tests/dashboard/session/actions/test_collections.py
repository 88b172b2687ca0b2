"""Collections taken out: the files of the example."""

from __future__ import annotations

import io
import zipfile

from dashboard.files.files import SAMPLE_FOLDER
from dashboard.session.actions.collections import pack_example


def test_the_example_files_are_those_that_are_read_as_they_are() -> None:
    with zipfile.ZipFile(io.BytesIO(pack_example())) as packed:
        names = packed.namelist()
        assert {"qrels.txt", "queries.csv", "dense.run"} <= set(names)
        assert not {"README.md", "build.py"} & set(names)
        assert all(packed.read(name) == (SAMPLE_FOLDER / name).read_bytes() for name in names)
