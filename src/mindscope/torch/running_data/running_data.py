# SPDX-License-Identifier: Apache-2.0
"""Keeps the last step of a training while it runs, and writes it when the training fails or ends."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from mindscope.debug.running_data import LastData, write_running_data
from mindscope.debug.settings import ALWAYS, RunningDataSettings
from mindscope.torch.core import distributed
from mindscope.torch.core.naming import plain_network
from mindscope.torch.running_data import memory_history
from mindscope.torch.running_data.last_step import LastStep, tensor_shapes
from mindscope.torch.running_data.memory_history import LastMemory, memory_snapshot
from mindscope.torch.summary.framework import TorchFramework

if TYPE_CHECKING:
    from mindscope.torch.profiler.memory_history import MemoryHistory

_MOST_EVENTS = 100_000
"""Limit of the events of CUDA's allocator, for each device."""
_LOG = logging.getLogger("mindscope")


class RunningData:
    """Follows the steps of a network from ``with`` on; writes what is known at the end.

    Nothing is kept or written where ``settings`` say that it is off. No tensor is kept but the last batch.

    Args:
        network: what is trained.
        params: the state of the loop.
        settings: whether, when and where to write.
    """

    def __init__(self, network: nn.Module, params: Any, settings: RunningDataSettings) -> None:
        self._network, self._params, self._settings = plain_network(network), params, settings
        self._memory = LastMemory()
        self._history = _memory_history() if settings.has_memory_history else None
        self._last = LastStep(
            self._network, self._step, lambda: self._memory.add(self._step()), self._first_step_is_over
        )

    def __enter__(self) -> RunningData:
        if self._settings.is_enabled:
            self._last.start()
            if self._history is not None:
                self._history.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._last.stop()
        if self._settings.is_enabled and (error is not None or self._settings.mode == ALWAYS):
            self._write(error)
        if self._history is not None:
            self._history.stop()

    def _first_step_is_over(self, step: Any) -> None:
        """Write the modules that compiled and ran as soon as they are known, in mode 2."""
        if self._settings.mode == ALWAYS:
            try:
                self._write(None, step)
            except Exception as error:  # the training continues
                _LOG.warning("running data of step %s was not written: %s: %s", step, type(error).__name__, error)

    def _write(self, error: BaseException | None, step: Any = None) -> None:
        rank = distributed.get_rank()
        data = self._last_data(error)
        if step is not None:
            data.state["cur_step_num"] = step
        write_running_data(self._settings.path, data, rank)

    def _step(self) -> Any:
        return self._params.get("cur_step_num")

    def _last_data(self, error: BaseException | None) -> LastData:
        # imported only now, since they load the debugger, which few trainings need
        from mindscope.torch.running_data.culprit import culprit
        from mindscope.torch.running_data.last_tensors import COLUMNS, summarize_tensors

        params, last = self._params, self._last
        if params.get("train_dataset_element") is None:
            params["train_dataset_element"] = last.inputs
        batch, optimizer = params.get("train_dataset_element"), params.get("optimizer")
        optimizers = params.get("optimizers") or ([] if optimizer is None else [optimizer])
        state = {name: params.get(name) for name in ("mode", "cur_epoch_num", "cur_step_num", "epoch_num", "batch_num")}
        state["train_dataset_element"] = tensor_shapes(batch)
        tensors = list(summarize_tensors(batch, last.calls, self._network, optimizers))
        return LastData(
            state=state,
            order=[(call.name, call.type, str(call.shapes)) for call in last.calls],
            statistics=[tensor.row for tensor in tensors],
            statistics_columns=COLUMNS,
            memory=_memory_of(self._network, optimizers) | _device_memory(),
            memory_history=self._memory.rows,
            memory_columns=memory_history.COLUMNS,
            memory_snapshot=memory_snapshot(),
            graph=_graph(params),
            error=error,
            culprit=culprit(error, self._network, tensors),
        )


def _graph(params: Any) -> Any:
    """Return the graph of the network; None, with a warning, if tracing fails."""
    try:
        return TorchFramework().graph(params)
    except Exception as error:
        _LOG.warning("graph of the network is not in the running data: %s: %s", type(error).__name__, error)
        return None


def _memory_of(network: nn.Module, optimizers: Iterable[Any]) -> dict[str, Any]:
    """Return the bytes of parameters, gradients, buffers and states of optimizers."""
    parameters = list(network.parameters())
    state = [leaf for optimizer in optimizers for leaf in pytree.tree_leaves(dict(optimizer.state))]
    return {
        "parameters_bytes": _bytes(parameters),
        "gradients_bytes": _bytes(parameter.grad for parameter in parameters),
        "buffers_bytes": _bytes(network.buffers()),
        "optimizer_bytes": _bytes(state),
    }


def _bytes(tensors: Iterable[Any]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors if isinstance(tensor, Tensor))


def _device_memory() -> dict[str, Any]:
    """Return the figures of the GPU; none without a GPU, or if it no longer answers."""
    if not torch.cuda.is_available():
        return {}
    try:
        return {"cuda": dict(torch.cuda.memory_stats())}
    except RuntimeError as error:
        return {"cuda": f"not known: {error}"}


def _memory_history() -> MemoryHistory:
    from mindscope.torch.profiler.memory_history import MemoryHistory  # with it come the readers of profiles

    return MemoryHistory(_MOST_EVENTS)
