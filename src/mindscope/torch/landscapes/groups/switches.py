# SPDX-License-Identifier: Apache-2.0
"""Switches of PyTorch that hold for a while."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import torch


@contextmanager
def plain_layers() -> Generator[None]:
    """Compute attention layers by their parts: rules for groups exist for these."""
    mha: Any = cast(Any, torch.backends).mha
    was_enabled = mha.get_fastpath_enabled()
    mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        mha.set_fastpath_enabled(was_enabled)


@contextmanager
def silent_tracing() -> Generator[None]:
    """Log nothing where an operator fails: the caller handles the error, and takes another way."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


@contextmanager
def no_loops_over_groups() -> Generator[None]:
    """Raise RuntimeError where ``torch.vmap`` has no rule for an operator; it would loop over groups and warn."""
    functorch: Any = cast(Any, torch)._C._functorch
    was_enabled = functorch._is_vmap_fallback_enabled()
    functorch._set_vmap_fallback_enabled(False)
    try:
        yield
    finally:
        functorch._set_vmap_fallback_enabled(was_enabled)
