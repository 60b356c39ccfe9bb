# SPDX-License-Identifier: Apache-2.0
"""The iterations of a dump: ``all``, or numbers and closed ranges such as ``0|5-8|100-120``."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from mindscope.errors import SettingsError

_log = logging.getLogger(__name__)
_ALLOWED = re.compile(r"[0-9|-]+", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)  # more digits fit no counter
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Iterations:
    """The iterations that are dumped."""

    ranges: tuple[range, ...] | None = None
    """Ranges of iterations; None for all."""

    def __contains__(self, iteration: int) -> bool:
        return self.ranges is None or any(iteration in each for each in self.ranges)

    def __str__(self) -> str:
        if self.ranges is None:
            return "all"
        return "|".join(str(each[0]) if len(each) == 1 else f"{each[0]}-{each[-1]}" for each in self.ranges if each)

    @property
    def last(self) -> int | None:
        """The last iteration; None if there is no end, -1 if there is none at all."""
        return None if self.ranges is None else max((each[-1] for each in self.ranges if each), default=-1)


def parse_iterations(text: str, label: str) -> Iterations:
    """Return the iterations that a text selects.

    Parts are joined by ``|``. A part that is empty, has an open end or more than one dash selects nothing, as in
    MindSpore; so does a range whose end is below its begin. The log names such a part.

    Args:
        text: as in the configuration.
        label: what an error names.

    Raises:
        SettingsError: the text is empty, or has other characters than digits, ``-`` and ``|``.
    """
    if text == "all":
        return Iterations()
    if not _ALLOWED.fullmatch(text):
        raise SettingsError(f"{label} is {text!r}, want 'all', or numbers and ranges such as '0|5-8|100-120'")
    parts = [(part, _selected(part)) for part in text.split("|")]
    empty = [part for part, selected in parts if not selected]
    if empty:
        rest = "" if len(empty) < len(parts) else ", so nothing is dumped"
        names = ", ".join(map(repr, empty))
        _log.warning("%s is %r, of which %s selects no iteration%s; want 0|5-8|100-120", label, text, names, rest)
    return Iterations(tuple(selected for _, selected in parts))


def _selected(part: str) -> range:
    if _NUMBER.fullmatch(part):
        return range(int(part), int(part) + 1)
    limits = _RANGE.fullmatch(part)
    return range(int(limits[1]), int(limits[2]) + 1) if limits else range(0)
