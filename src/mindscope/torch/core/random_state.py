# SPDX-License-Identifier: Apache-2.0
"""Random numbers of a process, which continue as if a block had not been."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def kept_random_state(device: torch.device) -> Generator[None]:
    """Restore the random numbers of Python, NumPy and PyTorch afterwards: those of the host and of ``device``."""
    python, numpy = random.getstate(), np.random.get_state()
    devices = [device] if device.type == "cuda" else []
    try:
        with torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
