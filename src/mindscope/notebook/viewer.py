# SPDX-License-Identifier: Apache-2.0
"""The viewers of this kernel. They end with it, also if it is killed, because their standard input ends then."""

from __future__ import annotations

import os
from typing import Any

from mindscope.server.process.background import start_in_background
from mindscope.server.process.registry import RunningViewer, find_viewer
from mindscope.settings import Settings, load_settings
from mindscope.tracking.viewers import free_port

_VIEWERS: dict[Settings, RunningViewer] = {}
"""By their settings, in which the port is the one that the user chose, or the default."""
_LIFE: list[int] = []
"""The write end of the pipe that the viewers read from."""


def viewer_of(flags: dict[str, Any]) -> RunningViewer:
    """Return the viewer of this kernel with these flags; starts it on a free port unless one is given.

    Raises SettingsError if the base directory is missing, ServerError if the viewer does not start.
    """
    settings = load_settings(flags)
    viewer = _VIEWERS.get(settings)
    if viewer is None or find_viewer(viewer.port) != viewer:
        port = {} if "port" in flags else {"port": str(free_port(settings.host))}
        viewer = _VIEWERS[settings] = _start(load_settings(flags | port))
    return viewer


def _start(settings: Settings) -> RunningViewer:
    reading, writing = os.pipe()
    try:
        viewer = start_in_background(settings, "mindscope.notebook", reading)
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    _LIFE.append(writing)
    return viewer
