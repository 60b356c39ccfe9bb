# SPDX-License-Identifier: Apache-2.0
"""Settings of the running data recorder: from the environment, and from a ``mindspore_config.json``, key by key."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mindscope.errors import SettingsError

_LOG = logging.getLogger("mindscope")
ON_FAILURE = 1
ALWAYS = 2
_MODES = (ON_FAILURE, ALWAYS)


@dataclass(frozen=True, slots=True)
class RunningDataSettings:
    """Whether to keep the data of a training, and when to write it: 1 when it fails, 2 when it fails or ends."""

    is_enabled: bool = False
    mode: int = ON_FAILURE
    path: Path = Path()
    has_memory_history: bool = False
    """Whether CUDA's allocator records its events."""

    def overridden(self, entries: Mapping[str, Any]) -> RunningDataSettings:
        """Return these settings with the entries of a file in place of theirs."""
        return replace(self, **entries)


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """The valid entries of a ``mindspore_config.json``."""

    running_data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of ``rdr``, by field of ``RunningDataSettings``."""
    is_memory_reused: bool | None = None
    """Value of ``sys.mem_reuse``; None if it has none."""


def read_config(file: str | PathLike[str]) -> EnvironmentConfig:
    """Return the settings in a configuration file; other sections are of other programs.

    ``{"rdr": {"enable": true, "mode": 1, "path": "/absolute", "memory_history": true}, "sys": {"mem_reuse": true}}``:
    every entry is optional. One that is unknown or invalid is logged and left out.

    Raises:
        SettingsError: the file can't be read, or is no JSON object.
    """
    name = Path(file)
    try:
        config: Any = json.loads(name.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"env_config_path {name} can't be read: {error}; want a JSON file") from error
    if not isinstance(config, dict):
        raise SettingsError(f"env_config_path {name} is {type(config).__name__}, want an object with rdr and sys")
    sections = cast("dict[str, Any]", config)
    reuse = _entries(name, "sys", sections.get("sys", {}), {"mem_reuse": ("is_memory_reused", _flag)})
    return EnvironmentConfig(_entries(name, "rdr", sections.get("rdr", {}), _RUNNING_DATA), **reuse)


def settings_from_environment(environ: Mapping[str, str]) -> RunningDataSettings:
    """Reads ``MS_RDR_ENABLE``, ``MS_RDR_MODE``, ``MS_RDR_PATH`` and ``MINDSCOPE_RDR_MEMORY_HISTORY``.

    An invalid one is logged and has no effect. The default path is the working directory.
    """
    entries: dict[str, Any] = {"path": Path.cwd()}
    for name, (field_name, parse) in _VARIABLES.items():
        text = environ.get(name, "")
        if text:
            try:
                entries[field_name] = parse(text)
            except ValueError as error:
                _LOG.warning("%s is %r, want %s; it has no effect", name, text, error)
    return RunningDataSettings(**entries)


Parse = Callable[[Any], Any]
"""Raises ValueError with what is wanted."""


def _entries(file: Path, section: str, value: Any, known: Mapping[str, tuple[str, Parse]]) -> dict[str, Any]:
    """Return the valid entries of a section by the names of their fields; the others are logged."""
    if not isinstance(value, dict):
        _LOG.warning("%s in %s is %s, want an object; it has no effect", section, file, type(value).__name__)
        return {}
    found: dict[str, Any] = {}
    for name, entry in cast("dict[str, Any]", value).items():
        if name not in known:
            _LOG.warning("%s in %s has %r, want %s; it has no effect", section, file, name, ", ".join(known))
            continue
        field_name, parse = known[name]
        try:
            found[field_name] = parse(entry)
        except ValueError as error:
            _LOG.warning("%s.%s in %s is %r, want %s; it has no effect", section, name, file, entry, error)
    return found


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _mode(value: Any) -> int:
    if type(value) is not int or value not in _MODES:
        raise ValueError("1 (when a training fails) or 2 (when it fails or ends)")
    return value


def _path(value: Any) -> Path:
    if not isinstance(value, str) or not Path(value).is_absolute():
        raise ValueError("an absolute path")
    return Path(value)


def _flag_text(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("0 or 1")
    return text == "1"


def _mode_text(text: str) -> int:
    return _mode(int(text) if text.isdecimal() else text)


_RUNNING_DATA: dict[str, tuple[str, Parse]] = {
    "enable": ("is_enabled", _flag),
    "mode": ("mode", _mode),
    "path": ("path", _path),
    "memory_history": ("has_memory_history", _flag),
}
_VARIABLES: dict[str, tuple[str, Parse]] = {
    "MS_RDR_ENABLE": ("is_enabled", _flag_text),
    "MS_RDR_MODE": ("mode", _mode_text),
    "MS_RDR_PATH": ("path", _path),
    "MINDSCOPE_RDR_MEMORY_HISTORY": ("has_memory_history", _flag_text),
}
