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
| MINDSCOPE_LOG_FORMAT| ``mindspore``: lines as MindSpore's Python log has them                     | mindscope  |
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from mindscope.errors import SettingsError
from mindscope.rank import rank_id

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_VARIABLES = (
    "GLOG_v", "GLOG_logtostderr", "GLOG_log_dir", "GLOG_stderrthreshold", "MS_SUBMODULE_LOG_v", "MINDSCOPE_LOG_FORMAT",
)  # fmt: skip
_LEVEL_NUMBERS = ("0", "1", "2", "3", "4")
_SUBMODULES = re.compile(r"\{(\w+:\w+)(,\w+:\w+)*\}", re.ASCII)
_OTHERS = frozenset(
    "ANALYZER API ARMOUR COMMON CORE DEBUG DEVICE DISTRIBUTED EXPRESS FL GE GE_ADPT HCCL_ADPT IR KERNEL LITE MD ME "
    "OFFLINE_DEBUG OPTIMIZER PARALLEL PARSER PIPELINE PRE_ACT PROFILER PS PYNATIVE RUNTIME_FRAMEWORK SESSION UNKNOWN "
    "UTILS VM".split()
)
"""Parts of MindSpore, which the same variable configures."""
_OCTAL = re.compile(r"0?[0-7]{3}", re.ASCII)
_DIRECTORY = re.compile(r"[\w./-]+", re.ASCII)
_FORMAT = "[%(levelname)s] mindscope(%(process)d:%(threadName)s):%(asctime)s [%(filename)s:%(lineno)d] %(message)s"
_FORMATS = ("mindscope", "mindspore")
_NO_DIRECTORY = "GLOG_logtostderr is 0 and GLOG_log_dir is not set, want the directory of the files in GLOG_log_dir"
Value = TypeVar("Value")


def configure_log(environ: Mapping[str, str] = os.environ, logger: logging.Logger | None = None) -> None:
    """Configure the logger ``mindscope`` from the environment, unless no variable is set or the logger has handlers.

    Other programs use some of these variables too. An invalid one has the value that it has without it, and the log
    names it.

    Raises:
        SettingsError: ``GLOG_logtostderr`` is 0 and there is no ``GLOG_log_dir``.
    """
    logger = logger or logging.getLogger("mindscope")
    if logger.handlers or not any(name in environ for name in _VARIABLES):
        return
    variables = _Variables(environ)
    level, formatter = variables.level("GLOG_v"), variables.formatter()
    handlers = _handlers(variables)
    logger.propagate = False  # so that lines are not logged twice
    levels = variables.submodule_levels()
    logger.setLevel(min(level, *levels.values()) if levels else level)
    for handler in handlers:
        if levels:
            handler.addFilter(lambda record: record.levelno >= _level_of(record, levels, level))
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    for problem in variables.problems:
        logger.warning("%s", problem)


class _Variables:
    """Reads environment variables, and keeps the problems of their values."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: list[str] = []

    def level(self, name: str) -> int:
        return self._read(name, "2", lambda text: _LEVELS[_LEVEL_NUMBERS.index(text)],
                          "0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical)")  # fmt: skip

    def number(self, name: str, default: int) -> int:
        return self._read(name, str(default), _whole_number, "a whole number")

    def mode(self) -> int:
        return self._read("GLOG_logfile_mode", "0640", _octal, "an octal number such as 0640")

    def is_to_screen(self) -> bool:
        return self._read("GLOG_logtostderr", "1", ("0", "1").index, "1 for the screen or 0 for files") == 1

    def formatter(self) -> logging.Formatter:
        number = self._read("MINDSCOPE_LOG_FORMAT", "mindscope", _FORMATS.index, " or ".join(_FORMATS))
        return MindSporeFormatter() if number else logging.Formatter(_FORMAT)

    def submodule_levels(self) -> dict[str, int]:
        levels, problems = submodule_levels(self.environ.get("MS_SUBMODULE_LOG_v", ""))
        self.problems += problems
        return levels

    def directory(self) -> Path | None:
        """Return the directory of the files; None if it can't be used. Raises SettingsError."""
        text = self.environ.get("GLOG_log_dir", "")
        if not text:
            raise SettingsError(_NO_DIRECTORY)
        if not _DIRECTORY.fullmatch(text):
            self.problems.append(
                f"GLOG_log_dir is {text!r}, want letters, digits, '-', '_', '.' and '/'; the log goes to the screen"
            )
            return None
        return Path(text) / f"rank_{rank_id(self.environ)}" / "logs"

    def _read(self, name: str, default: str, parse: Callable[[str], Value], want: str) -> Value:
        text = self.environ.get(name, default)
        try:
            return parse(text)
        except ValueError:
            self.problems.append(f"{name} is {text!r}, want {want}; it has no effect")
            return parse(default)


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _octal(text: str) -> int:
    if not _OCTAL.fullmatch(text):
        raise ValueError(text)
    return int(text, 8)


