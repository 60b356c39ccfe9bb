# SPDX-License-Identifier: Apache-2.0
"""Texts as cells of a CSV file. Names in a log are not ours: a spreadsheet must not run one as a formula."""

from __future__ import annotations

import re

_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""How a formula begins, also in the full width of East Asian keyboards, and after a tab or a line break."""


def text_cell(text: str) -> str:
    """``text``, with an apostrophe before it where a spreadsheet would run it."""
    return f"'{text}" if _FORMULA.match(text) else text
