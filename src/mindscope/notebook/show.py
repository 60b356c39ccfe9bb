# SPDX-License-Identifier: Apache-2.0
"""Shows a viewer in a frame below a cell. Cells with the same settings share a viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.errors import UsageError
from mindscope.notebook.frame import display_frame
from mindscope.notebook.host import NotebookHost, notebook_host
from mindscope.notebook.viewer import viewer_of
from mindscope.settings import load_settings

HEIGHT = 800
"""Pixels."""


def show(directory: str | Path | None = None, *, page: str = "", height: int = HEIGHT, **settings: Any) -> None:
    """Show the runs below ``directory`` in a frame of ``height`` pixels below the cell, at a page such as ``scalars``.

    ``page`` may have a query, as in the address of the page. ``settings`` are the options of ``mindscope start``, with
    underscores, such as ``allow_delete=True``. The viewer listens on a free port, and ends with the kernel.

    Raises UsageError outside of a notebook or for an unknown option, SettingsError if the directory is missing,
    ServerError if the viewer does not start.
    """
    host = notebook_host()
    if host is None:
        raise UsageError(
            f"mindscope.show needs a notebook; run `mindscope start {directory or ''}".rstrip()
            + "` in a terminal and open the address that it prints."
        )
    if height < 1:
        raise UsageError(f"height is {height}, want at least 1 pixel.")
    viewer = viewer_of(_flags(directory, host, settings))
    display_frame(host, viewer.port, page.lstrip("/"), height)


def _flags(directory: str | Path | None, host: NotebookHost, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of the viewer: those of the user, and what the page in the frame needs."""
    given = load_settings({}, {})
    unknown = sorted(name for name in settings if not hasattr(given, name))
    if unknown:
        raise UsageError(
            f"mindscope.show has no option {unknown[0]}; docs/commands.md lists those of `mindscope start`."
        )
    if directory is not None:
        settings = settings | {"summary_base_dir": str(directory)}
    wanted = load_settings(settings)
    return settings | {
        "allow_frame": [*wanted.allow_frame, *host.frame_sources],
        "allow_host": [*wanted.allow_host, *host.names],
    }
