# SPDX-License-Identifier: Apache-2.0
"""Objects in files: equal after opening, arrays mapped, the file gone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import ByteRanges
from mindscope.store.object_file import open_object, save_object


def memory_under(array: NDArray[np.int64]) -> object:
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base


def test_objects_come_back_with_mapped_arrays_after_their_file_is_gone(tmp_path: Path) -> None:
    data = bytes(range(256)) * 300
    runs = ByteRanges(data, np.array([0, 3]), np.array([3, 7]))
    saved = {"texts": ["a", "é"], "numbers": np.arange(100_000), "blank": np.empty(0, np.int32), "runs": [runs, runs]}
    save_object(tmp_path / "object", saved)
    found = open_object(tmp_path / "object")
    (tmp_path / "object").unlink()
    assert found["texts"] == saved["texts"]
    assert found["numbers"].tolist() == list(range(100_000))
    assert not found["numbers"].flags.writeable
    assert isinstance(memory_under(found["numbers"]), memoryview)
    assert found["blank"].dtype == np.int32
    assert [each.bytes_of(1) for each in found["runs"]] == [data[3:7]] * 2
    assert found["runs"][0].hashes().tolist() == runs.hashes().tolist()
