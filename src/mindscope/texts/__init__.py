# SPDX-License-Identifier: Apache-2.0
"""Texts with codes in English and Chinese, which the page reads too: ``en/`` and ``zh/``, a file a subject."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

Value: TypeAlias = str | int | float
Text: TypeAlias = Mapping[str, str]
"""``text``, and a ``remedy`` where there is one."""
Units: TypeAlias = Mapping[str, Callable[[float], str]]
_PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+)|\|([^|}]*)\|([^}]*))?\}(\.?)")


def texts_of(subject: str, language: str = "en") -> Mapping[str, Mapping[str, Text]]:
    """Return the texts of a file by section and code, such as those of ``errors``, in ``en`` or ``zh``."""
    return json.loads((Path(__file__).parent / language / f"{subject}.json").read_text("utf-8"))


def fill(text: str, values: Mapping[str, Value], units: Units | None = None) -> str:
    """Fill ``{name}``, ``{name:unit}``, and choose in ``{name|one|several}`` by the number that the name has.

    A value that ends a sentence gets no second full stop. Raises KeyError if a value or unit is missing.
    """

    def filled(match: re.Match[str]) -> str:
        name, unit, one, several, stop = match.groups()
        if one is not None:
            return (one if values[name] == 1 else several) + stop
        value = str(values[name]) if unit is None else (units or {})[unit](float(values[name]))
        return value if value.endswith((".", "?", "!")) else value + stop

    return _PLACEHOLDER.sub(filled, text)
