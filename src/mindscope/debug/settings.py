# SPDX-License-Identifier: Apache-2.0
"""Settings of the running data recorder: from a ``mindspore_config.json``, or from the environment."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mindscope.errors import SettingsError

_LOG = logging.getLogger("mindscope")
ON_FAILURE = 1
ALWAYS = 2


@dataclass(frozen=True, slots=True)
class RunningDataSettings:
    """Whether to keep the data of a training, and when to write it: 1 when it fails, 2 always when it ends."""

    is_enabled: bool = False
    mode: int = ON_FAILURE
    path: Path = Path()


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """A ``mindspore_config.json``."""

    running_data: RunningDataSettings | None = None
    """None if it has no ``rdr``."""
    is_memory_reused: bool | None = None
    """``sys.mem_reuse``; None if it has none."""


def read_config(file: str | PathLike[str]) -> EnvironmentConfig:
    """The settings in a configuration file.

    ``{"rdr": {"enable": true, "mode": 1, "path": "/absolute"}, "sys": {"mem_reuse": true}}``: every entry is optional.

    Raises:
        SettingsError: the file can't be read, or an entry is unknown or has another type.
    """
    name = Path(file)
    try:
        config: Any = json.loads(name.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"env_config_path {name} can't be read: {error}; want a JSON file") from error
    entries = _table(f"{name}", config, ("rdr", "sys"))
    running_data = _running_data(name, entries["rdr"]) if "rdr" in entries else None
    return EnvironmentConfig(running_data, _memory_reuse(name, entries.get("sys", {})))


def settings_from_environment(environ: Mapping[str, str]) -> RunningDataSettings:
    """Reads ``MS_RDR_ENABLE=1``, ``MS_RDR_MODE`` and ``MS_RDR_PATH``; logs and ignores an invalid mode or path.

    The default path is the working directory.
    """
    mode, path = environ.get("MS_RDR_MODE", "1"), environ.get("MS_RDR_PATH", "")
    if mode not in ("1", "2"):
        _LOG.warning("MS_RDR_MODE is %r, want 1 or 2; 1 is taken", mode)
        mode = "1"
    if path and not Path(path).is_absolute():
        _LOG.warning("MS_RDR_PATH is %r, want an absolute path; the working directory is taken", path)
        path = ""
    return RunningDataSettings(environ.get("MS_RDR_ENABLE") == "1", int(mode), Path(path) if path else Path.cwd())


def _running_data(file: Path, config: Any) -> RunningDataSettings:
    entries = _table(f"rdr in {file}", config, ("enable", "mode", "path"))
    enable, path = entries.get("enable", False), entries.get("path", "")
    mode: Any = entries.get("mode", ON_FAILURE)
    if not isinstance(enable, bool):
        raise SettingsError(f"rdr.enable in {file} is {enable!r}, want true or false")
    if type(mode) is not int or mode not in (ON_FAILURE, ALWAYS):
        raise SettingsError(f"rdr.mode in {file} is {mode!r}, want 1 (when a training fails) or 2 (always)")
    if not isinstance(path, str) or (path and not Path(path).is_absolute()):
        raise SettingsError(f"rdr.path in {file} is {path!r}, want an absolute path")
    return RunningDataSettings(enable, mode, Path(path) if path else Path.cwd())


def _memory_reuse(file: Path, config: Any) -> bool | None:
    reuse = _table(f"sys in {file}", config, ("mem_reuse",)).get("mem_reuse")
    if reuse is not None and not isinstance(reuse, bool):
        raise SettingsError(f"sys.mem_reuse in {file} is {reuse!r}, want true or false")
    return reuse


def _table(subject: str, value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingsError(f"{subject} is {type(value).__name__}, want an object with {', '.join(names)}")
    entries = cast("dict[str, Any]", value)
    unknown = [name for name in entries if name not in names]
    if unknown:
        raise SettingsError(f"{subject} has {unknown[0]!r}, want {' and '.join(names)} only")
    return entries
