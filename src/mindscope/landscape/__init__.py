# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: directions in weight space, the plane that they span, and the losses on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.landscape.executors import RayExecutor as RayExecutor

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.landscape.executors": "RayExecutor",
    },
)
