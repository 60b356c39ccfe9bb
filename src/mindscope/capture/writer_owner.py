# SPDX-License-Identifier: Apache-2.0
"""What recorders share: each has a writer, whose thread and files belong to one process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from mindscope.capture.writer import Writer


class WriterOwner:
    """A recorder with a writer of its own; it can't be copied, and closes its files when nothing refers to it."""

    _writer: Writer

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} of {self._writer.directory} can't be copied or handed to another process, such as "
            f"a spawned worker: make a {type(self).__name__} of that directory in the process that records"
        )

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # when the interpreter ends, an exit hook has closed the files; modules are empty, and no other thread runs
        if not is_finalizing() and hasattr(self, "_writer"):
            self._writer.request_close()
