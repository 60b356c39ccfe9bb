# SPDX-License-Identifier: Apache-2.0
"""Texts as cells of a CSV file. Names in a log are untrusted: a spreadsheet must not run them as formulas."""

from __future__ import annotations

import re

_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""The first character of a formula, including full-width forms of East Asian keyboards, a tab or a line break."""


def text_cell(text: str) -> str:
    """Return ``text``, with a leading apostrophe if a spreadsheet would run it."""
    return f"'{text}" if _FORMULA.match(text) else text
