# SPDX-License-Identifier: Apache-2.0
"""Arguments of the calls of the host, in as few bytes as their values need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.kineto.host_calls import HostCalls
from mindscope.profile.trace.argument_columns import ArgumentNames, ArgumentSource
from mindscope.store.mapped_columns import mapped
from mindscope.table.columns import TextColumn

Ids = NDArray[np.signedinteger[Any]]
"""-1 where a call has none."""
_IDS = ("External id", "correlation")
_NODES = ("Sequence number", "Fwd thread id")
_TEXTS = ("Input Dims", "Input type", "Concrete Inputs")
_WITH_ARGUMENTS = (SliceRole.OPERATOR, SliceRole.LAUNCH, SliceRole.ANNOTATION)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """Columns beside n calls. Modules, Python frames and marks have none of them."""

    external_id: Ids
    """External ids, only of traces with work of devices, as ``correlation``."""
    correlation: Ids
    sequence: Ids
    has_forward_thread: NDArray[np.bool_]
    """Whether it names the thread that recorded it, as operators of the backward pass do."""
    dims: TextColumn
    """Shapes of the inputs, as JSON."""
    dtypes: TextColumn
    values: TextColumn
    """Values of the inputs that are no tensors."""


def call_arguments_of(source: ArgumentSource, calls: HostCalls, has_device: bool) -> CallArguments:
    """Return the arguments of calls. Raises OSError if they can't be read."""
    rows = np.flatnonzero(np.isin(calls.role, _WITH_ARGUMENTS)).astype(np.int32)
    wanted = ArgumentNames(integers=(*_IDS, *_NODES) if has_device else _NODES, texts=_TEXTS)
    found = source.of_slices(calls.slice[rows], wanted)

    def ids(name: str) -> Ids:
        return _beside(np.maximum(found.integers[name], -1), rows, len(calls), none=-1)

    def texts(name: str) -> TextColumn:
        column = found.texts[name]
        return TextColumn(_beside(column.codes, rows, len(calls), none=0), column.values)

    none: Ids = np.broadcast_to(np.full(1, -1, np.int32), len(calls))
    return CallArguments(
        ids("External id") if has_device else none,
        ids("correlation") if has_device else none,
        ids("Sequence number"),
        _beside(found.integers["Fwd thread id"] > 0, rows, len(calls), none=0),
        *map(texts, _TEXTS),
    )


def _beside(values: NDArray[Any], rows: NDArray[np.int32], count: int, none: int) -> NDArray[Any]:
    """Return the values of some of ``count`` calls, with ``none`` for the others; of 32 bits if they fit."""
    if values.dtype == np.int64 and values.max(initial=0) <= np.iinfo(np.int32).max:
        values = values.astype(np.int32)
    found = np.full(count, none, values.dtype)
    found[rows] = values
    return mapped(found)
