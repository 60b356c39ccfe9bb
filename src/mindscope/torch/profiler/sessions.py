# SPDX-License-Identifier: Apache-2.0
"""Notes which profile of PyTorch runs in this process. There is one at a time: preparing another one ends it.

PyTorch does not say so, and crashes when a profile that is over is started, stopped or written.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import torch
from torch.autograd import profiler


class Sessions:
    """Counts the profiles of PyTorch, those of other code too, since this module was imported."""

    def __init__(self) -> None:
        self.count = 0
        """Profiles that were prepared; the last of them is the one that may run."""
        self._is_open = False
        _follow("_prepare_profiler", self._on_prepared)
        _follow("_disable_profiler", self._on_ended)

    @property
    def is_profiling(self) -> bool:
        """Whether a profiler of PyTorch records or warms up in this process."""
        return self._is_open or is_recording()

    def _on_prepared(self) -> None:
        self.count += 1
        self._is_open = True

    def _on_ended(self) -> None:
        self._is_open = False


def is_recording() -> bool:
    """Return whether a profiler of PyTorch records in this process."""
    return bool(profiler._is_profiler_enabled)  # pyright: ignore[reportPrivateUsage]


def is_recording_thread() -> bool:
    """Return whether it was started by this thread, which alone can stop it."""
    return bool(cast("Any", torch.autograd)._profiler_enabled())


def _follow(name: str, on_return: Callable[[], None]) -> None:
    """Have a function of PyTorch's profiler call ``on_return``."""
    original: Callable[..., Any] | None = getattr(profiler, name, None)
    if original is None:  # another version of PyTorch: such profiles are not counted
        return
    call = original

    @functools.wraps(original)
    def followed(*args: Any, **kwargs: Any) -> Any:
        result = call(*args, **kwargs)
        on_return()
        return result

    setattr(profiler, name, followed)


SESSIONS = Sessions()
