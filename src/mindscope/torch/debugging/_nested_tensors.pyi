# SPDX-License-Identifier: Apache-2.0

from typing import Any

from torch import Tensor

def tensors_in(value: Any, slot: str = "") -> list[tuple[str, Tensor]]:
    """Slots and tensors: ``0``, ``1.2`` in nested lists, ``mask`` and ``cache.key`` in mappings and data classes."""
