# SPDX-License-Identifier: Apache-2.0
"""Infers types of the values in ONNX models that do not give them, with the package onnx, if it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from mindscope.errors import FormatError
from mindscope.graph.formats.onnx.files import without_large_tensors
from mindscope.graph.formats.onnx.value_types import InferredTypes, types_of_values
from mindscope.reasons import Reason

LARGEST_MODEL = 1 << 26
"""Bytes without large weights; a larger one is not inferred."""
DEADLINE_S = 60
_MOST_LETTERS = 500
_PROGRAM = Path(__file__).with_name("inference.py")


def inferred_types(model: bytes) -> InferredTypes:
    """Return types by the names of values, or why onnx infers none.

    onnx runs in a process of its own with limits of memory and time: a hostile model ends that, and nothing else.
    """
    if find_spec("onnx") is None:
        return InferredTypes({}, Reason("onnx_not_installed"))
    small = without_large_tensors(model)
    if len(small) > LARGEST_MODEL:
        return InferredTypes({}, Reason("onnx_model_too_large", size=len(small), most=LARGEST_MODEL))
    try:
        done = subprocess.run(
            [sys.executable, str(_PROGRAM)],
            input=small,
            capture_output=True,
            check=True,
            timeout=DEADLINE_S,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # each thread reserves memory, which is limited
        )
        return InferredTypes(types_of_values(done.stdout))
    except subprocess.TimeoutExpired:
        return InferredTypes({}, Reason("onnx_inference_ended", detail=f"after {DEADLINE_S} s"))
    except subprocess.CalledProcessError as error:
        return InferredTypes({}, _refusal(error))
    except (OSError, FormatError) as error:
        return InferredTypes({}, Reason("onnx_inference_failed", detail=str(error)))


def _refusal(error: subprocess.CalledProcessError) -> Reason:
    """Return the last message of onnx as a reason; a process that its limits end says nothing."""
    lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
    if error.returncode < 0 or not lines or lines[-1].startswith("MemoryError"):
        return Reason("onnx_inference_ended", detail=f"code {error.returncode}")
    return Reason("onnx_inference_failed", detail=lines[-1][:_MOST_LETTERS])
