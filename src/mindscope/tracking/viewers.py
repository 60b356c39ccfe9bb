# SPDX-License-Identifier: Apache-2.0
"""The viewer that shows the directory of a run: found, or started."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def viewer_address(directory: Path) -> str | None:
    """Return the address of a running viewer over ``directory`` or one above it; None without one."""
    if not _has_records():
        return None
    from mindscope.named_bases import roots_of
    from mindscope.server.process.registry import running_viewers

    path = directory.resolve()
    return next(
        (
            viewer.address
            for viewer in running_viewers()
            if any(path.is_relative_to(root.resolve()) for root in roots_of(viewer.base_dir))
        ),
        None,
    )


def start_viewer(base: Path) -> str:
    """Start a viewer over ``base`` in the background; returns its address. Takes the next free port.

    Raises MindscopeError if it does not start.
    """
    from mindscope.server.process.background import start_in_background
    from mindscope.settings import load_settings

    settings = load_settings({"summary_base_dir": str(base)})
    port = next((port for port in range(settings.port, settings.port + 50) if _is_free(settings.host, port)), None)
    return start_in_background(
        load_settings({"summary_base_dir": str(base), "port": str(port or settings.port)})
    ).address


def free_port(host: str) -> int:
    """Return a port of ``host`` on which nothing listens, chosen by the system."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _has_records() -> bool:
    """Return whether any viewer was ever started here, without the import of what starts them."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return any((Path(state) / "mindscope" / "viewers").glob("*/*.json"))
