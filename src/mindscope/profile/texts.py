# SPDX-License-Identifier: Apache-2.0
"""Texts about profiles, by code: advice, and why a part is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mindscope.texts import fill, texts_of

_ENGLISH = texts_of("advice")
ADVICE = _ENGLISH["advice"]
"""A finding with its figures and threshold, and the remedy. ``profile/advice/advice.py`` has the units of figures."""
MISSING = _ENGLISH["missing"]
"""Reasons why a part of a profile is missing, and the line of code that records it, if one does."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that a profile does not have: ``code`` is one of ``MISSING``, ``values`` are those of its text."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    @property
    def reason(self) -> str:
        """Data that are not there, in words."""
        return fill(MISSING[self.code]["text"], self.values)

    @property
    def remedy(self) -> str:
        """The line of code that records them; empty if none does."""
        return MISSING[self.code].get("remedy", "")
