# SPDX-License-Identifier: Apache-2.0
"""Dumps as msprobe writes them, from the documented keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LINEAR = "Module.encoder.layers.0.fc.Linear"
RELU = "Functional.relu"


def tensor(**changes: Any) -> dict[str, Any]:
    """A tensor with statistics."""
    return {
        "type": "torch.Tensor", "dtype": "torch.float16", "shape": [2, 3], "Max": 4.0, "Min": -2.0, "Mean": 0.5,
        "Norm": 3.0, "requires_grad": True, **changes,
    }  # fmt: skip


def operators() -> dict[str, Any]:
    """Forward and backward of a module, a function within it called twice, gradients of the parameters."""
    mask = tensor(dtype="torch.bool", Max=True, Min=False, Mean=None, Norm=None)
    parameters = {"weight": tensor(shape=[3, 3]), "bias": tensor(shape=[3])}
    return {
        f"{RELU}.7.forward": {
            "input_args": [tensor()], "input_kwargs": {"inplace": {"type": "bool", "value": False}},
            "output": [tensor()],
        },
        f"{RELU}.12.forward": {
            "input_args": [tensor(), [tensor(dtype="torch.int64"), None]], "input_kwargs": {"mask": mask},
            "output": [tensor()],
        },
        f"{LINEAR}.forward.0": {
            "input_args": [tensor(), {"type": "int", "value": 3}, None], "input_kwargs": {}, "parameters": parameters,
            "output": [tensor()], "is_recompute": False,
        },
        f"{LINEAR}.backward.0": {"input": [tensor()], "output": [tensor()]},
        f"{LINEAR}.parameters_grad.0": {"weight": [tensor(shape=[3, 3])]},
    }  # fmt: skip


def dump(directory: Path, data: dict[str, Any] | None = None, framework: str = "pytorch") -> Path:
    """The files of one rank and step."""
    directory.mkdir(parents=True, exist_ok=True)
    content = {
        "task": "statistics", "level": "mix", "framework": framework, "dump_data_dir": None,
        "data": operators() if data is None else data,
    }  # fmt: skip
    (directory / "dump.json").write_text(json.dumps(content, indent=1))
    frames = [
        "File /train/net.py, line 49, in forward, \n x = self.fc(x)",
        "File /train/train.py, line 7, in step, \n loss = net(x)",
    ]
    stacks = {"0": [[f"{LINEAR}.forward.0", f"{RELU}.7.forward"], frames], "1": ["odd"]}
    (directory / "stack.json").write_text(json.dumps(stacks))
    linear = f"{LINEAR}.forward.0"
    parents = {f"{RELU}.7.forward": linear, f"{RELU}.12.forward": linear, linear: None}
    (directory / "construct.json").write_text(json.dumps(parents))
    return directory
