# SPDX-License-Identifier: Apache-2.0
"""The log of the package, configured by the environment variables that MindSpore uses.

Each recorder, collector, model and landscape calls this module; only the first call in a process has an effect.

| variable            | meaning                                                                     | without it |
|---------------------|-----------------------------------------------------------------------------|------------|
| GLOG_v              | minimum level: 0 debug, 1 info, 2 warning, 3 error, 4 critical              | 2          |
| GLOG_logtostderr    | 1: to the screen; 0: to ``GLOG_log_dir/rank_N/logs/mindscope.log.PID``      | 1          |
| GLOG_log_dir        | directory of the files; letters, digits, ``-``, ``_``, ``.`` and ``/``      | required   |
| GLOG_stderrthreshold| minimum level that also goes to the screen if there is a file               | 2          |
| logger_maxBytes     | size limit of a file; the log then rotates                                  | 52428800   |
| logger_backupCount  | how many rotated files to keep                                              | 30         |
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from mindscope.errors import SettingsError
from mindscope.rank import rank_id

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_VARIABLES = ("GLOG_v", "GLOG_logtostderr", "GLOG_log_dir", "GLOG_stderrthreshold")
_DIRECTORY = re.compile(r"[\w./-]+", re.ASCII)
_FORMAT = "[%(levelname)s] mindscope(%(process)d:%(threadName)s):%(asctime)s [%(filename)s:%(lineno)d] %(message)s"


def configure_log(environ: Mapping[str, str] = os.environ, logger: logging.Logger | None = None) -> None:
    """Configure the logger ``mindscope`` from the environment, unless no variable is set or the logger has handlers.

    Other programs use some of these variables too. If one is invalid, the function logs that and changes nothing.
    """
    logger = logger or logging.getLogger("mindscope")
    if logger.handlers or not any(name in environ for name in _VARIABLES):
        return
    try:
        level, handlers = _level(environ, "GLOG_v"), _handlers(environ)
    except SettingsError as error:
        logger.warning("%s; the log stays as it is", error)
        return
    logger.setLevel(level)
    logger.propagate = False  # so that lines are not logged twice
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
        logger.addHandler(handler)


def _handlers(environ: Mapping[str, str]) -> list[logging.Handler]:
    screen = logging.StreamHandler(sys.stderr)
    to_screen = environ.get("GLOG_logtostderr", "1")
    if to_screen not in ("0", "1"):
        raise SettingsError(f"GLOG_logtostderr is {to_screen!r}, want 1 for the screen or 0 for files")
    if to_screen == "1":
        return [screen]
    screen.setLevel(_level(environ, "GLOG_stderrthreshold"))
    from logging.handlers import RotatingFileHandler  # imports sockets and queues, which few users need

    size, count = _number(environ, "logger_maxBytes", 50 * 1024 * 1024), _number(environ, "logger_backupCount", 30)
    return [RotatingFileHandler(_file(environ), maxBytes=size, backupCount=count, encoding="utf-8"), screen]


def _file(environ: Mapping[str, str]) -> Path:
    directory = environ.get("GLOG_log_dir", "")
    if not _DIRECTORY.fullmatch(directory):
        want = "a directory of letters, digits, '-', '_', '.' and '/', since GLOG_logtostderr is 0"
        raise SettingsError(f"GLOG_log_dir is {directory!r}, want {want}")
    logs = Path(directory) / f"rank_{rank_id(environ)}" / "logs"
    try:
        logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"GLOG_log_dir is {directory!r}, which can't be made: {error}") from error
    return logs / f"mindscope.log.{os.getpid()}"


def _level(environ: Mapping[str, str], name: str) -> int:
    text = environ.get(name, "2")
    if text not in ("0", "1", "2", "3", "4"):
        raise SettingsError(f"{name} is {text!r}, want 0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical)")
    return _LEVELS[int(text)]


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, str(default))
    if not text.isdecimal():
        raise SettingsError(f"{name} is {text!r}, want a whole number")
    return int(text)
