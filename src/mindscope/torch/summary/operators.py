# SPDX-License-Identifier: Apache-2.0
"""Summary operators: values recorded from inside a network, a loss or an optimizer.

An operator is called as ``op(name, value)``, eagerly or in code under ``torch.compile``, where it is a custom operator
that breaks no graph and is not eliminated. A call waits for no device: it keeps a detached clone where the value is.
"""

from __future__ import annotations

import numbers
from importlib import import_module
from typing import Any, ClassVar, Literal, cast

import numpy as np
import torch
from torch.fx import Proxy
from torch.fx.node import has_side_effect

from mindscope.capture.framework_tensors import is_sharded, local_part
from mindscope.capture.images import is_image_shape
from mindscope.capture.pending import refusal
from mindscope.errors import ValueRejectedError
from mindscope.torch.summary.step_value import NEWEST, REDUCTIONS
from mindscope.torch.summary.summary_buffer import BUFFER, discard_values, take_values

__all__ = [
    "HistogramSummary",
    "ImageSummary",
    "ScalarSummary",
    "TensorSummary",
    "discard_values",
    "take_values",
]

_symbolic_trace: Any = import_module("torch.fx._symbolic_trace")
_core: Any = import_module("torch._C")
_FAKE = _core._TorchDispatchModeKey.FAKE
_LIBRARY = torch.library.Library("mindscope", "DEF")
# CUDA graphs replay kernels, not Python: a compiled graph is cut around the operator there
_LIBRARY.define(
    "keep_value(Tensor value, str plugin, str name, str reduce, str problem) -> ()",
    tags=(torch.Tag.cudagraph_unsafe,),
)


def _keep_value(value: torch.Tensor, plugin: str, name: str, reduce: str, problem: str) -> None:
    """Keep the value, or count it where there is a problem. A network never fails for what is recorded of it."""
    if not BUFFER.is_collecting or _symbolic_trace._is_fx_tracing_flag:  # of a number; what is traced is a proxy
        return
    try:
        problem = problem or _problem(plugin, name, value)
        if not problem:
            BUFFER.keep(plugin, name, reduce, value)
    except Exception as error:  # no memory for the clone, for instance
        problem = f"{plugin} {name!r} was not kept: {type(error).__name__}: {error}"
    if problem:
        BUFFER.drop(plugin, name, problem)


def _keep_nothing(value: torch.Tensor, plugin: str, name: str, reduce: str, problem: str) -> None:
    """Keep nothing: tracing runs this."""


_LIBRARY.impl("keep_value", _keep_value, "CompositeExplicitAutograd")
torch.library.register_fake("mindscope::keep_value", _keep_nothing, lib=_LIBRARY)
_KEEP: Any = torch.ops.mindscope.keep_value.default
has_side_effect(_KEEP)


def _keep_batched(
    info: Any, in_dims: tuple[int | None, ...], value: torch.Tensor, plugin: str, name: str, reduce: str, problem: str
) -> tuple[None, None]:
    """Keep all samples under ``vmap`` as one value, their axis first; those of a scalar are reduced."""
    assert in_dims[0] is not None
    samples = value.movedim(in_dims[0], 0)
    if plugin != "scalar" or problem:
        _KEEP(samples, plugin, name, reduce, problem)
        return None, None
    for sample in samples.unbind():
        _KEEP(sample, plugin, name, reduce, problem)
    return None, None


if hasattr(torch.library, "register_vmap"):  # since torch 2.5
    torch.library.register_vmap("mindscope::keep_value", _keep_batched, lib=_LIBRARY)


def _problem(plugin: str, name: str, value: torch.Tensor) -> str:
    """Return the reason why the value can't be recorded; empty where it can."""
    if not name:
        return f"name of a {plugin} is empty, want the tag to record it under"
    if value.is_complex() and plugin != "tensor":
        return f"{plugin} {name!r} has dtype {value.dtype}, want real numbers; record its real part"
    if plugin == "scalar" and value.numel() != 1:
        return (
            f"scalar {name!r} has shape {tuple(value.shape)}, want exactly one element; reduce it first, or use "
            "TensorSummary or HistogramSummary"
        )
    if plugin == "image" and not is_image_shape(tuple(value.shape)):
        return f"image {name!r} has shape {tuple(value.shape)}, want (N, C, H, W) with C of 1, 3 or 4, or one image"
    return str(refusal(plugin, name, value) or "")


