# SPDX-License-Identifier: Apache-2.0
"""Records ones of each dtype of a framework with each plugin: ``dtype_matrix.py FRAMEWORK DIRECTORY``.

A line ``begin PLUGIN DTYPE`` stands before each attempt, so that the last one names what ended the process; a line
``refused PLUGIN DTYPE TEXT`` follows where the recorder refused the value.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from mindscope.capture import SummaryRecord
from mindscope.errors import ValueRejectedError

SHAPES = {"scalar": (1,), "image": (1, 3, 4), "tensor": (2, 3), "histogram": (2, 3)}
SHAPES |= {"custom_lineage_data": (1,), "landscape": (2, 3), "graph": (2, 3), "train_lineage": (2, 3)}
PLAIN = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
Make = Callable[[tuple[int, ...]], Any]
Cases = Iterator[tuple[str, Make]]


def ones(shape: tuple[int, ...]) -> Any:
    return np.ones(shape, np.float32)


def numpy_cases() -> Cases:
    for name in f"bool {PLAIN} longdouble clongdouble".split():
        yield name, lambda shape, name=name: ones(shape).astype(name)
    for name in "str bytes object datetime64[s] timedelta64[s]".split():
        yield name, lambda shape, name=name: ones(shape).astype(np.int64).astype(name)
    for name in sorted(
        name for name in dir(ml_dtypes) if name.startswith(("bfloat", "float", "int", "uint")) and name != "int1"
    ):
        yield name, lambda shape, name=name: ones(shape).astype(getattr(ml_dtypes, name))
    yield "structured", lambda shape: np.zeros(shape, [("a", "f4"), ("b", "i8")])
    yield "void", lambda shape: np.zeros(shape, "V3")
    yield "big-endian", lambda shape: ones(shape).astype(">f4")


def torch_cases() -> Cases:
    import torch

    types = {str(each): each for each in vars(torch).values() if isinstance(each, torch.dtype)}
    for name, dtype in sorted(types.items()):
        yield name, lambda shape, dtype=dtype: _torch_tensor(torch, shape, dtype)
    like = torch.ones
    yield "sparse_coo", lambda shape: like(shape).to_sparse()
    yield "sparse_csr", lambda shape: like((2, 3)).to_sparse_csr()
    yield "nested_strided", lambda shape: torch.nested.nested_tensor([like(2), like(3)], layout=torch.strided)
    yield "nested_jagged", lambda shape: torch.nested.nested_tensor([like(2), like(3)], layout=torch.jagged)
    yield "meta", lambda shape: torch.ones(shape, device="meta")
    yield "mkldnn", lambda shape: like(shape).to_mkldnn()
    yield "grad", lambda shape: torch.ones(shape, requires_grad=True)
    yield "conjugate", lambda shape: torch.ones(shape, dtype=torch.complex64).conj()
    yield "negative_bit", lambda shape: torch.full(shape, -1j).conj().imag
    yield (
        "per_channel",
        lambda shape: torch.quantize_per_channel(
            like(shape), torch.ones(shape[0]), torch.zeros(shape[0]), 0, torch.qint8
        ),
    )
    yield "parameter", lambda shape: torch.nn.Parameter(like(shape))


def _torch_tensor(torch: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if "qint" in str(dtype) or "quint" in str(dtype):
        return torch.quantize_per_tensor(torch.ones(shape), 1.0, 0, dtype)
    try:
        return torch.ones(shape).to(dtype)
    except (RuntimeError, TypeError):  # a type without conversions: memory of one byte an element
        return torch.ones(shape, dtype=torch.uint8).view(dtype)


def mindspore_cases() -> Cases:
    import mindspore

    types: Any = mindspore.dtype
    names = f"bool_ {PLAIN} bfloat16 float8_e4m3fn float8_e5m2 hifloat8 qint4x2"
    for name in names.split():
        if hasattr(types, name):
            yield name, lambda shape, name=name: mindspore.Tensor(ones(shape), getattr(types, name))
            yield (
                f"{name}/parameter",
                lambda shape, name=name: mindspore.Parameter(mindspore.Tensor(ones(shape), getattr(types, name))),
            )
    yield "bfloat16/scalar", lambda shape: mindspore.Tensor(1.0, types.bfloat16)
    yield "bfloat16/computed", lambda shape: mindspore.Tensor(ones(shape) / 2, types.bfloat16) * 2
    yield "string", lambda shape: mindspore.Tensor(np.full(shape, "a"))
    yield (
        "coo",
        lambda shape: mindspore.COOTensor(
            mindspore.Tensor([[0, 0]], types.int32), mindspore.Tensor([1.0], types.float32), (2, 3)
        ),
    )
    yield "csr", lambda shape: mindspore.CSRTensor(
        mindspore.Tensor([0, 1, 1], types.int32), mindspore.Tensor([0], types.int32),
        mindspore.Tensor([1.0], types.float32), (2, 3),
    )  # fmt: skip


def jax_cases() -> Cases:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    names = f"bool int2 int4 uint2 uint4 {PLAIN} bfloat16 float8_e3m4 float8_e4m3 float8_e4m3fn float8_e4m3fnuz"
    names += " float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn"
    for name in names.split():
        dtype = getattr(jnp, "bool_" if name == "bool" else name, None)
        if dtype is not None:
            yield name, lambda shape, dtype=dtype: jnp.ones(shape, jnp.float32).astype(dtype)
    yield "key", lambda shape: jax.random.key(0)
    yield "weak", lambda shape: jnp.asarray(1.0) * 1


CASES: dict[str, Callable[[], Cases]] = {
    "numpy": numpy_cases, "torch": torch_cases, "mindspore": mindspore_cases, "jax": jax_cases,
}  # fmt: skip


def attempt(record: SummaryRecord, plugin: str, name: str, make: Make) -> None:
    try:
        value = make(SHAPES[plugin])
    except Exception as error:
        print("unmade", plugin, name, type(error).__name__, flush=True)
        return
    print("begin", plugin, name, flush=True)
    try:
        is_custom = plugin == "custom_lineage_data"
        record.add_value(plugin, f"{plugin}/{name}", {name: value} if is_custom else value)
        record.record(1)
        record.flush()
    except ValueRejectedError as error:
        print("refused", plugin, name, str(error).replace("\n", " "), flush=True)


def main(framework: str, directory: str) -> None:
    warnings.simplefilter("ignore")  # of frameworks, about types that they are going to give up
    with SummaryRecord(directory, raise_exception=True) as record:
        for name, make in CASES[framework]():
            for plugin in SHAPES:
                attempt(record, plugin, name, make)
    print("end", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
