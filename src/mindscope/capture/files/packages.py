# SPDX-License-Identifier: Apache-2.0
"""Lists the installed packages by the names of their metadata; no package is imported and no metadata is parsed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_METADATA = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+?)(?:-py\d[\d.]*(?:-.+)?)?\.(?:dist-info|egg-info)")
_MOST_ENTRIES = 20_000


def installed_packages(path: Sequence[str]) -> list[str]:
    """Return the packages of a search path as lines of a ``requirements.txt``, sorted; the first of a name counts."""
    lines: dict[str, str] = {}
    for directory in path:
        with suppress(OSError), os.scandir(directory or ".") as entries:
            for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False):
                match = _METADATA.fullmatch(entry.name)
                if match is not None:
                    name = re.sub(r"[-_.]+", "-", match["name"])
                    lines.setdefault(name.lower(), _requirement(name, match["version"], Path(entry.path)))
    return [lines[name] for name in sorted(lines)]


def _requirement(name: str, version: str, metadata: Path) -> str:
    """Return the version of a package, or the repository and commit that it was installed from."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        origin: Any = json.loads((metadata / "direct_url.json").read_text())
        url = str(origin["url"])
        if "vcs_info" in origin:
            return f"{name} @ {origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}  # {version}"
        if "dir_info" in origin:
            return f"{name}=={version}  # {'editable, ' * bool(origin['dir_info'].get('editable'))}from {url}"
    return f"{name}=={version}"
