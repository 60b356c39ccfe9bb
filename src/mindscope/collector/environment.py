# SPDX-License-Identifier: Apache-2.0
"""The machine and the packages that a training uses."""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from mindscope.collector.lineage_fields import fact

_DISTRIBUTIONS: Mapping[str, str] = {
    name.replace("-", "_"): name
    for name in """mindscope numpy scipy pandas torchvision torchaudio torchmetrics lightning pytorch-lightning
    transformers accelerate datasets tokenizers safetensors peft diffusers timm deepspeed bitsandbytes xformers
    flash-attn triton apex einops monai kornia albumentations torchdata optuna mlflow wandb""".split()
} | {
    "sklearn": "scikit-learn", "PIL": "pillow", "cv2": "opencv-python", "hydra": "hydra-core",
    "ignite": "pytorch-ignite", "torch_geometric": "torch-geometric", "transformer_engine": "transformer-engine",
}  # fmt: skip
"""Packages that matter to a training, by the name of their module."""


def environment() -> dict[str, Any]:
    """Return host, operating system, processors, Python, and current directory."""
    try:
        directory = os.getcwd()  # noqa: PTH109 (a path of bytes that are no UTF-8 too)
    except OSError:  # deleted
        directory = None
    facts = {
        "host": socket.gethostname(),
        "os": f"{platform.system()} {platform.release()}",
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "directory": directory,
    }
    return {fact(name): value for name, value in facts.items()}


def versions() -> dict[str, str | None]:
    """Return the versions of the imported packages that matter to a training."""
    imported = {module: name for module, name in _DISTRIBUTIONS.items() if module in sys.modules}
    return {fact(f"versions.{module}"): _version(module, name) for module, name in imported.items()}


def _version(module: str, distribution: str) -> str | None:
    own = vars(sys.modules[module]).get("__version__")  # faster than to search for the distribution
    if isinstance(own, str):
        return own
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
