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

from mindscope.debug.model.fields import FIELDS
from mindscope.stats._tensor_statistics import StatisticsRows, mix
from mindscope.torch.debugging._step_rows import TensorRows
from mindscope.torch.debugging.device_statistics import device_statistics, device_update
from mindscope.torch.debugging.element_types import BYTES, ELEMENT_TYPES, ElementType
from mindscope.torch.debugging.plain_tensors import NotSummarizedError, in_memory_order, is_of_torch_func, plain_tensor
from mindscope.torch.summary.host_copy import HostCopy

_LEAST_ROWS = 256
_PLAIN_TYPES = (Tensor, torch.nn.Parameter)
_CODES = {dtype: element.code for dtype, element in ELEMENT_TYPES.items() if element.code != BYTES}


class Vectors(NamedTuple):
    """One row for each tensor that was summarized."""

    values: NDArray[np.float64]
    """Columns as in ``FIELDS``. (rows, fields)."""
    digest: NDArray[np.uint64]
    """(rows,)."""


class StepVectors(TensorRows):
    """Summarizes tensors, each once while it does not change. Nothing in here waits for a device.

    Tensors in memory of the processor are read by a compiled function on the spot. Those of other devices are reduced
    there; the results of a step are copied together, in the background.

    Args:
        capacity: rows that the step before needed.
        reasons: counts tensors that can't be summarized, by reason.
    """

    def __init__(self, capacity: int, reasons: Counter[str]) -> None:
        super().__init__(_PLAIN_TYPES, _CODES)
        self._reasons = reasons
        self._on_devices: dict[torch.device, list[tuple[int, Tensor, Tensor]]] = {}  # row, statistics, hash
        self._updates: dict[torch.device, list[tuple[int, Tensor]]] = {}
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
        """The row of a tensor that needs more than a look at its memory; -1 if it can't be summarized."""
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
        if not tensor.is_cpu:
            return self._add_of_device(tensor, element)
        address, count = tensor.data_ptr(), tensor.numel()
        if address == 0 and count:
            raise NotSummarizedError("tensor whose memory was freed")
        row = self.next_row()
        if element.code == BYTES:
            self._rows.summarize_bytes(row, address, count, element.meaning, element.near_max, element.tiny)
        else:
            self._rows.summarize(row, address, element.code, count)
        return row

    def _add_of_device(self, tensor: Tensor, element: ElementType) -> int:
        if tensor.numel() and tensor.untyped_storage().nbytes() == 0:
            raise NotSummarizedError("tensor whose memory was freed")
        statistics, hash_ = device_statistics(tensor, element)
        row = self.next_row()
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
        self.forget()
        values, digest = self._values[: self.count], self._digest[: self.count]
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
