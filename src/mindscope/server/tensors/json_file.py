# SPDX-License-Identifier: Apache-2.0
"""Writes a slice of a tensor as JSON, block by block."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey, sliced_shape
from mindscope.analysis.tensors import TensorSource
from mindscope.formats.portable_array import portable_array


def json_chunks(source: TensorSource, key: SliceKey, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield an object with ``facts``, dtype, shape and ``values``: nested lists in the shape of the slice.

    Numbers are exact. NaN, infinities and complex numbers are texts.
    """
    shape = sliced_shape(key)
    head = json.dumps({**facts, "dtype": str(source.dtype), "shape": shape}, ensure_ascii=False)
    yield head[:-1] + ', "values": ' + "[" * min(len(shape), 1)
    lead = ""
    for origin, block in source.blocks(key):
        if len(shape) < 2:
            yield lead + ",".join(_words(block.reshape(-1)))
        else:
            lines = [",".join(_words(line)) for line in block]
            begin, end = origin[1], origin[1] + block.shape[1]
            yield ("," if begin else lead + "[") + "],\n[".join(lines) + ("]" if end == shape[1] else "")
        lead = ",\n"
    yield "]" * min(len(shape), 1) + "}\n"


def _words(values: NDArray[Any]) -> Iterator[str]:
    """Return each value as JSON."""
    portable: NDArray[Any] = portable_array(values)
    texts = cast("list[str]", portable.astype(np.str_).tolist())
    return map(_WRITERS.get(portable.dtype.kind, _quoted), texts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(text: str) -> str:
    return f'"{text}"' if text[-1] in "fn" else text  # inf and nan


_WRITERS: Mapping[str, Callable[[str], str]] = {"b": str.lower, "i": str, "u": str, "f": _number}
"""Functions by the kind of the dtype; any other kind is quoted."""
