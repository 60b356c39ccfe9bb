# SPDX-License-Identifier: Apache-2.0
"""Logs of a viewer: warnings on stderr (in the background its log file), requests and changes in logs of their own."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, timezone
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mindscope.server.process.workspace import log_dir, workspace_warning
from mindscope.settings import Settings

LOG_BYTES = 10 * 2**20
LOGS_KEPT = 5
TOKEN = re.compile(r"(?<=[?&]token=)[^&\s\"]*")
CHANGE_FIELDS = ("user", "permission", "address", "method", "path", "status", "what")

log = logging.getLogger(__name__)


def log_file(settings: Settings) -> Path:
    """Return the output of a viewer in the background. One file per port, because viewers can share a workspace."""
    return log_dir(settings) / f"mindscope.{settings.port}.log"


def access_log_file(settings: Settings) -> Path:
    """Return one line per request; rotated to ``.1`` .. ``.5``."""
    return log_dir(settings) / f"access.{settings.port}.log"


def changes_log_file(settings: Settings) -> Path:
    """Return a JSON object per change, with who made it; rotated as the access log is."""
    return log_dir(settings) / f"changes.{settings.port}.jsonl"


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
    logs = [
        (logging.getLogger("uvicorn.access"), _handler(access_log_file(settings), RequestLine(), "requests")),
        (logging.getLogger("mindscope.changes"), _handler(changes_log_file(settings), ChangeLine(), "changes")),
    ]
    for logger, handler in logs:
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger, handler in logs:
            logger.removeHandler(handler)
            handler.close()
        everything.removeHandler(to_stderr)


class RequestLine(logging.Formatter):
    """A line of the access log, without the tokens of addresses."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return TOKEN.sub("...", super().format(record))


class ChangeLine(logging.Formatter):
    """A line of the log of changes."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")
        fields = {name: getattr(record, name) for name in CHANGE_FIELDS}
        return json.dumps({"time": time, **fields}, ensure_ascii=False)


class RotatedLog(RotatingFileHandler):
    """Drops lines that can't be written, for example on a full disk, and warns once."""

    has_warned = False

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8", errors="backslashreplace")
        self._what = what

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        if not self.has_warned:
            self.has_warned = True
            error = sys.exc_info()[1]
            log.warning("%s: %s; %s are not logged until it can be written", self.baseFilename, error, self._what)


def _handler(path: Path, formatter: logging.Formatter, what: str) -> logging.Handler:
    try:
        handler = RotatedLog(path, what)
    except OSError as error:
        log.warning("%s: %s; %s are not logged", path, error.strerror, what)
        return logging.NullHandler()
    handler.setFormatter(formatter)
    return handler
