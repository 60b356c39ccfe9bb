# SPDX-License-Identifier: Apache-2.0
"""The code in documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path


def blocks(document: Path) -> Iterator[tuple[int, str, str]]:
    """Line, language and text of each block of code."""
    text = document.read_text("utf-8")
    for block in re.finditer(r"^```(python|sh|ts)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start()) + 1, block[1], block[2]
