# SPDX-License-Identifier: Apache-2.0
"""Switches the reuse of CUDA memory on and off: the caching allocator of PyTorch."""

from __future__ import annotations

import logging
import os

import torch

_log = logging.getLogger(__name__)
VARIABLE = "PYTORCH_NO_CUDA_MEMORY_CACHING"
"""PyTorch reads it at its first allocation on a GPU; processes that this one starts inherit it."""


def set_memory_reuse(is_reused: bool) -> None:
    """Set whether freed memory of tensors on GPUs serves later tensors; it warns if CUDA was used already.

    Without reuse, each tensor is allocated by CUDA itself, which is much slower, and an access to freed memory fails.
    On the CPU nothing changes.
    """
    is_set = os.environ.get(VARIABLE, "") not in ("", "0")
    if is_reused != is_set:
        return
    if torch.cuda.is_initialized():
        _log.warning("sys.mem_reuse has no effect, since CUDA was used before; call set_context first in the script")
    elif is_reused:
        del os.environ[VARIABLE]
    else:
        os.environ[VARIABLE] = "1"
