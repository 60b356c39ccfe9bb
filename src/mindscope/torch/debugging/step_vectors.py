# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of one step, computed where the tensors are, and read later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.stats._tensor_statistics import StatisticsRows
from mindscope.torch.debugging._cuda_rows import CudaRows
from mindscope.torch.debugging._step_rows import TensorRows, is_freed
from mindscope.torch.debugging.device_rows import DeviceRows
from mindscope.torch.debugging.element_types import BYTES, ELEMENT_TYPES, ElementType
from mindscope.torch.debugging.plain_tensors import NotSummarizedError, in_memory_order, is_of_torch_func, plain_tensor
from mindscope.torch.summary.host_copy import HostCopy

_LEAST_ROWS = 256
_NON_FINITE = slice(COLUMN[Field.NAN], COLUMN[Field.NEGATIVE_INF] + 1)
_BAD = slice(COLUMN[Field.NAN], COLUMN[Field.POSITIVE_INF] + 1)
PLAIN_TYPES = (Tensor, torch.nn.Parameter)
_CODES = {dtype: element.code for dtype, element in ELEMENT_TYPES.items() if element.code != BYTES}
_LIMITS = {each.code: (each.near_max, each.tiny) for each in ELEMENT_TYPES.values() if each.code != BYTES}


class Vectors(NamedTuple):
    """One row for each tensor that was summarized."""

    values: NDArray[np.float64]
    """Columns as in ``FIELDS``. (rows, fields)."""
    digest: NDArray[np.uint64]
    """Digests of the bytes, shape (rows,)."""


class StepVectors(TensorRows):
    """Summarizes tensors, each once while it does not change. Nothing in here waits for a device.

    Tensors in memory of the processor are read by a compiled function on the spot. Those of other devices are reduced
    there, on CUDA by one kernel; the results of a step are copied together, in the background.

    Args:
        capacity: rows that the step before needed.
        reasons: counts tensors that can't be summarized, by reason.
    """

    def __init__(self, capacity: int, reasons: Counter[str]) -> None:
        super().__init__(PLAIN_TYPES, _CODES)
        self._reasons = reasons
        self._devices: dict[torch.device, DeviceRows] = {}
        self._cuda: dict[int, CudaRows | None] = {}  # those of self._devices, by number
        self._copy: HostCopy | None = None  # of the rows of devices, once the step is over
        self._allocate(max(capacity, _LEAST_ROWS))

    def _allocate(self, capacity: int) -> None:
        values, digest = np.empty((capacity, len(FIELDS))), np.empty(capacity, np.uint64)
        if self.count:
            values[: self.count], digest[: self.count] = self._values[: self.count], self._digest[: self.count]
        self._values, self._digest = values, digest
        self._rows = StatisticsRows(values, digest)
        self.set_room(self._rows.summarize, capacity)

    def grow(self) -> None:
        """Make room for more rows."""
        self._allocate(2 * self.count)

    def summarize_other(self, tensor: Tensor) -> int:
        """Return the row of a tensor that needs more than a look at its memory; -1 if it can't be summarized."""
        try:
            return self._summarized(tensor)
        except NotSummarizedError as reason:
            self._reasons[str(reason)] += 1
        except Exception as error:  # an unknown kind of tensor must not end the training
            self._reasons[_reason(tensor, error)] += 1
        return -1

    def _summarized(self, tensor: Tensor) -> int:
        tensor = in_memory_order(plain_tensor(tensor))
        element = ELEMENT_TYPES[tensor.dtype]
        if is_freed(tensor):
            raise NotSummarizedError("tensor whose memory was freed")
        if not tensor.is_cpu:
            return self._add_of_device(tensor, element)
        row, address, count = self.next_row(), tensor.data_ptr(), tensor.numel()
        if element.code == BYTES:
            self._rows.summarize_bytes(row, address, count, element.meaning, element.near_max, element.tiny)
        else:
            self._rows.summarize(row, address, element.code, count)
        return row

    def _add_of_device(self, tensor: Tensor, element: ElementType) -> int:
        row = self.next_row()
        self._rows_of(tensor.device).summarize(row, tensor, element)
        return row

    def summarize_on_cuda(self, row: int, device: int, code: int, address: int, count: int) -> bool:
        """Write a row of a tensor in memory of a CUDA device; False if it needs another way."""
        rows = self._cuda.get(device)
        if rows is None:
            rows = self._cuda[device] = self._rows_of(torch.device("cuda", device)).cuda
        return rows is not None and rows.summarize_memory(row, code, address, count, *_LIMITS[code])

    def _rows_of(self, device: torch.device) -> DeviceRows:
        rows = self._devices.get(device)
        if rows is None:
            rows = self._devices[device] = DeviceRows(device)
        return rows

    def add_update(self, row: int, now: Tensor, before: Tensor) -> None:
        """Add the means of |now - before| and |before| to the row of a parameter; ``before`` is like ``now``."""
        try:
            now, before = in_memory_order(plain_tensor(now)), in_memory_order(plain_tensor(before))
        except NotSummarizedError:
            return
        code = ELEMENT_TYPES[now.dtype].code
        if not now.is_cpu:
            self._rows_of(now.device).update(row, now, before)
        elif 0 <= code <= 3 and before.dtype is now.dtype and before.numel() == now.numel():
            self._rows.update(row, now.data_ptr(), before.data_ptr(), code, now.numel())

    def may_be_bad(self, row: int, tensor: Tensor) -> bool:
        """Return whether the row of a tensor has NaN or infinities; True on a device, which is not waited for."""
        return not tensor.is_cpu or bool(self._values[row, _NON_FINITE].any())

    @property
    def has_bad(self) -> bool:
        """Whether a row that the processor computed has NaN or +infinity: -infinity is common in masks."""
        return bool(self._values[: self.count, _BAD].any())

    def is_ready(self) -> bool:
        """Return whether the rows of a finished step are in the memory of the processor."""
        return self._copy is None or self._copy.is_ready

    def finish(self) -> Callable[[], Vectors]:
        """End the vectors, as no more tensors come.

        Returns a function that waits for the devices, and gives the rows.
        """
        self.forget()
        values, digest = self._values[: self.count], self._digest[: self.count]
        if not self._devices:
            return lambda: Vectors(values, digest)
        parts = {
            (name, str(device)): tensor
            for device, rows in self._devices.items()
            for name, tensor in rows.gathered().items()
        }
        self._copy, devices = HostCopy(parts), self._devices
        copy = self._copy

        def fetch() -> Vectors:
            read = {(name, device): tensor for name, device, tensor in copy.values()}
            for device, rows in devices.items():
                copied = {name: tensor for (name, of), tensor in read.items() if of == str(device)}
                rows.write(copied, values, digest)
            return Vectors(values, digest)

        return fetch


def _reason(tensor: Tensor, error: Exception) -> str:
    if is_of_torch_func(tensor):
        return "tensor of torch.func"
    return f"{type(error).__name__}: {error}"[:200]
