# SPDX-License-Identifier: Apache-2.0
"""Selects the parameters whose distributions are collected."""

from __future__ import annotations

import re
from collections.abc import Iterable

DEFAULT_COUNT = 5


def select_parameters(names: Iterable[str], histogram_regular: str | None) -> list[str]:
    """Return the names that match the expression from their beginning; the first five for None."""
    if histogram_regular is None:
        return list(names)[:DEFAULT_COUNT]
    pattern = re.compile(histogram_regular)
    return [name for name in names if pattern.match(name)]
