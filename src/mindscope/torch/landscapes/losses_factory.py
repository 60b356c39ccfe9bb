# SPDX-License-Identifier: Apache-2.0
"""Makes evaluators of losses in the workers of an executor."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

from mindscope.landscape.executors import ProcessEach
from mindscope.landscape.plane import Plane
from mindscope.torch.landscapes.batches import FixedBatches
from mindscope.torch.landscapes.memory import kept_memory
from mindscope.torch.landscapes.network_loss import LossFunction, NetworkLoss, Tensors
from mindscope.torch.landscapes.problem import LossProblem, Way
from mindscope.torch.landscapes.ways import PlaneLosses

NetworkSource = Callable[[], tuple[nn.Module, LossFunction | None]]
"""Returns a network and its loss function."""

_device_of_process: list[int] = []
"""The device that ``device_processes`` gave this process; a pool offers no other place for it."""


def given_network(network: Any, loss_fn: LossFunction | None) -> tuple[nn.Module, LossFunction | None]:
    """Return the network, or what the function returns that is given instead. Raises TypeError."""
    made = network if isinstance(network, nn.Module) or not callable(network) else network()
    if not isinstance(made, nn.Module):
        raise TypeError(f"network is {type(made).__name__}, want a torch.nn.Module or a function that returns one")
    return made, loss_fn


@dataclass(frozen=True, slots=True)
class LossesFactory:
    """Makes the losses of a plane, as the workers of ``mindscope.landscape`` want it; all tensors are on the CPU."""

    source: NetworkSource
    plane: Plane
    batches: FixedBatches
    buffers: Tensors
    is_re_estimated: bool
    dtype: torch.dtype | None
    way: Way

    def __call__(self) -> PlaneLosses:
        """Return the losses, on the device of this process. Raises what making the network raises."""
        network, loss_fn = self.source()
        if _device_of_process and torch.cuda.is_available():
            network = network.to(f"cuda:{_device_of_process[0]}")
            loss_fn = loss_fn.to(f"cuda:{_device_of_process[0]}") if isinstance(loss_fn, nn.Module) else loss_fn
        if multiprocessing.parent_process() is not None:
            _hold.enter_context(kept_memory(torch.device("cpu")))
        return PlaneLosses(self.problem(NetworkLoss(network, loss_fn, self.dtype)), self.way)

    def problem(self, loss: NetworkLoss) -> LossProblem:
        """Return the problem for a network of this process."""
        buffers = {name: buffer.to(loss.device) for name, buffer in self.buffers.items()}
        return LossProblem(loss, self.plane, self.batches.to(loss.device), buffers, self.is_re_estimated)


_hold = ExitStack()
"""Context managers that last as long as a worker."""


def device_processes(devices: Sequence[int]) -> Executor:
    """Return a process for each device, or with a share of the processors."""
    threads = max(1, len(os.sched_getaffinity(0)) // len(devices))
    return ProcessEach([partial(_begin, device, threads) for device in devices])


def _begin(device: int, threads: int) -> None:
    _device_of_process.append(device)
    torch.set_num_threads(threads)
