# SPDX-License-Identifier: Apache-2.0
"""The kernels of CUDA, compiled for the processor: block after block, each of one thread."""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.stats._tensor_statistics import mix
from mindscope.torch.debugging import cuda_kernels
from mindscope.torch.debugging.cuda_kernels import KINDS
from mindscope.torch.debugging.element_types import ELEMENT_TYPES
from mindscope.torch.debugging.step_vectors import StepVectors
from tests.torch.test_debugger_tensors import FLOATS, random_bytes, summarized

pytestmark = pytest.mark.framework
SOURCE = Path(cuda_kernels.__file__).with_name("tensor_statistics.cu")
SIZES = st.sampled_from([0, 1, 2, 3, 7, 8, 9, 33, 1000, 1031])
RUN = """
void run_statistics(const u8 *data, i64 count, double near_max, double tiny, double *row, double *parts, u32 blocks) {
    u32 ticket = 0;
    blockDim.x = 1, gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        mindscope_statistics(data, count, near_max, tiny, row, parts, &ticket);
}
#if KIND <= BFLOAT16
void run_update(const u8 *now, const u8 *before, i64 count, double *row, double *parts, u32 blocks) {
    u32 ticket = 0;
    blockDim.x = 1, gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) mindscope_update(now, before, count, row, parts, &ticket);
}
#endif
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[torch.dtype, Any]:
    """The kernels of each dtype, as a C compiler takes them."""
    place = tmp_path_factory.mktemp("kernels")
    (place / "kernels.c").write_text(f'#include "{SOURCE}"\n{RUN}')
    libraries: dict[torch.dtype, Any] = {}
    for dtype, kind in KINDS.items():
        library = place / f"{kind}.so"
        subprocess.run(
            ["cc", "-w", "-O0", f"-DKIND={kind}", "-shared", "-fPIC", "-o", library, place / "kernels.c"], check=True
        )
        libraries[dtype] = ctypes.CDLL(str(library))
    return libraries


def run(function: Any, blocks: int, *arguments: Any) -> np.ndarray:
    row, parts = np.full(len(FIELDS) + 1, np.pi), np.empty((blocks, len(FIELDS) + 1))
    function(*arguments, ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(parts.ctypes.data), ctypes.c_uint(blocks))
    return row


def address(tensor: Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


@given(st.sampled_from(sorted(KINDS, key=str)), SIZES, st.integers(0, 1000), st.sampled_from([1, 2, 40]), st.booleans())
def test_statistics_are_those_of_the_processor(
    compiled: dict[torch.dtype, Any], dtype: torch.dtype, count: int, seed: int, blocks: int, is_moved: bool
) -> None:
    tensor, element = random_bytes(dtype, count + 1, seed), ELEMENT_TYPES[dtype]
    tensor = tensor[1:] if is_moved else tensor[:count]  # words that are not aligned
    want = summarized(tensor)
    row = run(
        compiled[dtype].run_statistics, blocks, address(tensor), ctypes.c_longlong(count),
        ctypes.c_double(element.near_max), ctypes.c_double(element.tiny),
    )  # fmt: skip
    if not np.isfinite(want.values[0, COLUMN[Field.SUM_ABS]]):  # then it depends on the order of the parts
        row[COLUMN[Field.SUM]] = want.values[0, COLUMN[Field.SUM]]
    np.testing.assert_allclose(row[:-1], want.values[0], rtol=1e-9)
    assert mix(int(row.view(np.uint64)[-1]), count) == want.digest[0]


@given(st.sampled_from(FLOATS[:4]), SIZES, st.integers(0, 1000), st.sampled_from([1, 3]))
def test_updates_are_those_of_the_processor(
    compiled: dict[torch.dtype, Any], dtype: torch.dtype, count: int, seed: int, blocks: int
) -> None:
    before, now = random_bytes(dtype, count, seed), random_bytes(dtype, count, seed + 1)
    vectors = StepVectors(0, Counter())
    vectors.add_update(vectors.row_of(now), now, before)
    row = run(compiled[dtype].run_update, blocks, address(now), address(before), ctypes.c_longlong(count))
    np.testing.assert_allclose(row[[14, 15]], vectors.finish()().values[0, 14:], rtol=1e-6)
    assert (row[:14] == np.pi).all()
