# SPDX-License-Identifier: Apache-2.0
"""The last step in the files of a run, behind which a resumed run goes on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

import psutil

from mindscope.formats import tensorboard
from mindscope.formats.frames import FrameReader
from mindscope.types import Kind, Located

_NAME = re.compile(r"events\.out\.tfevents\.(?P<second>\d+)\.(?P<host>.+)\.(?P<process>\d+)\.\d+")
_TIMELESS = (Kind.HPARAMS, Kind.CUSTOM_SCALARS, Kind.SESSION)


def event_files(directory: Path) -> list[Path]:
    """Return the event files of a run; none without the directory."""
    return sorted(directory.glob("events.out.tfevents.*"))


def last_step(directory: Path) -> int | None:
    """Return the largest step that ended processes recorded; None where there is none.

    Files of a process that still runs do not count: it is another one of the same training, with steps of its own.
    A damaged file counts up to its damage.
    """
    steps = (_last_of(file) for file in event_files(directory) if not _is_written(file))
    return max((step for step in steps if step is not None), default=None)


def _last_of(file: Path) -> int | None:
    kinds: dict[str, Kind] = {}
    last: int | None = None
    try:
        for offset, payload in FrameReader(str(file)).records(file.read_bytes()):
            for value in tensorboard.locate(payload, offset, kinds):
                if isinstance(value, Located) and value.kind not in _TIMELESS and (last is None or value.step > last):
                    last = value.step
    except (OSError, ValueError):
        return last
    return last


def _is_written(file: Path) -> bool:
    """Return whether another process of this machine, which ran when the file began, is still there."""
    name = _NAME.match(file.name)
    if name is None or name["host"] != platform.node() or int(name["process"]) == os.getpid():
        return False
    try:
        process = psutil.Process(int(name["process"]))
        return process.create_time() <= int(name["second"]) + 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False
