# SPDX-License-Identifier: Apache-2.0
"""Logs of a viewer: warnings on stderr (in the background its log file), requests in the access log."""

from __future__ import annotations

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mindscope.server.process.workspace import log_dir, workspace_warning
from mindscope.settings import Settings

ACCESS_LOG_BYTES = 10 * 2**20
ACCESS_LOGS_KEPT = 5

log = logging.getLogger(__name__)


def log_file(settings: Settings) -> Path:
    """Return the output of a viewer in the background. One file per port, because viewers can share a workspace."""
    return log_dir(settings) / f"mindscope.{settings.port}.log"


def access_log_file(settings: Settings) -> Path:
    """Return one line per request; rotated to ``.1`` .. ``.5``."""
    return log_dir(settings) / f"access.{settings.port}.log"


@contextmanager
def logging_of(settings: Settings) -> Generator[None]:
    """Log while a viewer runs. Warns once on stderr if the workspace can't be written."""
    to_stderr = logging.StreamHandler()
    to_stderr.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    everything = logging.getLogger()
    everything.addHandler(to_stderr)
    warning = workspace_warning(settings)
    if warning is not None:
        log.warning("%s", warning)
    to_file = _access_handler(settings)
    access = logging.getLogger("uvicorn.access")
    access.setLevel(logging.INFO)
    access.propagate = False
    access.addHandler(to_file)
    try:
        yield
    finally:
        access.removeHandler(to_file)
        everything.removeHandler(to_stderr)
        to_file.close()


class AccessLog(RotatingFileHandler):
    """Drops lines that can't be written, for example on a full disk, and warns once."""

    has_warned = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        if not self.has_warned:
            self.has_warned = True
            log.warning("access log %s: %s; requests are not logged until it can be written", *self._why())

    def _why(self) -> tuple[str, object]:
        return self.baseFilename, sys.exc_info()[1]


def _access_handler(settings: Settings) -> logging.Handler:
    path = access_log_file(settings)
    try:
        handler = AccessLog(path, maxBytes=ACCESS_LOG_BYTES, backupCount=ACCESS_LOGS_KEPT, encoding="utf-8")
    except OSError as error:
        log.warning("access log %s: %s; requests are not logged", path, error.strerror)
        return logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    return handler
