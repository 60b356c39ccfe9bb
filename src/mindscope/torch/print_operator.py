# SPDX-License-Identifier: Apache-2.0
"""Print: shows tensors and texts from inside a network, eagerly or in code under ``torch.compile``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.fx.node import has_side_effect

from mindscope.debug.printing import value_text
from mindscope.torch.core.dtype_names import dtype_name

_LIBRARY = torch.library.Library("mindscope", "FRAGMENT")
# texts has as many entries as there are things to show, None for a tensor
_LIBRARY.define("print_values(Tensor[] values, str?[] texts) -> ()", tags=(torch.Tag.cudagraph_unsafe,))


def _print_values(values: list[Tensor], texts: list[str | None]) -> None:
    tensors = iter(values)
    lines = [_tensor_text(next(tensors)) if text is None else text for text in texts]
    print("\n".join(lines), flush=True)


def _print_nothing(values: list[Tensor], texts: list[str | None]) -> None:
    """What tracing runs."""


_LIBRARY.impl("print_values", _print_values, "CompositeExplicitAutograd")
torch.library.register_fake("mindscope::print_values", _print_nothing, lib=_LIBRARY)
_PRINT: Any = torch.ops.mindscope.print_values.default
has_side_effect(_PRINT)


def _tensor_text(value: Tensor) -> str:
    host = value.detach().cpu()
    array = (host.float() if host.dtype is torch.bfloat16 else host).numpy()
    return value_text(array, dtype_name(value.dtype))


class Print:
    """``Print()("x is", x)`` shows texts and tensors, each on lines of its own, with the shape and type of tensors.

    It waits for the device. It breaks no graph of ``torch.compile``.

    Raises:
        TypeError: an argument is neither text, tensor, number nor bool, or there is none.
    """

    def __call__(self, *inputs: Any) -> None:
        if not inputs:
            raise TypeError("Print got nothing, want texts and tensors")
        for place, each in enumerate(inputs):
            if not isinstance(each, (str, Tensor, bool, int, float)):
                raise TypeError(f"input {place} of Print is {type(each).__name__}, want text, tensor or number")
        values = [each for each in inputs if isinstance(each, Tensor)]
        _PRINT(values, [None if isinstance(each, Tensor) else str(each) for each in inputs])

    def __repr__(self) -> str:
        return "Print()"
