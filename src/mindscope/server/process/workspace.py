# SPDX-License-Identifier: Apache-2.0
"""Whether the workspace can be written, and what is lost when it can't."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mindscope.settings import Settings

LOG_FOLDER = "log"
PROBE = b"mindscope" * 512
"""More than a block: a full disk has room for the name of a file, and not for what is in it."""


def log_dir(settings: Settings) -> Path:
    """Where viewers log. It may not be there."""
    return settings.workspace / LOG_FOLDER


def workspace_warning(settings: Settings) -> str | None:
    """What a viewer with this workspace can't keep, and the remedy; None when all is well."""
    remedy = "choose another one with --workspace"
    refused = _refusal(settings.workspace)
    if refused is not None:
        lost = "notes, colours and thresholds can't be changed, logs are read anew at every start, nothing is logged"
        return f"workspace {settings.workspace}: {refused.strerror}; all is kept in memory: {lost}; {remedy}"
    refused = _refusal(log_dir(settings))
    if refused is not None:
        return f"workspace {settings.workspace}: {log_dir(settings)}: {refused.strerror}; nothing is logged; {remedy}"
    return None


def _refusal(directory: Path) -> OSError | None:
    """Why nothing can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory, buffering=0) as probe:
            probe.write(PROBE)
    except OSError as error:
        return error
    return None
