# SPDX-License-Identifier: Apache-2.0
"""Rows of statistics of one step in the memory of a device: by a kernel of CUDA, else by operators of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.stats._tensor_statistics import mix
from mindscope.torch.debugging._cuda_rows import CudaRows
from mindscope.torch.debugging.cuda_kernels import kernels_of
from mindscope.torch.debugging.device_statistics import device_statistics, device_update
from mindscope.torch.debugging.element_types import ElementType
from mindscope.torch.debugging.plain_tensors import NotSummarizedError

_UPDATES = COLUMN[Field.MEAN_ABS_UPDATE]


class DeviceRows:
    """The rows of a step that are computed on a device. Nothing in here waits for it."""

    def __init__(self, device: torch.device) -> None:
        kernels = kernels_of(device)
        self.cuda = None if kernels is None else CudaRows(device, kernels)
        """Rows that one kernel computes; None if this device has none."""
        self._is_cuda = device.type == "cuda"
        self._rows: list[int] = []
        self._statistics: list[Tensor] = []
        self._hashes: list[Tensor] = []
        self._updated: list[int] = []
        self._updates: list[Tensor] = []

    def summarize(self, row: int, tensor: Tensor, element: ElementType) -> None:
        """Compute a row of a contiguous tensor. Raises NotSummarizedError, and what operators of PyTorch raise."""
        if self.cuda is not None and self.cuda.summarize(row, tensor, element):
            return
        if self._is_cuda and torch.cuda.is_current_stream_capturing():
            raise NotSummarizedError("tensor while a CUDA graph is captured")
        statistics, hash_ = device_statistics(tensor, element)
        self._rows.append(row)
        self._statistics.append(statistics)
        self._hashes.append(hash_)

    def update(self, row: int, now: Tensor, before: Tensor) -> None:
        """Add the means of |now - before| and |before| to the row of a parameter; both are contiguous and alike."""
        if self.cuda is not None and self.cuda.update(row, now, before):
            return
        self._updated.append(row)
        self._updates.append(device_update(now, before))

    def gathered(self) -> dict[str, Tensor]:
        """Return all results, for a copy to the processor."""
        found = {} if self.cuda is None or self.cuda.is_empty else {"cuda": self.cuda.gathered()}
        parts = {"statistics": self._statistics, "hash": self._hashes, "update": self._updates}
        return found | {name: torch.stack(part) for name, part in parts.items() if part}

    def write(self, copied: Mapping[str, Tensor], values: NDArray[np.float64], digest: NDArray[np.uint64]) -> None:
        """Write what was copied of ``gathered`` into rows of all devices."""
        if self.cuda is not None and "cuda" in copied:
            self.cuda.write(copied["cuda"].numpy(), values, digest)
        if self._rows:
            values[self._rows, :_UPDATES], values[self._rows, _UPDATES:] = copied["statistics"].numpy(), np.nan
            hashes = copied["hash"].numpy().view(np.uint64).tolist()
            for row, hash_ in zip(self._rows, hashes, strict=True):
                digest[row] = mix(hash_, int(values[row, 0]))
        if self._updated:
            values[self._updated, _UPDATES:] = copied["update"].numpy()
