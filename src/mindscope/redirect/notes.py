# SPDX-License-Identifier: Apache-2.0
"""What processes of ``mindscope run`` tell the command: a file to which each appends lines of JSON."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

FILE = "MINDSCOPE_RUN_NOTES"
"""The environment variable with the path of the file."""
DIRECTORY = "MINDSCOPE_RUN_DIR"
"""The environment variable with the directory of runs whose library has none of its own."""
_LOG = logging.getLogger("mindscope")
_IGNORED: set[str] = set()
"""What this process said."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What all processes of a script told."""

    runs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The directories of runs with the libraries that wrote there."""
    refused: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    """The library and the error of runs that began and record nothing."""
    disabled: dict[str, None] = field(default_factory=dict[str, None])
    """The libraries whose runs the script disabled."""
    ignored: dict[str, None] = field(default_factory=dict[str, None])
    """The names of what was ignored."""


def note_run(directory: str, library: str) -> None:
    """Tell that a run of ``library`` is recorded in ``directory``."""
    _append({"run": os.path.abspath(directory), "library": library})  # noqa: PTH100 - keeps links


def note_refused_run(library: str, error: str) -> None:
    """Tell that a run of ``library`` records nothing because of ``error``."""
    _append({"refused": library, "error": error})


def note_disabled_run(library: str) -> None:
    """Tell that the script disabled a run of ``library``."""
    _append({"disabled": library})


def ignore(name: str, remedy: str = "") -> None:
    """Warn once that ``name`` does nothing under ``mindscope run``, and tell it."""
    if name in _IGNORED:
        return
    _IGNORED.add(name)
    _LOG.warning("mindscope run ignores %s%s", name, f": {remedy}" if remedy else "")
    _append({"ignored": name})


def read(path: Path) -> Notes:
    """Return what the processes told, each thing once."""
    notes = Notes()
    for line in _lines(path):
        if "run" in line:
            libraries = notes.runs.setdefault(line["run"], [])
            if line["library"] not in libraries:
                libraries.append(line["library"])
        elif "refused" in line:
            notes.refused[line["refused"], line["error"]] = None
        elif "disabled" in line:
            notes.disabled[line["disabled"]] = None
        elif "ignored" in line:
            notes.ignored[line["ignored"]] = None
    return notes


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
