# SPDX-License-Identifier: Apache-2.0
"""A tile in the launcher of JupyterLab: jupyter-server-proxy starts the viewer and leads to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import mindscope

ICON = Path(mindscope.__file__).with_name("server") / "web" / "mark.svg"
START_S = 60
"""Seconds that a viewer may take until it answers."""


def setup_mindscope() -> dict[str, Any]:
    """Return the entry of jupyter-server-proxy. The viewer shows the runs below the directory of the Jupyter server."""
    start = [sys.executable, "-m", "mindscope", "start", "--foreground"]
    return {
        "command": [*start, "--port", "{port}", "--path-prefix", "{base_url}mindscope"],
        "absolute_url": True,  # the proxy keeps the path
        "timeout": START_S,
        "launcher_entry": {"title": "mindscope", "icon_path": str(ICON)},
    }