def _handlers(variables: _Variables) -> list[logging.Handler]:
    screen = logging.StreamHandler(sys.stderr)
    file = None if variables.is_to_screen() else _file_handler(variables)
    if file is None:
        return [screen]
    screen.setLevel(variables.level("GLOG_stderrthreshold"))
    return [file, screen]


def _file_handler(variables: _Variables) -> logging.Handler | None:
    """Return a handler of the file; None, with a problem, if the file can't be written."""
    from logging.handlers import RotatingFileHandler  # imports sockets and queues, which few users need

    directory = variables.directory()
    if directory is None:
        return None
    size_mb = variables.number("GLOG_max_log_size", variables.number("GLOG_log_max", 50))
    size, count = variables.number("logger_maxBytes", size_mb << 20), variables.number("logger_backupCount", 30)
    mode, file = variables.mode(), directory / f"mindscope.log.{os.getpid()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file.touch(mode)
        file.chmod(mode)
        return RotatingFileHandler(file, maxBytes=size, backupCount=count, encoding="utf-8")
    except OSError as error:
        variables.problems.append(f"GLOG_log_dir can't be used, the log goes to the screen: {error}")
        return None


class MindSporeFormatter(logging.Formatter):
    """Formats ``[LEVEL] ME(pid:thread,process):2026-01-31-23:59:59.123.456 [mindscope/file.py:12] message``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one record, with its traceback on further lines."""
        time = datetime.fromtimestamp(record.created).strftime("%Y-%m-%d-%H:%M:%S.%f")
        head = f"[{record.levelname}] ME({record.process}:{record.thread},{record.processName}):{time[:-3]}.{time[-3:]}"
        root, found, path = record.pathname.rpartition("mindscope/")
        line = f"{head} [{found}{path if found else root or path}:{record.lineno}] {record.getMessage()}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def submodule_levels(text: str) -> tuple[dict[str, int], list[str]]:
    """Return the levels of parts of the package, by their folder or module: ``{TORCH:0, SERVER:3}``; and what is wrong.

    A syntax error drops the whole text, an unknown name or level its entry. Parts of MindSpore have no effect here.
    """
    if not text:
        return {}, []
    if not _SUBMODULES.fullmatch(text.replace(" ", "")):
        return {}, [f"MS_SUBMODULE_LOG_v is {text!r}, want {{NAME:LEVEL,...}}; it has no effect"]
    levels: dict[str, int] = {}
    problems: list[str] = []
    for entry in text.replace(" ", "").strip("{}").split(","):
        name, _, level = entry.partition(":")
        folder = Path(__file__).parent / name.lower()
        is_own = folder.is_dir() or folder.with_suffix(".py").is_file()
        if level not in _LEVEL_NUMBERS or not (is_own or name in _OTHERS):
            problems.append(f"MS_SUBMODULE_LOG_v has {entry!r}, want a part of mindscope or MindSpore, and 0 to 4")
        elif is_own:
            levels[name.lower()] = _LEVELS[int(level)]
    return levels, problems


def _level_of(record: logging.LogRecord, levels: Mapping[str, int], otherwise: int) -> int:
    try:
        part = Path(record.pathname).relative_to(Path(__file__).parent).parts[0]
    except ValueError:
        return otherwise
    return levels.get(part.removesuffix(".py"), otherwise)
