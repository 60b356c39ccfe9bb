# SPDX-License-Identifier: Apache-2.0
"""Opens whole tensors of debugging data."""

from __future__ import annotations

from mindscope.analysis.tensors import TensorSource
from mindscope.debug.model.elements import TensorElements
from mindscope.errors import DebugDataError
from mindscope.server.debugger.sources import OpenSource


def tensor_source(opened: OpenSource, step: int, rank: int, row: int) -> TensorSource | None:
    """Return the tensor in a row of a step; None if only its statistics were recorded.

    A read raises if the client has disconnected or the request takes too long.
    Raises DebugDataError, FormatError, OSError.
    """
    rows = len(opened.at(step, rank).tensor)
    if row >= rows:
        raise DebugDataError(f"step {step} has {rows} tensors, no row {row}")
    elements = opened.elements(step, rank, row)
    return None if elements is None else source_of_elements(elements)


def source_of_elements(elements: TensorElements) -> TensorSource:
    """Return elements as a tensor that is sliced."""
    return TensorSource(
        shape=elements.shape,
        dtype=elements.array_dtype,
        is_exact=True,
        size_bytes=elements.size_bytes,
        read=elements.read,
        dtype_name=elements.dtype,
    )
