# SPDX-License-Identifier: Apache-2.0
"""The state of the git repository that a training was started from."""

from __future__ import annotations

import sys
from pathlib import Path

from mindscope.capture.files.git import git_output
from mindscope.collector.lineage_fields import fact

_SECONDS = 5.0


def git_facts() -> dict[str, str | bool]:
    """Return commit, branch and whether tracked files were changed, around the script or else the current directory."""
    script = sys.argv[0] if sys.argv else ""
    found = repository_state(Path(script).resolve().parent) if script else {}
    return {fact(name): value for name, value in (found or repository_state(Path.cwd())).items()}


def repository_state(directory: Path) -> dict[str, str | bool]:
    """Return ``git_commit``, ``git_branch`` and ``git_dirty``, as far as git answers in time; else nothing."""
    head = (_git(directory, "rev-parse", "HEAD", "--abbrev-ref", "HEAD") or "").split("\n")
    if not head[0]:
        return {}
    state: dict[str, str | bool] = {"git_commit": head[0]}
    if head[1:] and head[1] != "HEAD":  # detached
        state["git_branch"] = head[1]
    status = ("status", "--porcelain", "--untracked-files=no")
    changes = git_output(directory, *status, seconds=_SECONDS, most_bytes=1)
    return state if changes is None else state | {"git_dirty": bool(changes[0])}


def _git(directory: Path, *arguments: str) -> str | None:
    answer = git_output(directory, *arguments, seconds=_SECONDS)
    return answer[0].strip() if answer is not None and answer[1] else None
