# SPDX-License-Identifier: Apache-2.0
"""Recognizes logs of PyTorch's ``DebugMode`` by their first lines."""

from __future__ import annotations

import re

LOG_SUFFIXES = (".txt", ".log")
HEAD_BYTES = 1 << 14
_CALL = re.compile(rb"^\s*[A-Za-z_]\w*::[\w.]+\(.*\)  ->  ", re.MULTILINE)


def is_debug_mode_text(head: bytes) -> bool:
    """Return whether a text begins with calls of operators such as ``aten::mm(t: f32[2, 3])  ->  t: f32[2, 3]``."""
    return b"  ->  t" in head and _CALL.search(head) is not None
