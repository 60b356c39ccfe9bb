# SPDX-License-Identifier: Apache-2.0
"""Names of dtypes as MindSpore prints them."""

from __future__ import annotations

import torch

_NAMES = {"bool": "Bool", "bfloat16": "BFloat16", "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32",
          "uint64": "UInt64"}  # fmt: skip


def dtype_name(dtype: torch.dtype) -> str:
    """Return ``Float32``, ``BFloat16``, ``Int64``, ``Bool``."""
    name = str(dtype).removeprefix("torch.")
    return _NAMES.get(name, name.capitalize())
