# SPDX-License-Identifier: Apache-2.0
"""States of the weights that together are larger than the memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from mindscope.landscape.blocks import Vector
from mindscope.python_syntax import parsed

MEMORY_LIMIT = 1 << 30
"""Bytes of the states in memory; the others are in files that are mapped."""


@contextmanager
def stored_states(vectors: Iterable[Vector], memory_limit: int = MEMORY_LIMIT) -> Generator[list[Vector]]:
    """Yield all vectors of an iterator that reads one after the other; temporary files hold those above the limit."""
    with TemporaryDirectory(prefix="mindscope_landscape_") as directory:
        states: list[Vector] = []
        used = 0
        for number, vector in enumerate(vectors):
            used += vector.nbytes
            if used > memory_limit:
                file = Path(directory) / f"{number}.npy"
                np.save(file, vector)
                vector = parsed(partial(np.load, file, mmap_mode="r"))
            states.append(vector)
        yield states
