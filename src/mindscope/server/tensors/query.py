# SPDX-License-Identifier: Apache-2.0
"""Tensors of a run: opened by id, and their statistics as messages."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis import tensors
from mindscope.analysis.slices import read_slice
from mindscope.analysis.tensor_statistics import tensor_statistics, whole
from mindscope.analysis.tensors import TensorSource
from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.json_numbers import finite
from mindscope.server.tensors.schema import TensorStatisticsAnswer
from mindscope.server.tensors.table import cell_texts
from mindscope.types import Kind


def open_tensor(catalog: Catalog, run: str, tag: str, id: str) -> TensorSource | None:
    """The tensor that ``/api/values`` calls ``id``; None when the log has no such value.

    A read raises when the client has disconnected, or when the request takes too long.
    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    source = tensors.open_tensor(catalog.run(run), Kind.TENSOR, tag, id)
    if source is None:
        return None

    def read(start: int, count: int) -> NDArray[Any]:
        check_connected()
        return source.read(start, count)

    return dataclasses.replace(source, read=read)


def summarize_tensor(source: TensorSource, texts: Sequence[str], bins: int) -> TensorStatisticsAnswer:
    """Over a slice, or over everything without texts; with a histogram when ``bins`` is not 0. Raises SliceError."""
    key = read_slice(texts, source.shape) if texts else whole(source)
    found = tensor_statistics(source, key, bins)
    return TensorStatisticsAnswer(
        shape=list(found.shape),
        count=found.count,
        zeros=found.zeros,
        nan=found.nan,
        positive_infinity=found.positive_infinity,
        negative_infinity=found.negative_infinity,
        minimum=_text(found.minimum, source.dtype),
        maximum=_text(found.maximum, source.dtype),
        mean=finite(found.mean),
        deviation=finite(found.deviation),
        edges=found.edges.tolist(),
        counts=found.counts.tolist(),
    )


def _text(element: Any, dtype: np.dtype[Any]) -> str | None:
    """An element as the tensor would write it; magnitudes of complex numbers as they are."""
    if element is None:
        return None
    cell = np.asarray(element).reshape(1, 1)
    return cell_texts(cell if dtype.kind == "c" else cell.astype(dtype))[0][0]
