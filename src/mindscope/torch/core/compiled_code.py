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


class CompilerUse:
    """Whether this process called ``torch.compile``; cheap enough to read at each operator."""

    def __init__(self) -> None:
        self._backends: dict[int, Any] = getattr(_eval_frame(), "cached_backends", {})
        self._count = 0  # when it was read last
        self._is_used = False

    @property
    def is_used(self) -> bool:
        """Whether a backend of the compiler was used since the compiler was reset."""
        if len(self._backends) != self._count:
            self._count = len(self._backends)
            self._is_used = any(backend is not None for backend in self._backends.values())  # None switches it off
        return self._is_used


def _eval_frame() -> Any:
    return sys.modules.get("torch._dynamo.eval_frame") or import_module("torch._dynamo.eval_frame")


def is_in_compiled_code() -> bool:
    """Return whether a compiled function called the operator that the dispatcher runs now.

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
