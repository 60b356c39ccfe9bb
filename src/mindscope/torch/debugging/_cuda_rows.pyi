# SPDX-License-Identifier: Apache-2.0

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.torch.debugging.cuda_kernels import CudaKernels
from mindscope.torch.debugging.element_types import ElementType

class CudaRows:
    """The rows of one step on a device, each written by one kernel. Nothing in here waits for the device."""

    def __init__(self, device: torch.device, kernels: CudaKernels) -> None: ...
    @property
    def is_empty(self) -> bool:
        """Whether there are no rows."""

    def summarize(self, row: int, tensor: Tensor, element: ElementType) -> bool:
        """Write the statistics of a contiguous tensor into a row; False if it needs another way. Raises CudaError."""

    def summarize_memory(self, row: int, kind: int, data: int, count: int, near_max: float, tiny: float) -> bool:
        """As ``summarize``, of ``count`` elements at an address."""

    def update(self, row: int, now: Tensor, before: Tensor) -> bool:
        """Add the means of |now - before| and |before| to the row of a parameter; False if it needs another way."""

    def gathered(self) -> Tensor:
        """All rows in the order of ``write``, for a copy by the current stream. Shape (rows, fields and hash)."""

    def write(self, copied: NDArray[np.float64], values: NDArray[np.float64], digest: NDArray[np.uint64]) -> None:
        """Write what ``gathered`` gave, in the memory of the processor now, into rows of all devices."""
