# SPDX-License-Identifier: Apache-2.0
"""Keeps one Python object in a file between two processes of mindscope; its arrays are mapped into memory on opening.

byte 0   uint64: length N of the pickle, uint64: number of buffers
    16   N bytes: a pickle that has its large buffers outside
         uint64 for each buffer: its length
         then the buffers, each from a multiple of 64 on

A pickle runs what it names: open only what this program wrote, in a folder that is its alone.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.store.mapped_columns import mapped_file

_ALIGNMENT = 64


def save_object(path: Path, value: Any) -> None:
    """Write a file. Raises OSError."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    lengths = np.array([each.nbytes for each in views], "<u8")
    front = len(pickled).to_bytes(8, "little") + len(views).to_bytes(8, "little") + pickled + lengths.tobytes()
    with path.open("wb") as file:
        file.write(front.ljust(_aligned(len(front)), b"\0"))
        for view in views:
            file.write(view)
            file.write(bytes(_aligned(view.nbytes) - view.nbytes))


def open_object(path: Path) -> Any:
    """Return the object of a file that ``save_object`` wrote; the file may go then. Raises OSError."""
    data = mapped_file(path)
    length, count = (int(each) for each in data[:16].view("<u8"))
    first = 16 + length
    lengths = [int(each) for each in np.frombuffer(data[first : first + 8 * count].tobytes(), "<u8")]
    return pickle.loads(data[16:first].data, buffers=_buffers(data.data, first + 8 * count, lengths))


def _buffers(data: memoryview, front: int, lengths: list[int]) -> Iterator[memoryview]:
    at = _aligned(front)
    for length in lengths:
        yield data[at : at + length]
        at += _aligned(length)


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
