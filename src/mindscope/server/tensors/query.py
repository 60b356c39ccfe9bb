# SPDX-License-Identifier: Apache-2.0
"""Opens tensors by id, and makes messages of their statistics and heat maps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis import tensors
from mindscope.analysis.heat_maps import heat_map
from mindscope.analysis.slices import read_slice, sliced_shape
from mindscope.analysis.tensor_statistics import tensor_statistics, whole
from mindscope.analysis.tensors import TensorSource
from mindscope.ingest import Catalog
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.json_numbers import finite
from mindscope.server.tensors.schema import HeatColumns, HeatHeader, TensorStatisticsAnswer
from mindscope.server.tensors.table import axis_spans, cell_texts, table_key
from mindscope.types import Kind


def open_tensor(catalog: Catalog, run: str, tag: str, id: str) -> TensorSource | None:
    """Return the tensor that ``/api/values`` calls ``id``; None if the log has no such value.

    A read raises if the client has disconnected or the request takes too long.
    Raises RunNotFoundError, TagNotFoundError, FormatError if the value can't be read.
    """
    source = tensors.open_tensor(catalog.run(run), Kind.TENSOR, tag, id)
    if source is None:
        return None

    def read(start: int, count: int) -> NDArray[Any]:
        check_connected()
        return source.read(start, count)

    return dataclasses.replace(source, read=read)


def summarize_tensor(source: TensorSource, texts: Sequence[str], bins: int) -> TensorStatisticsAnswer:
    """Return statistics of a slice, with a histogram of at most ``bins`` buckets unless 0.

    Without ``texts``, the slice is the whole tensor.

    Raises SliceError.
    """
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


def pack_heat(source: TensorSource, texts: Sequence[str], rows: int, columns: int) -> Packed:
    """Return the heat map of a slice of at most two dimensions. Raises SliceError."""
    key = table_key(source, texts)
    found = heat_map(source, key, rows, columns)
    down, across = axis_spans(key)
    is_vector = len(sliced_shape(key)) < 2
    header = HeatHeader(
        shape=found.shape,
        cells=found.value.shape,
        rows=across if is_vector else down,
        columns=down if is_vector else across,
        is_reduced=found.is_reduced,
        minimum=found.minimum,
        maximum=found.maximum,
        columns_data=HeatColumns(
            value=found.value,
            odd=found.non_finite,
        ),
    )
    return pack(header)


def _text(element: Any, dtype: np.dtype[Any]) -> str | None:
    """Return an element as text, in the dtype of the tensor; a magnitude of a complex number keeps its own dtype."""
    if element is None:
        return None
    cell = np.asarray(element).reshape(1, 1)
    return cell_texts(cell if dtype.kind == "c" else cell.astype(dtype))[0][0]
