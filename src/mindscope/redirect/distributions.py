# SPDX-License-Identifier: Apache-2.0
"""What ``importlib.metadata`` says of redirected libraries."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from typing import Any


class Installed(Distribution):
    """A library that is not there but looks installed."""

    def __init__(self, name: str, version: str) -> None:
        self._text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"

    def read_text(self, filename: str) -> str | None:
        """Return the metadata; None for another file."""
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        """Return the path as it is."""
        return Path(path)


def is_declared(library: str, hook: type) -> bool:
    """Return whether a distribution of this name is installed, as from a clone of its repository, without ``hook``."""
    context = DistributionFinder.Context(name=library)
    finders = [getattr(finder, "find_distributions", None) for finder in sys.meta_path if type(finder) is not hook]
    return any(next(iter(find(context)), None) is not None for find in finders if find is not None)