class _SummaryOperator:
    """``op(name, value)``: keep ``value`` for the step's record.

    A call never raises: the recorder counts and logs what it can't record.

    Args:
        reduce: what is recorded where a step gives several values of one name, as with gradient accumulation or a
            module that is called twice: the ``"last"``, their elementwise ``"mean"``, or ``"each"`` under ``name/0``,
            ``name/1`` and so on. By default the last, with a warning. Under ``vmap`` the samples of a scalar are
            several values; those of other plugins are one value, their axis first.

    Raises:
        ValueError: another ``reduce``.
    """

    plugin: ClassVar[str]

    def __init__(self, reduce: Literal["last", "mean", "each"] | None = None) -> None:
        if reduce is not None and reduce not in REDUCTIONS:
            raise ValueError(f"reduce is {reduce!r}, want one of {', '.join(map(repr, REDUCTIONS))} or None")
        self._reduce = reduce or NEWEST

    def __call__(self, name: str, value: Any) -> None:
        """Keep ``value`` for the next record."""
        if not isinstance(cast(Any, name), str):
            text = f"name of a {self.plugin} is {type(name).__name__}, want text; the order is op(name, value)"
            _KEEP(torch.zeros(()), self.plugin, "", self._reduce, text)
            return
        problem = ""
        if not isinstance(value, (torch.Tensor, Proxy)):  # torch.fx traces with proxies: the operator is in its graph
            if not torch.compiler.is_compiling() and _core._get_dispatch_mode(_FAKE) is not None:
                return  # a number would be a real tensor in a trace of fake ones
            value, problem = _to_tensor(self.plugin, name, value)
        elif is_sharded(value):  # a custom operator takes no DTensor
            value, problem = _part_of_process(self.plugin, name, value)
        _KEEP(value, self.plugin, name, self._reduce, problem)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({f'reduce={self._reduce!r}' if self._reduce else ''})"


def _part_of_process(plugin: str, name: str, value: Any) -> tuple[torch.Tensor, str]:
    """Return the part of a DTensor in this process, and why it can't be recorded. The text is empty where it can."""
    if plugin == "scalar" and value.numel() != 1:  # whose part may be one element
        return torch.zeros(()), _problem(plugin, name, value)
    try:
        return local_part(value), ""
    except ValueRejectedError as error:
        return torch.zeros(()), f"{plugin} {name!r} was not recorded: {error}"


def _to_tensor(plugin: str, name: str, value: Any) -> tuple[torch.Tensor, str]:
    """Return a number or array as a tensor, and what is wrong with it; the text is empty where nothing is."""
    if _is_regular(value):
        try:
            # a Python float is a float64; torch would round it to the default type
            return torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None), ""
        except (TypeError, ValueError, RuntimeError, OverflowError):
            pass
    return torch.zeros(()), f"{plugin} {name!r} is {type(value).__name__}, want a tensor or number"


def _is_regular(value: Any) -> bool:
    """Return whether it is a number, an array of numbers, or lists of equal length of these.

    Tracing can't catch an error.
    """
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        lengths = {len(cast("list[Any]", item)) if isinstance(item, (list, tuple)) else -1 for item in items}
        return len(lengths) <= 1 and all(_is_regular(item) for item in items)
    if isinstance(value, np.ndarray):
        return cast("np.ndarray[Any, Any]", value).dtype.kind in "biufc"
    return isinstance(value, (numbers.Number, np.generic, torch.Tensor))


class ScalarSummary(_SummaryOperator):
    """Records one number: ``ScalarSummary()("loss", loss)``; any shape of one element."""

    plugin = "scalar"


class ImageSummary(_SummaryOperator):
    """Records pictures: ``ImageSummary()("input", x)``; (N, C, H, W) with C of 1, 3 or 4, or one picture."""

    plugin = "image"


class TensorSummary(_SummaryOperator):
    """Records a tensor as it is, of any shape."""

    plugin = "tensor"


class HistogramSummary(_SummaryOperator):
    """Records the distribution of the elements of a tensor of any shape."""

    plugin = "histogram"
