# SPDX-License-Identifier: Apache-2.0
"""Checks that the workspace is local and can be written, and says what is lost if not."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mindscope.network_mounts import MOUNTS, shared_type
from mindscope.settings import Settings

LOG_FOLDER = "log"
PROBE = b"mindscope" * 512
"""More than a block: a full disk can create a file, but not write its content."""


def log_dir(settings: Settings) -> Path:
    """Return the folder of the logs. It may be missing."""
    return settings.workspace / LOG_FOLDER


def workspace_warning(settings: Settings, mounts: Path = MOUNTS) -> str | None:
    """Describe what a viewer can't save in its workspace, or that it is on a network file system, and the remedy.

    None if all is well. ``mounts`` lists the file systems.
    """
    remedy = "choose another one with --workspace"
    refused = _refusal(settings.workspace)
    if refused is not None:
        lost = "notes, colors and thresholds can't be changed, each start reads all logs again, nothing is logged"
        return f"workspace {settings.workspace}: {refused.strerror}; all is kept in memory: {lost}; {remedy}"
    refused = _refusal(log_dir(settings))
    if refused is not None:
        return f"workspace {settings.workspace}: {log_dir(settings)}: {refused.strerror}; nothing is logged; {remedy}"
    kind = shared_type(settings.workspace, mounts)
    if kind is not None:
        lost = "caches and notes are slow there, and its locks may not hold between machines"
        where = f"workspace {settings.workspace} is on a network file system ({kind})"
        return f"{where}: {lost}; choose a local one with --workspace"
    return None


def _refusal(directory: Path) -> OSError | None:
    """Return the error of writing into the directory; None if it can be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory, buffering=0) as probe:
            probe.write(PROBE)
    except OSError as error:
        return error
    return None
