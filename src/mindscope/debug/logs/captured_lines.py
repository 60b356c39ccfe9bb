# SPDX-License-Identifier: Apache-2.0
"""Lines of captured output without their times: ``2026-11-26T20:41:31.123456+08:00 stdout F text``.

``mindscope.output`` writes them, and container runtimes of Kubernetes do. ``P`` marks a piece of a line that the next
one continues.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] ?", re.ASCII)


def without_heads(data: bytes, starts: NDArray[np.integer[Any]]) -> tuple[bytes, NDArray[np.integer[Any]]]:
    """Return texts without the heads of captured lines, and where each begins, if the first one has a head."""
    if not _HEAD.match(data):
        return data, starts
    heads = np.array([match.span() for match in _HEAD.finditer(data)], np.int64)
    lengths = np.concatenate([[0], np.cumsum(heads[:, 1] - heads[:, 0])])
    return _HEAD.sub(b"", data), starts - lengths[np.searchsorted(heads[:, 0], starts)]


def printed_text(data: bytes) -> bytes:
    """Return what was printed: pieces are joined. Text of another form stays as it is."""
    if not _HEAD.match(data):
        return data
    parts: list[bytes] = []
    for line in data.splitlines(keepends=True):
        head = _HEAD.match(line)
        text = line[head.end() :] if head else line
        is_piece = head is not None and head[0].rstrip().endswith(b"P")
        parts.append(text.rstrip(b"\r\n") if is_piece else text)
    return b"".join(parts)
