# SPDX-License-Identifier: Apache-2.0
"""Profiling a training with ``torch.profiler``."""

from __future__ import annotations

from mindscope.torch.profiler.profiler import Profiler as Profiler

__all__ = ["Profiler"]
