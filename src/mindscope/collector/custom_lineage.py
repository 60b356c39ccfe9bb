# SPDX-License-Identifier: Apache-2.0
"""Lineage that the user adds: the argument ``custom_lineage_data``, and what an optimizer of parameters sets."""

from __future__ import annotations

import json
import logging
import numbers
from collections.abc import Mapping
from typing import Any, cast

from mindscope.capture.lineage import flat_entries
from mindscope.errors import TypeRejectedError

_LOG = logging.getLogger("mindscope")
HYPER_CONFIG = "MINDINSIGHT_HYPER_CONFIG"
_MOST_CHARACTERS = 100_000


def check_custom(data: Any, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the user's entries over those of ``MINDINSIGHT_HYPER_CONFIG``.

    Keys are text; values text, bools and numbers of any width, NumPy's too. Nested entries get dotted names.

    Raises:
        TypeError: a key or value of another kind; the text names both and what is accepted.
    """
    return _from_environment(environment) | _check_entries("custom_lineage_data", data)


def _check_entries(name: str, data: Any) -> dict[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise TypeError(f"{name} is {type(data).__name__} {data!r}, want a dict or None")
    try:
        entries = flat_entries(cast("Mapping[Any, Any]", data))
    except TypeRejectedError as error:
        raise TypeError(f"{name}: {error}") from error
    for key, value in entries.items():
        if not isinstance(value, (str, numbers.Real)) and type(value).__name__ not in ("bool", "bool_"):
            kind = type(value).__name__
            raise TypeError(f"{name}[{key!r}] is {kind} {str(value)[:40]!r}, want text, a number or a bool")
    return entries


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the entries that a search over parameters handed over; unreadable ones are left out with a warning."""
    text = environment.get(HYPER_CONFIG)
    if text is None:
        return {}
    if len(text) > _MOST_CHARACTERS:
        _LOG.warning("%s has %d characters, want at most %d; left out", HYPER_CONFIG, len(text), _MOST_CHARACTERS)
        return {}
    try:
        config: Any = json.loads(text)
        data = cast("dict[str, Any]", config).get("custom_lineage_data") if isinstance(config, dict) else None
        return _check_entries(f"{HYPER_CONFIG}['custom_lineage_data']", data)
    except (ValueError, TypeError) as error:
        _LOG.warning("%s can't be used and was left out: %s", HYPER_CONFIG, error)
        return {}
