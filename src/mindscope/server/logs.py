# SPDX-License-Identifier: Apache-2.0
"""What a viewer writes down: warnings to stderr (in the background: its log), requests to its access log."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mindscope.config import Settings
from mindscope.errors import ServerError

ACCESS_LOG_BYTES = 10 * 2**20
ACCESS_LOGS_KEPT = 5


def log_file(settings: Settings) -> Path:
    """Where a viewer in the background writes its output. One file a port: viewers may share a workspace."""
    return _log_dir(settings) / f"mindscope.{settings.port}.log"


def access_log_file(settings: Settings) -> Path:
    """One line a request; older ones are kept as ``.1`` to ``.5``."""
    return _log_dir(settings) / f"access.{settings.port}.log"


@contextmanager
def logging_of(settings: Settings) -> Generator[None]:
    """Log as long as a viewer runs. Raises ServerError when the workspace can't be written."""
    to_stderr = logging.StreamHandler()
    to_stderr.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    to_file = _access_handler(settings)
    access, everything = logging.getLogger("uvicorn.access"), logging.getLogger()
    access.setLevel(logging.INFO)
    access.propagate = False
    access.addHandler(to_file)
    everything.addHandler(to_stderr)
    try:
        yield
    finally:
        access.removeHandler(to_file)
        everything.removeHandler(to_stderr)
        to_file.close()


def _access_handler(settings: Settings) -> logging.Handler:
    path = access_log_file(settings)
    try:
        handler = RotatingFileHandler(path, maxBytes=ACCESS_LOG_BYTES, backupCount=ACCESS_LOGS_KEPT, encoding="utf-8")
    except OSError as error:
        raise workspace_error(settings, error) from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    return handler


def _log_dir(settings: Settings) -> Path:
    directory = settings.workspace / "log"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise workspace_error(settings, error) from error
    return directory


def workspace_error(settings: Settings, error: OSError) -> ServerError:
    """The workspace can't be used."""
    return ServerError(f"workspace {settings.workspace}: {error.strerror}; choose another one with --workspace")
