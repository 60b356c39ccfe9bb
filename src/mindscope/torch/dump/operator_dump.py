# SPDX-License-Identifier: Apache-2.0
"""Dumps the operators of one iteration, as a dispatch mode sees them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils import _python_dispatch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from mindscope.debug.dump.dump_writer import DumpedTensor, DumpWriter
from mindscope.debug.dump.file_names import INPUT, OUTPUT, PARAMETER, TensorName
from mindscope.debug.dump.settings import AS_CONFIGURED, FAILURES, OVERFLOWS, DumpSettings
from mindscope.debug.model.tensors import Phase
from mindscope.torch.core.dtype_names import dtype_name
from mindscope.torch.core.operator_calls import OperatorCall, OperatorCalls
from mindscope.torch.core.operator_kinds import OperatorKinds
from mindscope.torch.dump.host_tensor import fetched, fetched_cells, why_not
from mindscope.torch.dump.scopes import FullNames

_log = logging.getLogger(__name__)
_unseen: Any = _python_dispatch._disable_current_modes  # pyright: ignore[reportPrivateUsage]
"""No mode sees the copies that are made in here."""


class OperatorDump(TorchDispatchMode):
    """Writes inputs and outputs of the operators that are selected.

    It changes no result, and none of its failures reaches the training. With ``op_debug_mode`` 3 it waits for the
    device after each operator.

    Args:
        settings: of the dump.
        calls: follows modules, backward passes and optimizers.
        names: gives the full names.
        writer: of the files.
        is_selected: whether to dump an operator, by its call and full name.
    """

    def __init__(
        self,
        settings: DumpSettings,
        calls: OperatorCalls,
        names: FullNames,
        writer: DumpWriter,
        is_selected: Callable[[OperatorCall, str], bool],
    ) -> None:
        super().__init__()
        self._settings, self._calls, self._names, self._writer = settings, calls, names, writer
        self._is_selected = is_selected
        self._kinds = OperatorKinds()
        self._logged: set[str] = set()
        self.is_recording = False
        """Whether an iteration runs that is dumped."""
        self.overflows = 0
        """Operators whose outputs were not finite."""

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Leave compiled functions compiled: what they compute stays the same."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operator, and write what is selected of it."""
        kwargs = kwargs or {}
        if not self.is_recording:
            return func(*args, **kwargs)
        if any(hasattr(each, "__tensor_flatten__") for each in types):
            return NotImplemented  # such as DTensor: the operators on its local tensors follow
        found = self._guarded(lambda: self._selected(func))
        if found is None:
            return func(*args, **kwargs)
        if self._settings.op_debug_mode == AS_CONFIGURED:
            return self._run(func, args, kwargs, *found)
        return self._run_debugged(func, args, kwargs, *found)

    def begin_module(self, call: OperatorCall, inputs: Any) -> Callable[[Any], object]:
        """Write what is known of a compiled module: its inputs, outputs, and the gradients of its outputs."""
        if not self.is_recording or self._settings.op_debug_mode != AS_CONFIGURED:
            return _ignore
        with _unseen():
            name = self._guarded(lambda: self._names.name(call))
            self._guarded(lambda: self._write_call(call, name, INPUT, inputs))
        return partial(self._end_module, call, name)

    def _end_module(self, call: OperatorCall, name: str, outputs: Any) -> None:
        with _unseen():
            self._guarded(lambda: self._write_call(call, name, OUTPUT, outputs))
            backward = replace(call, phase=Phase.BACKWARD, forward=call)
            for tree_leaf in pytree.tree_leaves(outputs):
                if isinstance(tree_leaf, Tensor) and tree_leaf.requires_grad:
                    tree_leaf.register_hook(partial(self._write_gradient, backward))

    def _write_gradient(self, call: OperatorCall, gradient: Tensor) -> None:
        if self.is_recording:
            with _unseen():
                self._guarded(lambda: self._write_call(call, self._names.name(call), INPUT, gradient))

    def _write_call(self, call: OperatorCall, name: str, role: str, values: Any) -> None:
        if self._is_selected(call, name):
            self._write_all(call, name, role, values)

    def dump_parameter(self, name: str, parameter: Tensor) -> None:
        """Write a parameter; of a sharded one, the part of this rank."""
        parameter = getattr(parameter, "_local_tensor", parameter)
        if self._settings.has_outputs and not why_not(parameter):
            with _unseen():
                self._guarded(lambda: self._write(PARAMETER, name, OUTPUT, 0, parameter))

    def _selected(self, func: Any) -> tuple[OperatorCall, str] | None:
        kind = self._kinds.of(func)
        call = self._calls.call_of(kind)
        if call is None or kind.is_hidden or call.type.startswith(("profiler_", "prim_")):
            return None
        name = self._names.name(call)
        return (call, name) if self._is_selected(call, name) else None

    def _run(self, func: Any, args: Any, kwargs: Any, call: OperatorCall, name: str) -> Any:
        self._guarded(lambda: self._write_all(call, name, INPUT, (args, kwargs)))
        outputs = func(*args, **kwargs)
        self._guarded(lambda: self._write_all(call, name, OUTPUT, outputs))
        if self._settings.has_kernel_args:
            self._guarded(lambda: self._writer.write_arguments(call.type, name, _arguments(func, args, kwargs)))
        return outputs

    def _run_debugged(self, func: Any, args: Any, kwargs: Any, call: OperatorCall, name: str) -> Any:
        mode = self._settings.op_debug_mode
        inputs = (args, kwargs)
        if func._schema.is_mutable:
            inputs = self._guarded(lambda: pytree.tree_map_only(Tensor, _kept, inputs)) or inputs
        try:
            outputs = func(*args, **kwargs)
        except Exception:
            if mode == FAILURES:
                self._guarded(lambda: self._write_all(call, name, INPUT, inputs))
            raise
        if mode == OVERFLOWS and not self._kinds.of(func).is_uninitialized:
            self._guarded(lambda: self._write_overflow(call, name, inputs, outputs))
        return outputs

    def _write_overflow(self, call: OperatorCall, name: str, inputs: Any, outputs: Any) -> None:
        limit = self._settings.overflow_number
        if (limit and self.overflows >= limit) or not _overflows(outputs):
            return
        self.overflows += 1
        self._write_all(call, name, INPUT, inputs)
        self._write_all(call, name, OUTPUT, outputs)

    def _write_all(self, call: OperatorCall, name: str, role: str, values: Any) -> None:
        if not (self._settings.has_inputs if role == INPUT else self._settings.has_outputs):
            return
        tensors = (tree_leaf for tree_leaf in pytree.tree_leaves(values) if isinstance(tree_leaf, Tensor))
        for slot, tensor in enumerate(tensors):
            reason = why_not(tensor)
            if not reason:
                self._write(call.type, name, role, slot, tensor)
            elif reason != "empty":
                self._log_once(f"dump has no {reason} tensors, such as one of {name}")

    def _write(self, type: str, name: str, role: str, slot: int, tensor: Tensor) -> None:
        settings, writer = self._settings, self._writer
        if writer.is_full:
            return
        sample = settings.sample_size
        self._writer.write(
            DumpedTensor(
                TensorName(type, name, writer.timestamp(), role, slot, dtype_name(tensor.dtype)),
                tuple(tensor.shape),
                tensor.numel() * tensor.element_size(),
                fetch=_nothing if settings.is_device_statistic
                else fetched(tensor, not settings.is_synchronous, None if settings.has_statistics else sample),
                fetch_cells=fetched_cells(tensor, settings.categories, settings.is_low_precision)
                if settings.is_device_statistic
                else None,
                sample=sample,
            )
        )  # fmt: skip

    def _guarded(self, call: Callable[[], Any]) -> Any:
        """Return the result of the call; None if it fails, which is logged."""
        try:
            return call()
        except Exception as error:
            self._log_once(f"dump lacks an operator: {type(error).__name__}: {error}")
            return None

    def _log_once(self, text: str) -> None:
        kind = text.partition(":")[0].partition(",")[0]
        if kind not in self._logged:
            self._logged.add(kind)
            _log.warning("%s; the training continues", text)


def _ignore(outputs: Any) -> None:
    """Do nothing with the outputs of a module that is not dumped."""


def _nothing() -> Any:
    raise RuntimeError("the device computed the statistics")


def _kept(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def _overflows(outputs: Any) -> bool:
    """Return whether an output has a NaN or an infinity; waits for the device."""
    for tree_leaf in pytree.tree_leaves(outputs):
        is_float = isinstance(tree_leaf, Tensor) and (tree_leaf.dtype.is_floating_point or tree_leaf.dtype.is_complex)
        if is_float and not why_not(tree_leaf):
            values = tree_leaf.detach().to(torch.float32) if tree_leaf.dtype.itemsize == 1 else tree_leaf.detach()
            if not bool(torch.isfinite(values).all()):
                return True
    return False


def _arguments(func: Any, args: Any, kwargs: Any) -> dict[str, str]:
    """Name and text of each argument that is no tensor."""
    named = {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)} | kwargs
    return {
        name: str(value)
        for name, value in named.items()
        if not any(isinstance(tree_leaf, Tensor) for tree_leaf in pytree.tree_leaves(value))
    }
