# SPDX-License-Identifier: Apache-2.0
"""What processes of ``mindscope run`` tell the command: a file to which each appends lines of JSON."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FILE = "MINDSCOPE_RUN_NOTES"
"""The environment variable with the path of the file."""
DIRECTORY = "MINDSCOPE_RUN_DIR"
"""The environment variable with the directory of runs whose library has none of its own."""
_LOG = logging.getLogger("mindscope")
_IGNORED: set[str] = set()
"""What this process said."""


def note_run(directory: str, library: str) -> None:
    """Tell that a run of ``library`` is recorded in ``directory``."""
    _append({"run": os.path.abspath(directory), "library": library})  # noqa: PTH100 - keeps links


def ignore(name: str, remedy: str = "") -> None:
    """Warn once that ``name`` does nothing under ``mindscope run``, and tell it."""
    if name in _IGNORED:
        return
    _IGNORED.add(name)
    _LOG.warning("mindscope run ignores %s%s", name, f": {remedy}" if remedy else "")
    _append({"ignored": name})


def read(path: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the directories of runs with the libraries that wrote there, and the names of what was ignored."""
    runs: dict[str, list[str]] = {}
    ignored: dict[str, None] = {}
    for line in _lines(path):
        if "run" in line:
            libraries = runs.setdefault(line["run"], [])
            if line["library"] not in libraries:
                libraries.append(line["library"])
        elif "ignored" in line:
            ignored[line["ignored"]] = None
    return runs, list(ignored)


def _lines(path: Path) -> Iterator[dict[str, str]]:
    for line in path.read_text("utf-8", "replace").splitlines():
        with suppress(ValueError):  # a process ended within a line
            yield json.loads(line)


def _append(line: dict[str, str]) -> None:
    path = os.environ.get(FILE)
    if not path:
        return
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_APPEND)  # one write: lines of processes don't mix
        try:
            os.write(file, json.dumps(line).encode() + b"\n")
        finally:
            os.close(file)
