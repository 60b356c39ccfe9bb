# SPDX-License-Identifier: Apache-2.0
"""Infers types of the values in ONNX models that do not give them, with the package onnx, if it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from mindscope.errors import FormatError
from mindscope.graph.columns import TensorType
from mindscope.graph.onnx import types_of_values
from mindscope.graph.onnx_files import without_large_tensors

LARGEST_MODEL = 1 << 26
"""Bytes without large weights; a larger one is not inferred."""
DEADLINE_S = 60
_PROGRAM = Path(__file__).with_name("onnx_inference.py")


def inferred_types(model: bytes) -> Mapping[str, TensorType]:
    """Types by the names of values; empty if onnx is missing or can't infer them.

    onnx runs in a process of its own with limits of memory and time: a hostile model ends that, and nothing else.
    """
    if find_spec("onnx") is None:
        return {}
    small = without_large_tensors(model)
    if len(small) > LARGEST_MODEL:
        return {}
    try:
        done = subprocess.run(
            [sys.executable, str(_PROGRAM)],
            input=small,
            capture_output=True,
            check=True,
            timeout=DEADLINE_S,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # each thread reserves memory, which is limited
        )
        return types_of_values(done.stdout)
    except (subprocess.SubprocessError, OSError, FormatError):
        return {}
