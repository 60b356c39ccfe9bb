# SPDX-License-Identifier: Apache-2.0
"""Tells the code of a user from that of libraries, by the frames of Python stacks: ``train.py(12): main``."""

from __future__ import annotations

import re
import sys

_LIBRARY = re.compile(
    r"site-packages|dist-packages|<frozen |^torch/|/torch/|lib/python3|^<built-in|^nn\.Module: |^\?\?|\.cpp|\.so|::"
)
"""Frames that a reader of a training does not look for."""
_ROOT = re.compile(r"(\w+)(?:/|\.py\()")
_COMPREHENSIONS = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
_LINE = re.compile(r"\(\d+\)(?=: [^:]*$)")
_USERS_OWN = frozenset(("code", "data", "main", "profile", "run", "statistics", "test", "this", "trace", "types"))
"""Modules of Python whose names scripts of users have."""
_ROOTS = frozenset(sys.stdlib_module_names) - _USERS_OWN | frozenset(
    "PIL accelerate aim albumentations clearml comet_ml cv2 datasets deepspeed einops flax fsspec huggingface_hub "
    "ignite jax joblib keras lightning lightning_fabric matplotlib mindscope mindspore mlflow neptune numba numpy "
    "pandas peft pyarrow pytorch_lightning requests safetensors scipy sklearn swanlab tensorboard tensorboardX "
    "tensorflow timm tokenizers torch torch_npu torchaudio torchdata torchmetrics torchvision tqdm transformers triton "
    "trl wandb yaml".split()
)
"""Packages and modules whose paths PyTorch shortens, as it does with those of users."""


def is_library(frame: str) -> bool:
    """Return whether a frame is in a library, in Python itself, or in no file."""
    if _LIBRARY.search(frame):
        return True
    root = _ROOT.match(frame)
    return root is not None and root[1] in _ROOTS


def own_frame(stack: str) -> str:
    """Return the innermost frame of a stack outside of libraries; empty if all are in libraries.

    A comprehension counts for the function that it is in.
    """
    frames = (frame for frame in stack.split(";") if frame and not is_comprehension(frame))
    return next((frame for frame in frames if not is_library(frame)), "")


def is_comprehension(frame: str) -> bool:
    """Return whether a frame is a loop within an expression, which Python before 3.12 calls as a function."""
    return frame.endswith(_COMPREHENSIONS)


def without_line(frame: str) -> str:
    """Return a frame without its line: ``train.py: main``."""
    return _LINE.sub("", frame)
