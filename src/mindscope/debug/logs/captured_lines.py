# SPDX-License-Identifier: Apache-2.0
"""Lines of captured output without their times: ``2026-11-26T20:41:31.123456+08:00 stdout F text``.

``mindscope.output`` writes them, and container runtimes of Kubernetes do. ``P`` marks a piece of a line that the next
one continues.
"""

from __future__ import annotations

import re

HEAD = r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] ?"
"""Expression of the head of a captured line, for RE2 and for Python."""
_HEAD = re.compile(HEAD.encode(), re.ASCII)


def is_captured(data: bytes) -> bool:
    """Whether a text begins with such a line."""
    return _HEAD.match(data) is not None


def printed_text(data: bytes) -> bytes:
    """Return what was printed: pieces are joined. Text of another form stays as it is."""
    if not is_captured(data):
        return data
    parts: list[bytes] = []
    for line in data.splitlines(keepends=True):
        head = _HEAD.match(line)
        text = line[head.end() :] if head else line
        is_piece = head is not None and head[0].rstrip().endswith(b"P")
        parts.append(text.rstrip(b"\r\n") if is_piece else text)
    return b"".join(parts)
