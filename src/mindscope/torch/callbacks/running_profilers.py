# SPDX-License-Identifier: Apache-2.0
"""Profilers that run: ``Model`` calls them also where its callbacks don't list them."""

from __future__ import annotations

from weakref import WeakSet

from mindscope.torch.callbacks.callback import Callback

RUNNING: WeakSet[Callback] = WeakSet()
"""Empty unless a script made a ``Profiler``."""


def with_running_profilers(callbacks: list[Callback]) -> list[Callback]:
    """Return the callbacks, and then the profilers that run and are not among them."""
    return [*callbacks, *(each for each in RUNNING if each not in callbacks)]
