# SPDX-License-Identifier: Apache-2.0
"""The running data recorder: what a training did last, written when it fails or ends."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import TracebackType
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch.utils.hooks import RemovableHandle

from mindscope.debug.running_data import LastData, write_running_data
from mindscope.debug.settings import ALWAYS, RunningDataSettings
from mindscope.torch.core.naming import plain_network
from mindscope.torch.summary.framework import TorchFramework

_LOG = logging.getLogger("mindscope")


class RunningData:
    """Keeps in which order the modules of a network run, from ``with`` on; writes what is known at the end.

    Nothing is kept or written where ``settings`` say that it is off. Modules that ``torch.compile`` fused run unseen.

    Args:
        network: what is trained.
        params: the state of the loop.
        settings: whether, when and where to write.
    """

    def __init__(self, network: nn.Module, params: Any, settings: RunningDataSettings) -> None:
        self._network, self._params, self._settings = plain_network(network), params, settings
        self._order: list[tuple[str, str, Any]] = []  # of the step of the number below: name, type, outputs
        self._step: Any = None
        self._handles: list[RemovableHandle] = []

    def __enter__(self) -> RunningData:
        if self._settings.is_enabled:
            for name, module in cast("Iterable[tuple[str, nn.Module]]", self._network.named_modules()):
                self._handles.append(module.register_forward_hook(_Named(name, self._keep)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles:
            handle.remove()
        if self._settings.is_enabled and (error is not None or self._settings.mode == ALWAYS):
            write_running_data(self._settings.path, self._last_data(error))

    def _keep(self, name: str, module: nn.Module, outputs: Any) -> None:
        if torch.compiler.is_compiling():
            return
        step = self._params.get("cur_step_num")
        if step != self._step:
            self._step, self._order = step, []
        self._order.append((name, type(module).__name__, _shapes(outputs)))

    def _last_data(self, error: BaseException | None) -> LastData:
        params = self._params
        state = {name: params.get(name) for name in ("mode", "cur_epoch_num", "cur_step_num", "epoch_num", "batch_num")}
        state["train_dataset_element"] = _shapes(params.get("train_dataset_element"))
        order = [(name, kind, str(outputs)) for name, kind, outputs in self._order]
        memory = _memory_of(self._network, params.get("optimizer")) | _device_memory()
        return LastData(state, order, memory, _graph(params), error)


class _Named:
    """A forward hook that knows the name of its module."""

    def __init__(self, name: str, keep: Any) -> None:
        self._name, self._keep = name, keep

    def __call__(self, module: nn.Module, args: Any, outputs: Any) -> None:
        self._keep(self._name, module, outputs)


def _shapes(values: Any) -> Any:
    """Type and shape of each tensor, in their structure."""

    def shape(value: Any) -> str:
        is_tensor = isinstance(value, Tensor)
        return f"{value.dtype} {list(value.shape)} {value.device}" if is_tensor else type(value).__name__

    return pytree.tree_map(shape, values)


def _graph(params: Any) -> Any:
    """The graph of the network; None, with a warning, if tracing fails."""
    try:
        return TorchFramework().graph(params)
    except Exception as error:
        _LOG.warning("graph of the network is not in the running data: %s: %s", type(error).__name__, error)
        return None


def _memory_of(network: nn.Module, optimizer: Any) -> dict[str, Any]:
    """Bytes of what a training keeps."""
    parameters = list(network.parameters())
    state = pytree.tree_leaves(dict(optimizer.state)) if optimizer is not None else []
    return {
        "parameters_bytes": _bytes(parameters),
        "gradients_bytes": _bytes(each.grad for each in parameters),
        "buffers_bytes": _bytes(network.buffers()),
        "optimizer_bytes": _bytes(state),
    }


def _bytes(tensors: Iterable[Any]) -> int:
    return sum(each.numel() * each.element_size() for each in tensors if isinstance(each, Tensor))


def _device_memory() -> dict[str, Any]:
    """Figures of the GPU; none without a GPU, or if it no longer answers."""
    if not torch.cuda.is_available():
        return {}
    try:
        return {"cuda": dict(torch.cuda.memory_stats())}
    except RuntimeError as error:
        return {"cuda": f"not known: {error}"}
