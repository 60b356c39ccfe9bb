# SPDX-License-Identifier: Apache-2.0
"""A copy of a network's weights in host memory, for which training does not wait."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mindscope.errors import FrameworkError
from mindscope.torch.core.trained_weights import trained_weights
from mindscope.torch.core.weight_files import write_weights

_SAME_SIZE = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Types that NumPy has, by bytes."""


class TensorCopy:
    """A ``WeightCopy``: tensors by name, which are complete when ``events`` have happened."""

    def __init__(self, tensors: dict[str, Tensor], events: list[Any]) -> None:
        self.tensors = tensors
        self._events = events

    @property
    def size(self) -> int:
        """Size in bytes."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    def write(self, file: Path) -> None:
        """Write the tensors as safetensors. Raises OSError."""
        for event in self._events:
            event.synchronize()
        write_weights(self.tensors, file)


def copy_weights(network: nn.Module, spare: TensorCopy | None = None) -> TensorCopy:
    """Copy the weights as they are after what the device was given to do until now.

    The memory of ``spare`` is used again: new memory costs more than the copying, since each page is a fault and for
    CUDA it is pinned. A copy from CUDA is queued on the stream that computes, before the next step changes the weights.
    So it takes no memory of the device, and the device waits for it, not this thread.

    Raises:
        FrameworkError: they are sharded, or of a kind that a checkpoint can't hold; the text names the parameter.
    """
    weights = trained_weights(network)
    for name, each in weights.items():
        _check(name, each)
    former = {} if spare is None else spare.tensors
    tensors = {name: _memory(each, former.get(name)) for name, each in weights.items()}
    for name, each in weights.items():
        _copy(each.detach(), tensors[name])
    devices = {weight.device for weight in weights.values() if weight.is_cuda}
    return TensorCopy(tensors, [torch.cuda.current_stream(device).record_event() for device in devices])


def _check(name: str, tensor: Tensor) -> None:
    """Raises FrameworkError where a checkpoint can't hold it."""
    kind = None
    if tensor.layout != torch.strided:
        kind = f"its layout is {tensor.layout}"
    elif tensor.is_quantized or tensor.is_meta or tensor.dtype == torch.complex128:
        kind = f"it is {'on the device meta' if tensor.is_meta else tensor.dtype}"
    elif hasattr(tensor, "__tensor_flatten__"):  # it wraps others, as quantized weights of torchao do
        kind = f"it is a {type(tensor).__name__}"
    if kind is not None:
        raise FrameworkError(f"parameter {name} can't be kept: {kind}, want a dense tensor of a type of safetensors")


def _memory(tensor: Tensor, former: Tensor | None) -> Tensor:
    if former is not None and former.shape == tensor.shape and former.dtype == tensor.dtype:
        return former
    with contextlib.suppress(RuntimeError):  # the limit of pinned memory
        return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=tensor.is_cuda)
    return torch.empty(tensor.shape, dtype=tensor.dtype)


def _copy(source: Tensor, target: Tensor) -> None:
    """Copy without waiting: for the device, or for PyTorch's own threads, which compute."""
    if source.device.type != "cpu" or source.is_conj() or source.is_neg():
        target.copy_(source, non_blocking=target.is_pinned())
        return
    same = _SAME_SIZE[source.element_size()]
    np.copyto(target.view(same).numpy(), source.view(same).numpy())
