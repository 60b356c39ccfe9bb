# SPDX-License-Identifier: Apache-2.0
"""Tensors on their way from a device to the memory of the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch


class Transfer:
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
        """(plugin, name, CPU tensor) by first insertion. Waits for the copies, not for later work of the device."""
        for event in self._events:
            event.synchronize()
        return [(plugin, name, tensor) for (plugin, name), tensor in self._copies.items()]


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
