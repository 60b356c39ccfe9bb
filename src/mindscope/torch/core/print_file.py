# SPDX-License-Identifier: Apache-2.0
"""The file to which ``Print`` writes its values, chosen by ``set_context(print_file_path=...)``."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from pathlib import Path

_log = logging.getLogger(__name__)
_READ_ONLY = 0o400


class PrintFile:
    """A file that grows by whole calls of ``Print``, and is read-only after ``close``. Any thread may write."""

    def __init__(self, path: Path) -> None:
        self.path = _unused(path.absolute())
        """The given path, with the time in its name if there is such a file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("xb", buffering=0)
        self._lock = threading.Lock()
        self._has_failed = False
        atexit.register(self.close)

    def append(self, data: bytes) -> None:
        """Add the bytes of a call; the first failure is logged, and ends the writing."""
        with self._lock:
            if self._file.closed or self._has_failed:
                return
            try:
                self._file.write(data)
            except OSError as error:
                self._has_failed = True
                _log.warning("Print can't write %s: %s; it writes to the screen only", self.path, error)

    def close(self) -> None:
        """Close the file. It may be called several times."""
        with self._lock:
            if not self._file.closed:
                atexit.unregister(self.close)
                self._file.close()
                self.path.chmod(_READ_ONLY)


def _unused(path: Path) -> Path:
    """MindSpore does not overwrite a file of an earlier training either."""
    while path.exists():
        path = path.with_name(f"{path.name}.{time.time_ns()}")
    return path
