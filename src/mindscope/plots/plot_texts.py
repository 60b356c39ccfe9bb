# SPDX-License-Identifier: Apache-2.0
"""Texts of a figure: names as one printable line."""

from __future__ import annotations

_LONGEST = 60


def plain(text: str) -> str:
    """Return a name without control characters and lone surrogates; one that is too long loses its middle."""
    printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return printable if len(printable) <= _LONGEST else f"{printable[: _LONGEST // 2]}…{printable[1 - _LONGEST // 2 :]}"


def others_text(count: int) -> str:
    """Return the entry of the legend for lines without names."""
    return f"{count} other{'s' if count > 1 else ''}"
