# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of one step, computed where the tensors are, and read later."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.debug.model.fields import FIELDS
from mindscope.stats._tensor_statistics import StatisticsRows, mix
from mindscope.torch.debugging.device_statistics import device_statistics, device_update
from mindscope.torch.debugging.element_types import BYTES, ELEMENT_TYPES, ElementType
from mindscope.torch.debugging.plain_tensors import NotSummarizedError, in_memory_order, is_of_torch_func, plain_tensor
from mindscope.torch.summary.host_copy import HostCopy

_LEAST_ROWS = 256
_PLAIN_TYPES = (Tensor, torch.nn.Parameter)


class Vectors(NamedTuple):
    """One row for each tensor that was summarized."""

    values: NDArray[np.float64]
    """Columns as in ``FIELDS``. (rows, fields)."""
    digest: NDArray[np.uint64]
    """(rows,)."""


class StepVectors:
    """Summarizes tensors, each once while it does not change. Nothing in here waits for a device.

    Tensors in memory of the processor are read by a compiled function on the spot. Those of other devices are reduced
    there; the results of a step are copied together, in the background.

    Args:
        capacity: rows that the step before needed.
        reasons: counts tensors that can't be summarized, by reason.
    """

    def __init__(self, capacity: int, reasons: Counter[str]) -> None:
        self._reasons = reasons
        self._count = 0
        self._known: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}  # id -> tensor, its version, row
        self._on_devices: dict[torch.device, list[tuple[int, Tensor, Tensor]]] = {}  # row, statistics, hash
        self._updates: dict[torch.device, list[tuple[int, Tensor]]] = {}
        self._copy: HostCopy | None = None  # of the rows of devices, once the step is over
        self._allocate(max(capacity, _LEAST_ROWS))

    @property
    def count(self) -> int:
        """Rows."""
        return self._count

    def _allocate(self, capacity: int) -> None:
        values, digest = np.empty((capacity, len(FIELDS))), np.empty(capacity, np.uint64)
        if self._count:
            values[: self._count], digest[: self._count] = self._values[: self._count], self._digest[: self._count]
        self._values, self._digest = values, digest
        self._rows = StatisticsRows(values, digest)
        self._capacity = capacity

    def _next_row(self) -> int:
        row = self._count
        if row == self._capacity:
            self._allocate(2 * row)
        self._count = row + 1
        return row

    def row_of(self, tensor: Tensor) -> int:
        """The row of a tensor, summarized now if it changed or is new; -1 if it can't be summarized."""
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == _version(tensor):
            return known[2]
        return self.new_row(tensor)

    def new_row(self, tensor: Tensor) -> int:
        """As ``row_of``, without a look at earlier rows."""
        try:
            row = self._summarized(tensor)
        except NotSummarizedError as reason:
            self._reasons[str(reason)] += 1
            return -1
        except Exception as error:  # an unknown kind of tensor must not end the training
            self._reasons[_reason(tensor, error)] += 1
            return -1
        self.set_row(tensor, row)
        return row

    def set_row(self, tensor: Tensor, row: int) -> None:
        """Have a tensor share the row of another one with the same elements."""
        version = _version(tensor)
        if version >= 0:
            self._known[id(tensor)] = (weakref.ref(tensor), version, row)

    def _summarized(self, tensor: Tensor) -> int:
        element = ELEMENT_TYPES.get(tensor.dtype)
        if type(tensor) not in _PLAIN_TYPES or element is None or not tensor.is_cpu or not tensor.is_contiguous():
            tensor = in_memory_order(plain_tensor(tensor))
            element = ELEMENT_TYPES[tensor.dtype]
        if not tensor.is_cpu:
            return self._add_of_device(tensor, element)
        address, count = tensor.data_ptr(), tensor.numel()
        if address == 0 and count:
            raise NotSummarizedError("tensor whose memory was freed")
        row = self._next_row()
        if element.code == BYTES:
            self._rows.summarize_bytes(row, address, count, element.meaning, element.near_max, element.tiny)
        else:
            self._rows.summarize(row, address, element.code, count)
        return row

    def _add_of_device(self, tensor: Tensor, element: ElementType) -> int:
        if tensor.numel() and tensor.untyped_storage().nbytes() == 0:
            raise NotSummarizedError("tensor whose memory was freed")
        statistics, hash_ = device_statistics(tensor, element)
        row = self._next_row()
        self._on_devices.setdefault(tensor.device, []).append((row, statistics, hash_))
        return row

    def add_update(self, row: int, now: Tensor, before: Tensor) -> None:
        """Add the means of |now - before| and |before| to the row of a parameter; ``before`` is like ``now``."""
        try:
            now, before = in_memory_order(plain_tensor(now)), in_memory_order(plain_tensor(before))
        except NotSummarizedError:
            return
        code = ELEMENT_TYPES[now.dtype].code
        if not now.is_cpu:
            self._updates.setdefault(now.device, []).append((row, device_update(now, before)))
        elif 0 <= code <= 3 and before.dtype is now.dtype and before.numel() == now.numel():
            self._rows.update(row, now.data_ptr(), before.data_ptr(), code, now.numel())

    def is_ready(self) -> bool:
        """Whether the rows of a finished step are in the memory of the processor."""
        return self._copy is None or self._copy.is_ready

    def finish(self) -> Callable[[], Vectors]:
        """No more tensors come. Returns a function that waits for the devices, and gives the rows."""
        self._known.clear()
        values, digest = self._values[: self._count], self._digest[: self._count]
        if not self._on_devices:
            return lambda: Vectors(values, digest)
        gathered: dict[tuple[str, str], Tensor] = {}
        for device, rows in self._on_devices.items():
            gathered["statistics", str(device)] = torch.stack([each[1] for each in rows])
            gathered["hash", str(device)] = torch.stack([each[2] for each in rows])
        for device, updates in self._updates.items():
            gathered["update", str(device)] = torch.stack([each[1] for each in updates])
        self._copy = copy = HostCopy(gathered)
        places = {("statistics", str(device)): [each[0] for each in rows] for device, rows in self._on_devices.items()}
        places |= {("update", str(device)): [each[0] for each in rows] for device, rows in self._updates.items()}

        devices = [str(device) for device in self._on_devices]

        def fetch() -> Vectors:
            read = {(name, device): tensor.numpy() for name, device, tensor in copy.values()}
            for device in devices:
                rows = places["statistics", device]
                values[rows, :14], values[rows, 14:] = read["statistics", device], np.nan
                for row, hash_ in zip(rows, read["hash", device].view(np.uint64).tolist(), strict=True):
                    digest[row] = mix(hash_, int(values[row, 0]))
                if ("update", device) in places:
                    values[places["update", device], 14:] = read["update", device]
            return Vectors(values, digest)

        return fetch


def _reason(tensor: Tensor, error: Exception) -> str:
    if is_of_torch_func(tensor):
        return "tensor of torch.func"
    return f"{type(error).__name__}: {error}"[:200]


def _version(tensor: Tensor) -> int:
    """How often a tensor was changed in place; -1 where PyTorch does not count it."""
    return -1 if tensor.is_inference() else tensor._version
