# SPDX-License-Identifier: Apache-2.0
"""Makes the help of a command of its docstring."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any


def help_of(command: Callable[..., Any]) -> str:
    """Return the docstring with a line for each paragraph: a terminal breaks lines at its own width."""
    paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)
