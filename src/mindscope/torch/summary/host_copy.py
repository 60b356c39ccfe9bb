# SPDX-License-Identifier: Apache-2.0
"""Asynchronous copies of tensors from a device to host memory."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from mindscope.capture.array_conversion import to_array
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.framework_tensors import is_sharded, local_part
from mindscope.capture.pending import refusal
from mindscope.errors import ValueRejectedError
from mindscope.torch.core.sharding import gathered

Values = list[tuple[str, str, Any]]
"""Plugin, name and value of each."""


class HostCopy:
    """Copies of tensors by plugin and name, begun when it is made.

    From CUDA they go into pinned memory on a stream of their own, beside what the device computes; tensors of other
    devices are copied at once, and those of the CPU are taken as they are.
    """

    def __init__(self, tensors: Mapping[tuple[str, str], torch.Tensor]) -> None:
        streams: dict[torch.device, Any] = {}
        self._copies = {key: _begin(tensor, streams) for key, tensor in tensors.items()}
        self._events = [stream.record_event() for stream in streams.values()]

    @property
    def is_ready(self) -> bool:
        """Whether ``values`` returns without waiting."""
        return all(event.query() for event in self._events)

    def values(self) -> list[tuple[str, str, torch.Tensor]]:
        """Return (plugin, name, CPU tensor) by first insertion.

        Waits for the copies, not for later work of the device.
        """
        self._wait()
        return [(plugin, name, tensor) for (plugin, name), tensor in self._copies.items()]

    def deferred(self) -> Values:
        """Return the values without waiting for the copies: a recorder does that."""
        return [(plugin, name, self._deferred(tensor)) for (plugin, name), tensor in self._copies.items()]

    def _deferred(self, tensor: torch.Tensor) -> DeferredArray:
        def fetch() -> Any:
            self._wait()
            return to_array(tensor, np.ascontiguousarray)

        return DeferredArray(tensor.nbytes, fetch)

    def _wait(self) -> None:
        for event in self._events:
            event.synchronize()


class HandOver:
    """Called with the values of a step, gives them as a recorder takes them with the least to do now.

    Tensors of CUDA are cloned there, since the next step changes parameters in place, and set on their way. Those of
    the CPU are copied as arrays: a clone by PyTorch may wait for all threads that compute. Whether a copy can be
    recorded, the recorder finds out on a thread of its own. What it refuses for its shape is not copied.

    Args:
        is_gathering: whether histograms of DTensors are those of the whole, for which all processes have to call this.
            Else they are those of the part of this process, which needs no communication.
    """

    def __init__(self, is_gathering: bool = False) -> None:
        self._buffers = BufferPool()
        self._is_gathering = is_gathering

    def __call__(self, values: Values) -> Values:
        """Return the values in their order."""
        values = [(plugin, name, self._in_process(plugin, value)) for plugin, name, value in values]
        clones = {
            (plugin, name): value.detach().clone()
            for plugin, name, value in values
            if _is_on_cuda(value) and refusal(plugin, name, value) is None
        }
        if not clones:
            return [(plugin, name, self._copied(plugin, value)) for plugin, name, value in values]
        deferred = {(plugin, name): value for plugin, name, value in HostCopy(clones).deferred()}
        return [(plugin, name, deferred.get((plugin, name), value)) for plugin, name, value in values]

    def _in_process(self, plugin: str, value: Any) -> Any:
        """Return the tensor of this process for a DTensor.

        It returns the value itself if it is none, or holds only a summand.
        """
        if not is_sharded(value):
            return value
        if self._is_gathering and plugin == "histogram":
            return gathered(value)
        with contextlib.suppress(ValueRejectedError):  # the recorder counts it, with the reason
            return local_part(value)
        return value

    def _copied(self, plugin: str, value: Any) -> Any:
        array = as_array(value)
        if type(array) is not np.ndarray:
            return array
        if plugin == "scalar":
            return array.item() if array.size == 1 else array
        if refusal(plugin, "", array) is not None:
            return array
        copy = self._buffers.copy(array)
        return DeferredArray(copy.nbytes, lambda: copy, self._buffers.release)


def as_array(value: Any) -> Any:
    """Return the array that shares memory with a tensor; the value itself if it has none.

    What is done to an array costs a fraction of what it costs PyTorch, which looks for the right kernel each time.
    """
    if not isinstance(value, torch.Tensor):
        return value
    try:
        return (value.detach() if value.requires_grad else value).numpy()
    except (TypeError, RuntimeError):  # of a type that NumPy doesn't have, of another device, sparse, conjugate
        return value


def _is_on_cuda(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_cuda and not is_sharded(value)


def _begin(tensor: torch.Tensor, streams: dict[torch.device, Any]) -> torch.Tensor:
    if tensor.device.type != "cuda" or tensor.layout != torch.strided:
        return tensor.cpu()
    stream = streams.get(tensor.device)
    if stream is None:
        stream = streams[tensor.device] = torch.cuda.Stream(tensor.device)
        stream.wait_stream(torch.cuda.current_stream(tensor.device))
    with torch.cuda.stream(stream):
        copy = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        copy.copy_(tensor, non_blocking=True)
    tensor.record_stream(stream)  # its memory is not given to others before the copy is done
    return copy
