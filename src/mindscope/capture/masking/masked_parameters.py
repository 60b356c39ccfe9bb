# SPDX-License-Identifier: Apache-2.0
"""Masks secrets among the parameters of a run, by the rules of the settings files that a run keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NO_WORD = re.compile(r"[^\w.\-]")
_MOST_NAME = 60
"""Characters of a name that decide, from its end."""


def masked_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with ``MASKED`` in place of secrets; lists and dicts are masked if they are texts.

    Numbers and bools are no secrets, except a number that is named as a password.
    """
    return {name: masked_parameter(name, value) for name, value in parameters.items()}


def masked_parameter(name: str, value: Any) -> Any:
    """Return the value of a parameter, or a text in place of a secret."""
    if isinstance(value, str):
        return _masked_text(_label(name), value)
    if isinstance(value, int) and not isinstance(value, bool) and "pass" in name.lower():
        return _masked_number(_label(name), value)
    return value


def _label(name: str) -> str:
    return _NO_WORD.sub("_", name)[-_MOST_NAME:]


def _masked_text(label: str, text: str) -> str:
    # compiling its expressions takes longer than starting a run without parameters
    from mindscope.capture.masking.masked_text import is_secret_value, mask_text
    from mindscope.capture.masking.secrets import MASK

    if is_secret_value(label, text):
        return MASK
    if text.lstrip()[:1] in ("[", "{", "("):
        head = f"{label}: "
        return mask_text(head + text, "parameters.yaml").text.removeprefix(head)
    return mask_text(text, "parameter.py").text


def _masked_number(label: str, number: int) -> int | str:
    from mindscope.capture.masking.masked_text import is_secret_value
    from mindscope.capture.masking.secrets import MASK, words_of

    is_password = words_of(label)[-1:] in (["password"], ["passwd"], ["passphrase"], ["passcode"])
    return MASK if is_password and is_secret_value(label, str(number)) else number
