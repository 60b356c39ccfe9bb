# SPDX-License-Identifier: Apache-2.0
"""The version of the installed package."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def version() -> str:
    """As in the package's metadata; ``0+unknown`` when it runs from a folder that was never installed."""
    try:
        return metadata.version("mindscope")
    except metadata.PackageNotFoundError:
        return "0+unknown"
