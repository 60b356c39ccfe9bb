# SPDX-License-Identifier: Apache-2.0
"""A dump session is one dump of a training, from its start to its end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils import _python_dispatch

from mindscope.debug.dump.dump_writer import DumpWriter
from mindscope.debug.dump.settings import AS_CONFIGURED, EVERY_OPERATOR, KERNELS, MARKED, DumpSettings
from mindscope.torch.core.distributed import get_rank
from mindscope.torch.core.naming import plain_network, plain_path
from mindscope.torch.core.operator_calls import OperatorCall, OperatorCalls
from mindscope.torch.dump.marks import has_marks, marked
from mindscope.torch.dump.operator_dump import OperatorDump
from mindscope.torch.dump.scopes import FullNames

_log = logging.getLogger(__name__)
_TARGETS = {"cuda": "GPU", "npu": "Ascend"}
_modes: Any = _python_dispatch


class DumpSession:
    """A dump from its start to its end.

    Args:
        settings: of the dump.
        network: that is trained; None if it is not known.
    """

    def __init__(self, settings: DumpSettings, network: nn.Module | None) -> None:
        self._settings, self._network = settings, network
        self.writer = DumpWriter(settings, get_rank, _facts(network))
        self._calls = OperatorCalls(network, self._begin_module)
        self._names = FullNames(self._calls.classes)
        self._mode = OperatorDump(settings, self._calls, self._names, self.writer, self._selector())
        self._is_begun = self._is_pushed = self._was_warned = False
        self._ended = self._dumped = 0  # iterations
        if settings.dump_mode == MARKED and not has_marks(network):
            _log.warning("dump_mode is 2, and set_dump marked no module of the network and no operator: it dumps none")
        self._calls.start()

    def begin(self, number: int) -> None:
        """Begin an iteration, or continue it after a pause."""
        if not self._is_begun:
            limit = self._settings.overflow_number
            is_over = self.writer.is_full or (limit and self._mode.overflows >= limit)
            if number not in self._settings.iterations or is_over:
                return
            self._is_begun = True
            self._names.begin_iteration()
            self._calls.begin_step()
            self.writer.begin(number)
        self._mode.is_recording = True
        if not self._is_pushed:
            self._mode.__enter__()
            self._is_pushed = True

    def pause(self) -> None:
        """Begin a pause: later operators belong to no iteration."""
        self._mode.is_recording = False
        stack = _modes._get_current_dispatch_mode_stack()
        if self._is_pushed and stack and stack[-1] is self._mode:  # else another mode was entered after it
            self._mode.__exit__(None, None, None)
            self._is_pushed = False

    def end(self, number: int) -> None:
        """End an iteration."""
        self.pause()
        self._ended += 1
        if not self._is_begun:
            return
        self._is_begun = False
        self._dumped += 1
        if self._network is not None and self._settings.dump_mode == EVERY_OPERATOR:
            self._dump_parameters(self._network)
        self.writer.end(number, self._names.order)
        self._warn_of_compiled()

    def discard(self) -> None:
        """Leave out an iteration in which nothing ran."""
        self.pause()
        self._is_begun = False

    def stop(self, number: int) -> None:
        """Write the rest."""
        if self._is_begun and self._names.order:
            self.end(number)
        self.pause()
        self._calls.stop()
        self.writer.close()
        settings = self._settings
        if self._ended and not self._dumped and str(settings.iterations):
            first = number - self._ended
            ran = f"{first} to {number - 1}" if self._ended > 1 else f"{first}"
            _log.warning("nothing was dumped: iterations %s ran, the dump selects %s", ran, settings.iterations)
        if settings.dump_mode == KERNELS and settings.kernels.unmatched:
            names = ", ".join(map(repr, settings.kernels.unmatched))
            _log.warning("kernels %s of the dump matched no operator that ran", names)

    def _selector(self) -> Callable[[OperatorCall, str], bool]:
        mode, kernels = self._settings.dump_mode, self._settings.kernels
        is_marked = marked(self._network)

        def is_selected(call: OperatorCall, name: str) -> bool:
            if mode == KERNELS:
                return kernels.selects(name)
            return mode == EVERY_OPERATOR or is_marked(call)

        return is_selected

    def _begin_module(self, call: OperatorCall, inputs: Any) -> Callable[[Any], object]:
        return self._mode.begin_module(call, inputs)

    def _dump_parameters(self, network: nn.Module) -> None:
        if self._settings.op_debug_mode == AS_CONFIGURED:
            for name, parameter in plain_network(network).named_parameters():
                self._mode.dump_parameter(plain_path(name), parameter)

    def _warn_of_compiled(self) -> None:
        if self._was_warned or not self._calls.was_compiled_seen:
            return
        self._was_warned = True
        _log.warning(
            "torch.compile fuses operators, which no dump sees: the dump has inputs, outputs and gradients of outputs "
            "of compiled modules, and nothing of compiled functions; to dump operators, run with "
            "TORCH_COMPILE_DISABLE=1"
        )


def device_of(network: nn.Module | None) -> torch.device:
    """Return the device of the parameters; the current one without them."""
    parameter = None if network is None else next(iter(network.parameters()), None)
    if parameter is not None:
        return parameter.device
    return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def _facts(network: nn.Module | None) -> dict[str, str]:
    target = _TARGETS.get(device_of(network).type, "CPU")
    return {"device_target": target, "framework": "torch", "version": torch.__version__}
