# SPDX-License-Identifier: Apache-2.0
"""Environment variables that switch something off for a process and its children."""

from __future__ import annotations

import os


def is_switched_on(variable: str) -> bool:
    """Return whether the environment leaves it on: the variable is not 0, false, no or off."""
    return os.environ.get(variable, "1").strip().lower() not in ("0", "false", "no", "off")
