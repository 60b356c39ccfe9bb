# SPDX-License-Identifier: Apache-2.0
"""Every dtype of every framework with every plugin: recorded as it is or refused by name, and no process ends of it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.reading import Run

MATRIX = Path(__file__).with_name("dtype_matrix.py")
COMMON = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
ARRAYS = ("scalar", "image", "tensor", "histogram")
NOT_TENSORS = ("scalar", "image", "histogram")
WIDE = {
    "numpy": ["bool", "bfloat16", "big-endian"],
    "torch": ["bool", "bfloat16", "qint8", "quint8", "qint32", "sparse_coo", "grad", "negative_bit", "per_channel"],
    "mindspore": ["bool_", "bfloat16", "bfloat16/parameter", "bfloat16/computed", "uint64/parameter"],
    "jax": ["bool", "bfloat16"],
}
"""What all plugins of arrays take, beside the common dtypes."""
NARROW = {
    "numpy": ["float8_e4m3fn", "float8_e5m2", "longdouble"],
    "torch": ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"],
    "mindspore": ["float8_e4m3fn", "float8_e5m2"],
    "jax": ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float4_e2m1fn"],
}
"""What no event file can hold as a tensor."""
REFUSED = {
    "numpy": ["str", "datetime64[s]", "structured"],
    "torch": ["nested_strided", "nested_jagged", "meta", "torch.complex32", "torch.bits8", "torch.int4"],
    "mindspore": ["string", "hifloat8", "coo", "qint4x2"],
    "jax": ["key"],
}


@pytest.mark.framework
@pytest.mark.parametrize("framework", list(WIDE))
def test_no_dtype_ends_the_process_and_each_is_recorded_or_named(framework: str, tmp_path: Path) -> None:
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    command = [sys.executable, str(MATRIX), framework, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"{lines[-1:]}: {done.stderr[-2000:]}"
    refused = {(line.split()[1], line.split()[2]): line for line in lines if line.startswith("refused")}
    prefix = "torch." if framework == "torch" else ""
    for name in [*COMMON, *WIDE[framework], *NARROW[framework]]:
        for plugin in NOT_TENSORS if name in NARROW[framework] else ARRAYS:
            assert not refused.keys() & {(plugin, name), (plugin, prefix + name)}
    for name in REFUSED[framework]:
        assert all((plugin, name) in refused for plugin in ARRAYS)
    assert all(f"{plugin}/{name}" in text or plugin not in ARRAYS for (plugin, name), text in refused.items())
    check_ones(mindscope.open_run(tmp_path))


def check_ones(run: Run) -> None:
    """Whatever was recorded, of all dtypes, is the number one."""
    for tag in run.tags("scalar"):
        assert list(run.scalars(tag).value) == [1], tag
    for tag in run.tags("tensor"):
        array = run.tensors(tag)[-1].value.value
        assert np.all(array.astype(np.float32) == (0 if tag.endswith("/imag") else 1)), tag
    for tag in run.tags("histogram"):
        histogram = run.histograms(tag)[-1].value
        assert (histogram.minimum, histogram.maximum) == (1, 1), tag
    for tag in run.tags("image"):
        brightest = 1 if "uint8" in tag and "quint8" not in tag else 255  # bytes are kept
        assert np.all(run.images(tag)[-1].value[0].pixels() == brightest), tag
