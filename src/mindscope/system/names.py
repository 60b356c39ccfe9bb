# SPDX-License-Identifier: Apache-2.0
"""Names of the scalars of system metrics, for those who record and those who read them."""

from __future__ import annotations

SYSTEM_PREFIX = "system/"
"""Start of the tags of all system metrics."""


def is_system_metric(tag: str) -> bool:
    """Return whether a scalar is a metric of the machine, not of the training."""
    return tag.startswith(SYSTEM_PREFIX)
