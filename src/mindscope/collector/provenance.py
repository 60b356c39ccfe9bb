# SPDX-License-Identifier: Apache-2.0
"""Provenance of a training: commit, command line, host, versions."""

from __future__ import annotations

import os
import platform
import shlex
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

PREFIX = "env/"
"""Begins the user-defined lineage fields that the collector adds by itself."""
_GIT_SECONDS = 5.0


def describe_provenance(packages: tuple[str, ...], seed: int | None) -> dict[str, Any]:
    """User-defined lineage fields: commit, command line, host, versions of Python and of ``packages``, seed."""
    facts: dict[str, Any] = {
        "command": shlex.join(sys.orig_argv),
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "directory": str(Path.cwd()),
    }
    facts |= git_facts(Path(sys.argv[0]).resolve().parent if sys.argv and sys.argv[0] else Path.cwd())
    facts |= {package: version for package in packages if (version := _version(package))}
    if seed is not None:
        facts["seed"] = str(seed)  # 64 bits wide: as text nothing is lost
    return {PREFIX + name: value for name, value in facts.items()}


def git_facts(directory: Path) -> dict[str, str]:
    """The commit that is checked out around a directory, and whether tracked files differ from it; else nothing."""
    commit = _git(directory, "rev-parse", "HEAD")
    if not commit:
        return {}
    changes = _git(directory, "status", "--porcelain", "--untracked-files=no")
    return {"git_commit": commit, "git_changed": "yes" if changes else "no"}


def _git(directory: Path, *arguments: str) -> str:
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments],
            capture_output=True, text=True, timeout=_GIT_SECONDS, check=True, env=environment,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):  # no git, no repository
        return ""
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
