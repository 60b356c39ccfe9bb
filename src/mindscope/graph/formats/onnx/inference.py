# SPDX-License-Identifier: Apache-2.0
"""A program of its own: reads an ONNX model from stdin, and writes its values with the types that onnx infers.

It imports nothing of mindscope, and limits its memory and its time before it reads.
"""

from __future__ import annotations

import sys
from typing import Any

LIMIT_BYTES, LIMIT_S = 1 << 30, 30


def limit() -> None:
    """Limit this process where the system can."""
    try:
        import resource  # not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Writes a GraphProto with the values and the outputs."""
    limit()
    del sys.path[0]  # this directory, whose onnx.py is another module
    from importlib import import_module

    onnx: Any = import_module("onnx")
    shape_inference: Any = import_module("onnx.shape_inference")
    model = onnx.load_model_from_string(sys.stdin.buffer.read())
    graph = shape_inference.infer_shapes(model, data_prop=True).graph
    values = onnx.GraphProto(value_info=graph.value_info, output=graph.output)
    sys.stdout.buffer.write(values.SerializeToString())


if __name__ == "__main__":
    main()
