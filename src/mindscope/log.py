# SPDX-License-Identifier: Apache-2.0
"""The log of the package, configured by the environment variables that MindSpore uses.

Each recorder, collector, model and landscape calls this module; only the first call in a process has an effect.

| variable            | meaning                                                                     | without it |
|---------------------|-----------------------------------------------------------------------------|------------|
| GLOG_v              | minimum level: 0 debug, 1 info, 2 warning, 3 error, 4 critical              | 2          |
| GLOG_logtostderr    | 1: to the screen; 0: to ``GLOG_log_dir/rank_N/logs/mindscope.log.PID``      | 1          |
| GLOG_log_dir        | directory of the files; letters, digits, ``-``, ``_``, ``.`` and ``/``      | required   |
| GLOG_stderrthreshold| minimum level that also goes to the screen if there is a file               | 2          |
| GLOG_logfile_mode   | permissions of the files, octal                                             | 0640       |
| MS_SUBMODULE_LOG_v  | ``{TORCH:0,SERVER:3}``: minimum level of parts, in place of GLOG_v          | none       |
| logger_maxBytes     | size limit of a file; the log then rotates                                  | 52428800   |
| GLOG_max_log_size   | the same in MB, as GLOG_log_max, without logger_maxBytes                    | 50         |
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
_VARIABLES = ("GLOG_v", "GLOG_logtostderr", "GLOG_log_dir", "GLOG_stderrthreshold", "MS_SUBMODULE_LOG_v")
_LEVEL_NUMBERS = ("0", "1", "2", "3", "4")
_SUBMODULES = re.compile(r"\{(\w+:\w+)(,\w+:\w+)*\}", re.ASCII)
_OCTAL = re.compile(r"0?[0-7]{3}", re.ASCII)
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
    logger.propagate = False  # so that lines are not logged twice
    levels = submodule_levels(environ.get("MS_SUBMODULE_LOG_v", ""), logger)
    logger.setLevel(min(level, *levels.values()) if levels else level)
    for handler in handlers:
        if levels:
            handler.addFilter(lambda record: record.levelno >= _level_of(record, levels, level))
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

    size_mb = _number(environ, "GLOG_max_log_size", _number(environ, "GLOG_log_max", 50))
    size, count = _number(environ, "logger_maxBytes", size_mb << 20), _number(environ, "logger_backupCount", 30)
    file = _file(environ)
    mode = _mode(environ)
    try:
        file.touch(mode)
        file.chmod(mode)
    except OSError as error:
        raise SettingsError(f"GLOG_log_dir has {file}, which can't be written: {error}") from error
    return [RotatingFileHandler(file, maxBytes=size, backupCount=count, encoding="utf-8"), screen]


def submodule_levels(text: str, logger: logging.Logger) -> dict[str, int]:
    """Levels of parts of the package, by their folder or module: ``{TORCH:0, SERVER:3}``.

    A syntax error drops the whole text, an unknown name or level its entry, each with a warning.
    """
    if not text:
        return {}
    if not _SUBMODULES.fullmatch(text.replace(" ", "")):
        logger.warning("MS_SUBMODULE_LOG_v is %r, want {NAME:LEVEL,...}; it has no effect", text)
        return {}
    levels: dict[str, int] = {}
    for entry in text.replace(" ", "").strip("{}").split(","):
        name, _, level = entry.partition(":")
        folder = Path(__file__).parent / name.lower()
        if level not in _LEVEL_NUMBERS or not (folder.is_dir() or folder.with_suffix(".py").is_file()):
            logger.warning("MS_SUBMODULE_LOG_v has %r, want a part of mindscope and a level of 0 to 4", entry)
        else:
            levels[name.lower()] = _LEVELS[int(level)]
    return levels


def _level_of(record: logging.LogRecord, levels: Mapping[str, int], otherwise: int) -> int:
    try:
        part = Path(record.pathname).relative_to(Path(__file__).parent).parts[0]
    except ValueError:
        return otherwise
    return levels.get(part.removesuffix(".py"), otherwise)


def _mode(environ: Mapping[str, str]) -> int:
    text = environ.get("GLOG_logfile_mode", "0640")
    if not _OCTAL.fullmatch(text):
        raise SettingsError(f"GLOG_logfile_mode is {text!r}, want an octal number such as 0640")
    return int(text, 8)


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
    if text not in _LEVEL_NUMBERS:
        raise SettingsError(f"{name} is {text!r}, want 0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical)")
    return _LEVELS[int(text)]


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, str(default))
    if not text.isdecimal():
        raise SettingsError(f"{name} is {text!r}, want a whole number")
    return int(text)
