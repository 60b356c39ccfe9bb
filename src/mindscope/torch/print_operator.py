# SPDX-License-Identifier: Apache-2.0
"""Print: shows tensors and texts from inside a network, eagerly or in code under ``torch.compile``."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from torch.fx.node import has_side_effect

from mindscope.capture.framework_tensors import is_sharded
from mindscope.debug.printing import PrintedTensor, encode_printed, value_text
from mindscope.torch.core.context import CONTEXT
from mindscope.torch.core.dtype_names import dtype_name

_LIBRARY = torch.library.Library("mindscope", "FRAGMENT")
# texts has as many entries as there are things to show, None for a tensor
_LIBRARY.define("print_values(Tensor[] values, str?[] texts) -> ()", tags=(torch.Tag.cudagraph_unsafe,))


def _print_values(values: list[Tensor], texts: list[str | None]) -> None:
    tensors = iter([value.detach().cpu() for value in values])
    parts = [next(tensors) if text is None else text for text in texts]
    print("\n".join(each if isinstance(each, str) else _tensor_text(each) for each in parts), flush=True)
    if CONTEXT.print_file is not None:
        CONTEXT.print_file.append(encode_printed(map(_printed, parts)))


def _print_nothing(values: list[Tensor], texts: list[str | None]) -> None:
    """Print nothing: tracing runs this."""


_LIBRARY.impl("print_values", _print_values, "CompositeExplicitAutograd")
torch.library.register_fake("mindscope::print_values", _print_nothing, lib=_LIBRARY)
_NUMPY_FLOATS = (torch.float16, torch.float32, torch.float64)
_PRINT: Any = torch.ops.mindscope.print_values.default
has_side_effect(_PRINT)


def _tensor_text(host: Tensor) -> str:
    return value_text(_numbers(host).numpy(), dtype_name(host.dtype))


def _numbers(host: Tensor) -> Tensor:
    """Return a tensor that NumPy can hold: float32 in place of bfloat16 and smaller floats."""
    is_other_float = host.dtype.is_floating_point and host.dtype not in _NUMPY_FLOATS
    return host.float() if is_other_float else host.resolve_conj().resolve_neg()


def _printed(value: str | Tensor) -> str | PrintedTensor:
    """Return a value as a print file holds it: the bits of bfloat16, the text of types that MindSpore lacks."""
    if isinstance(value, str):
        return value
    name = dtype_name(value.dtype)
    if value.dtype is torch.bfloat16:
        return PrintedTensor(tuple(value.shape), name, value.contiguous().view(torch.int16).numpy().tobytes())
    if value.is_complex() or (value.dtype.is_floating_point and value.dtype not in _NUMPY_FLOATS):
        return _tensor_text(value)
    return PrintedTensor(tuple(value.shape), name, value.numpy().tobytes())


def _in_process(value: Tensor) -> Tensor:
    """Return the part of a DTensor in this process, also a summand; another tensor itself."""
    return cast(Any, value).to_local() if is_sharded(value) else value


class Print:
    """``Print()("x is", x)`` shows texts and tensors, each on lines of its own, with the shape and type of tensors.

    It waits for the device. It breaks no graph of ``torch.compile``. With ``set_context(print_file_path=...)`` a file
    gets the values too.

    Raises:
        TypeError: an argument is neither text, tensor, number nor bool, or there is none.
    """

    def __call__(self, *inputs: Any) -> None:
        if not inputs:
            raise TypeError("Print got nothing, want texts and tensors")
        for index, each in enumerate(inputs):
            if not isinstance(each, (str, Tensor, bool, int, float)):
                raise TypeError(f"input {index} of Print is {type(each).__name__}, want text, tensor or number")
        values = [_in_process(each) for each in inputs if isinstance(each, Tensor)]
        _PRINT(values, [None if isinstance(each, Tensor) else str(each) for each in inputs])

    def __repr__(self) -> str:
        return "Print()"
