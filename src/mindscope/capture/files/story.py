# SPDX-License-Identifier: Apache-2.0
"""Records how a process was started as files of its run; a thread does the work."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from mindscope.capture.files.recorder import FileRecorder
from mindscope.system.switch import is_switched_on

VARIABLE = "MINDSCOPE_FILES"
"""Environment variable that switches the story off for a process and its children: 0, false, no or off."""


def is_wanted() -> bool:
    """Return whether the environment leaves the files of the story on."""
    return is_switched_on(VARIABLE)


@dataclass(frozen=True, slots=True)
class Start:
    """How this process was started, as it is now: a script may change its directory and its arguments."""

    command: Sequence[str]
    arguments: Sequence[str]
    script: Path | None
    """None in a notebook and in a console; it may be an installed program."""
    directory: Path | None
    """The current one; None if it is gone."""
    path: Sequence[str]

    @classmethod
    def of_process(cls) -> Start:
        """Return the start of this process. Raises nothing."""
        directory: Path | None = None
        with suppress(OSError):
            directory = Path.cwd()
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        script = (directory or Path()) / main if isinstance(main, str) else None
        return cls(tuple(sys.orig_argv), tuple(map(str, sys.argv[1:])), script, directory, tuple(sys.path))


def record_story(recorder: FileRecorder) -> None:
    """Record how this process was started, on the thread of the recorder. Raises nothing."""
    start = Start.of_process()

    # not on the thread: code that an import makes from text has Python forget a Ctrl-C that is ending the process
    add_story = import_module("mindscope.capture.files.story_parts").add_story
    recorder.run_later(lambda: add_story(recorder, start))
