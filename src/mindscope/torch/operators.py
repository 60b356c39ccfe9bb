# SPDX-License-Identifier: Apache-2.0
"""Summary operators: values recorded from inside a network, a loss or an optimizer.

An operator is called as ``op(name, value)``, eagerly or in code under ``torch.compile``, where it is a custom operator
that breaks no graph and is not eliminated. A call waits for no device: it keeps a detached clone where the value is.
"""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch.fx.node import has_side_effect

from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.torch.kept_values import STORE, discard_values, take_values

__all__ = [
    "HistogramSummary",
    "ImageSummary",
    "ScalarSummary",
    "TensorSummary",
    "discard_values",
    "take_values",
]

_CHANNELS = (1, 3, 4)
_LIBRARY = torch.library.Library("mindscope", "DEF")
# CUDA graphs replay kernels, not Python: a compiled graph is cut around the operator there
_LIBRARY.define("keep_value(Tensor value, str plugin, str name) -> ()", tags=(torch.Tag.cudagraph_unsafe,))


def _keep_value(value: torch.Tensor, plugin: str, name: str) -> None:
    _check(plugin, name, value)
    STORE.keep(plugin, name, value)


def _keep_nothing(value: torch.Tensor, plugin: str, name: str) -> None:
    """What tracing runs."""


_LIBRARY.impl("keep_value", _keep_value, "CompositeExplicitAutograd")
torch.library.register_fake("mindscope::keep_value", _keep_nothing, lib=_LIBRARY)
_KEEP: Any = torch.ops.mindscope.keep_value.default
has_side_effect(_KEEP)


def _keep_batched(
    info: Any, in_dims: tuple[int | None, ...], value: torch.Tensor, plugin: str, name: str
) -> tuple[None, None]:
    """Under ``vmap``: all samples are kept as one value, their axis first."""
    assert in_dims[0] is not None
    if plugin == "scalar":
        raise ValueRejectedError(
            f"scalar {name!r} has {info.batch_size} values under vmap, want one; record them as a histogram or tensor, "
            "or reduce them outside"
        )
    _KEEP(value.movedim(in_dims[0], 0), plugin, name)
    return None, None


if hasattr(torch.library, "register_vmap"):  # since torch 2.5
    torch.library.register_vmap("mindscope::keep_value", _keep_batched, lib=_LIBRARY)


def _check(plugin: str, name: str, value: torch.Tensor) -> None:
    if not name:
        raise ValueRejectedError(f"name of a {plugin} is empty, want the tag to record it under")
    if value.is_complex() and plugin != "tensor":
        raise TypeRejectedError(f"{plugin} {name!r} has dtype {value.dtype}, want real numbers; record its real part")
    if plugin == "scalar" and value.numel() != 1:
        raise ValueRejectedError(
            f"scalar {name!r} has shape {tuple(value.shape)}, want exactly one element; reduce it first, or use "
            "TensorSummary or HistogramSummary"
        )
    if plugin == "image" and not _is_image(tuple(value.shape)):
        raise ValueRejectedError(
            f"image {name!r} has shape {tuple(value.shape)}, want (N, C, H, W) with C of 1, 3 or 4, or one picture"
        )


def _is_image(shape: tuple[int, ...]) -> bool:
    """Whether the recorder draws it: a batch, (C, H, W), (H, W, C) or (H, W), and not empty."""
    if 0 in shape or len(shape) not in (2, 3, 4):
        return False
    return len(shape) == 2 or shape[-3] in _CHANNELS or shape[-1] in _CHANNELS


class _SummaryOperator:
    """``op(name, value)``: keep ``value`` for the step's record. It has no state.

    Raises:
        ValueRejectedError: an empty name, a shape that can't be recorded, or a name that this plugin has in the step.
        TypeRejectedError: a name that is no text, or a value that is neither tensor, array nor number.
    """

    plugin: ClassVar[str]

    def __call__(self, name: str, value: Any) -> None:
        if not isinstance(cast(Any, name), str):
            raise TypeRejectedError(
                f"name of a {self.plugin} is {type(name).__name__}, want text; the order is op(name, value)"
            )
        if isinstance(value, (str, bytes)):
            raise TypeRejectedError(f"{self.plugin} {name!r} is {type(value).__name__}, want a tensor or number")
        if isinstance(value, (numbers.Number, np.ndarray, np.generic, list, tuple)):
            value = _to_tensor(value)
        _KEEP(value, self.plugin, name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _to_tensor(value: Any) -> torch.Tensor:
    # a Python float is a float64; torch would round it to the default type
    return torch.as_tensor(value, dtype=torch.float64) if isinstance(value, float) else torch.as_tensor(value)


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
