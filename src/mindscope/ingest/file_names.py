# SPDX-License-Identifier: Apache-2.0
"""Names of event files and of runs."""

from __future__ import annotations

import os
import re

from mindscope.store.file_facts import readable

__all__ = ["creation_number", "is_event_name", "readable", "run_id"]

_EVENT_NAME = re.compile(r"summary\.([0-9]+)|tfevents(?:\.([0-9]+))?", re.ASCII)


def is_event_name(name: str) -> bool:
    """Return whether a file of this name holds events: ``summary.`` followed by digits, or ``tfevents``."""
    return _EVENT_NAME.search(name) is not None


def creation_number(name: str) -> int:
    """Return the number in an event file's name that gives its age, usually seconds since 1970; 0 if it has none."""
    match = _EVENT_NAME.search(name)
    return int((match[1] or match[2] or "0") if match else "0")


def run_id(base: str, directory: str) -> str:
    """Return the id of the run in ``directory``: its path below ``base`` with ``/``, "." for the base itself."""
    is_below = directory.startswith(base + os.sep)
    below = directory[len(base) + 1 :] if is_below else os.path.relpath(directory, base)
    return readable(below).replace(os.sep, "/")
