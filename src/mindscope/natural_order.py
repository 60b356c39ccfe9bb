# SPDX-License-Identifier: Apache-2.0
"""The order of names as people count: run_2 before run_10."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"((?<![0-9.])0\.[0-9]+(?!\.?[0-9])|[0-9]+)")
"""A number below one, such as a learning rate, but not a part of a version such as 0.10.2; else an integer."""


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts run_2 before run_10, 0.005 before 0.02, and numbers before letters.

    Of equal numbers, the one with more leading zeros comes first, so that a directory stays together.
    """
    parts = _NUMBER.split(text)  # text and numbers in turns
    return tuple([_number_key(part) if index % 2 else (1, 0, part) for index, part in enumerate(parts) if part])


def _number_key(digits: str) -> tuple[int, int, str]:
    """Return a key that sorts numbers in names.

    Those below one compare as texts: their digits are in alphabetical order.
    """
    return 0, int(digits.partition(".")[0]), digits
