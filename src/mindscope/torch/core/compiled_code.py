# SPDX-License-Identifier: Apache-2.0
"""Whether code runs that ``torch.compile`` made."""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType
from typing import Any

_OWN = "mindscope."
_BETWEEN = ("torch._ops", "torch._dynamo.eval_frame", "torch._compile")
_GENERATED = ("torch._inductor.", "torch._functorch.")
_MOST_FRAMES = 12


def is_compiler_used() -> bool:
    """Whether this process called ``torch.compile``."""
    known: dict[int, Any] = getattr(_eval_frame(), "cached_backends", {})
    return len(known) > 1 or any(backend is not None for backend in known.values())


def _eval_frame() -> Any:
    return sys.modules.get("torch._dynamo.eval_frame") or import_module("torch._dynamo.eval_frame")


def is_in_compiled_code() -> bool:
    """Whether a compiled function called the operator that the dispatcher runs now.

    Inductor calls operators that it does not fuse, other backends call those of a graph. Between such a call and the
    dispatcher are no frames but those of PyTorch's dispatcher and of us.
    """
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return False
        module: str | None = frame.f_globals.get("__name__")
        if module is None or module.startswith(_GENERATED):  # a graph as code has no module
            return True
        if not module.startswith((_OWN, *_BETWEEN)):
            return False
        frame = frame.f_back
    return False
