# SPDX-License-Identifier: Apache-2.0
"""Databases and directories with random damage end in a clear state: runs, named damage, or named files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.analysis.stored_values import find_values
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.store import RunStore
from mindscope.types import Kind

from .packed_logs import unpack

TARGETS = {"mlflow": "mlflow.db", "trackio": "digits.db"}
NAMED = {
    "tracker_database_damaged", "tracker_rows_damaged", "tracker_record_unread", "tracker_database_copied",
    "tracker_left_out", "file_exchanged", "logs_of_mlflow",
}  # fmt: skip


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("originals")
    for name in (*TARGETS, "mlflow_files"):
        unpack(name, base / name)
    return base


def read_values(store: RunStore) -> None:
    for kind in set(store.tag_counts()) - {Kind.SCALAR}:
        for tag in store.tags(kind):
            values = find_values(store, kind, tag)
            for row in range(len(values.references.step)):
                with contextlib.suppress(FormatError):
                    values.read(values.references, row)


def codes_of(base: Path) -> Iterator[str]:
    """Read everything; yields the codes of what was named."""
    catalog = Catalog(base)
    catalog.refresh()
    yield from (path.reason.code for path in catalog.unreadable)
    for store in catalog.runs.values():
        read_values(store)
        for facts in store.files:
            yield from (damage.detail.code for damage in facts.damages)
            yield from (note.code for note in facts.notes)


@given(
    name=st.sampled_from(sorted(TARGETS)),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=40),
    length=st.one_of(st.just(1.0), st.floats(0, 1)),
)
def test_databases_with_other_bytes(originals: Path, name: str, flips: list[tuple[float, int]], length: float) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        path = base / TARGETS[name]
        data = bytearray((originals / name / TARGETS[name]).read_bytes())
        for position, bits in flips:
            data[int(position * (len(data) - 1))] ^= bits
        path.write_bytes(data[: int(len(data) * length)])
        assert set(codes_of(base)) <= NAMED


@given(data=st.data(), text=st.binary(max_size=60), position=st.floats(0, 1))
def test_files_with_other_bytes(originals: Path, data: st.DataObject, text: bytes, position: float) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory) / "mlruns"
        shutil.copytree(originals / "mlflow_files" / "mlruns", base)
        paths = sorted(path for path in base.rglob("*") if path.is_file() and "artifacts" not in path.parts)
        path = data.draw(st.sampled_from(paths))
        content = path.read_bytes()
        cut = int(position * len(content))
        path.write_bytes(content[:cut] + text)
        os.utime(path)
        assert set(codes_of(base)) <= NAMED
