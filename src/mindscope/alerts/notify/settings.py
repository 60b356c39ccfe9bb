# SPDX-License-Identifier: Apache-2.0
"""Settings of notifications: targets, texts and times, from options and a YAML file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from mindscope.alerts.notify.message import TEMPLATE, TITLE, check_template
from mindscope.artifacts.yaml_text import parse_yaml
from mindscope.errors import FormatError, SettingsError

_MOST_BYTES = 1 << 20
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """A target: its address, its name in messages, and patterns of the alerts and runs that it takes."""

    url: str
    name: str
    alerts: tuple[str, ...] = ("*",)
    runs: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """What is sent where, and how often. Times in seconds.

    ``join_s`` is how long a message waits for further alerts, ``quiet_s`` how long the same rule of the same tag of a
    run is not sent again. ``attempts`` is how often a message is tried, with pauses from ``pause_s`` on, each twice as
    long as the one before. ``flush_s`` is how long the end of the watch waits for messages.
    """

    targets: tuple[TargetSettings, ...] = ()
    title: str = TITLE
    template: str = TEMPLATE
    link: str = ""
    join_s: float = 2.0
    quiet_s: float = 3600.0
    attempts: int = 5
    pause_s: float = 1.0
    flush_s: float = 20.0


_NUMBERS = {"join_s": 3600.0, "quiet_s": 30 * 86400.0, "attempts": 20, "pause_s": 600.0, "flush_s": 600.0}
"""The largest value of each number."""


def read_settings(given: Sequence[str]) -> NotifySettings:
    """Return the settings from values of ``--notify``: addresses, and at most one YAML file.

    Raises SettingsError with the file and the name of a wrong setting.
    """
    files = [text for text in given if text.endswith(_SUFFIXES)]
    if len(files) > 1:
        raise SettingsError(f"--notify names {len(files)} files, {files[0]} and {files[1]}; put all targets into one.")
    settings = _of_file(Path(files[0])) if files else NotifySettings()
    addresses = [text for text in given if text not in files]
    targets = [TargetSettings(text, f"--notify {number}") for number, text in enumerate(addresses, 1)]
    return _with(settings, {"targets": (*settings.targets, *targets)})


def _of_file(path: Path) -> NotifySettings:
    try:
        data = path.read_bytes()[: _MOST_BYTES + 1]
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}.") from error
    if len(data) > _MOST_BYTES:
        raise SettingsError(f"{path} is larger than 1 MiB, which no settings of notifications are.")
    try:
        value = parse_yaml(data.decode("utf-8"))
    except (FormatError, UnicodeDecodeError) as error:
        where = str(error).partition(":")[0] if isinstance(error, FormatError) else "its encoding"
        raise SettingsError(f"{path} is no YAML in UTF-8: see {where}.") from None  # a message may quote a secret
    return _from_value(value, str(path))


def _from_value(value: Any, source: str) -> NotifySettings:
    table = _table(value, source, [field.name for field in fields(NotifySettings)])
    given: dict[str, Any] = {}
    targets = table.pop("targets", [])
    if not isinstance(targets, list):
        raise SettingsError(f"{source}: targets is no list.")
    rows = cast("list[Any]", targets)
    given["targets"] = tuple(_target(row, f"{source}, target {number}") for number, row in enumerate(rows, 1))
    for name, setting in table.items():
        given[name] = _checked(name, setting, source)
    return _with(NotifySettings(), given)


def _with(settings: NotifySettings, given: Mapping[str, Any]) -> NotifySettings:
    return NotifySettings(**{**{field.name: getattr(settings, field.name) for field in fields(settings)}, **given})


def _target(value: Any, source: str) -> TargetSettings:
    table = _table(value, source, [field.name for field in fields(TargetSettings)])
    url, name = table.get("url"), table.get("name", source)
    if not isinstance(url, str) or not url or not isinstance(name, str) or not name:
        raise SettingsError(f"{source}: url and name are texts, and url is required.")
    patterns = {key: _patterns(table.get(key, "*"), f"{source}: {key}") for key in ("alerts", "runs")}
    return TargetSettings(url, name, **patterns)


def _patterns(value: Any, source: str) -> tuple[str, ...]:
    patterns = cast("list[Any]", value if isinstance(value, list) else [value])
    if not patterns or not all(isinstance(pattern, str) for pattern in patterns):
        raise SettingsError(f"{source} is no text and no list of texts.")
    return tuple(patterns)


def _table(value: Any, source: str, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingsError(f"{source} is no table of settings; it may have {', '.join(names)}.")
    table = cast("dict[Any, Any]", value)
    unknown = [key for key in table if key not in names]
    if unknown:
        raise SettingsError(f"{source} has no setting {str(unknown[0])[:40]!r}; it may have {', '.join(names)}.")
    return dict(table)


def _checked(name: str, value: Any, source: str) -> Any:
    if name in _NUMBERS:
        return _number(name, value, source)
    if not isinstance(value, str):
        raise SettingsError(f"{source}: {name} is no text.")
    return check_link(value, f"{source}: link") if name == "link" else check_template(value, f"{source}: {name}")


def _number(name: str, value: Any, source: str) -> float:
    least = 1 if name == "attempts" else 0
    kinds = int if name == "attempts" else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
        raise SettingsError(f"{source}: {name} is no {'whole ' if name == 'attempts' else ''}number.")
    if not least <= value <= _NUMBERS[name]:
        raise SettingsError(f"{source}: {name} is {value}, want {least} to {_NUMBERS[name]:g}.")
    return value


def check_link(link: str, source: str) -> str:
    """Return the address of a viewer. Raises SettingsError for one that is none, or that holds a user."""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
    ):
        raise SettingsError(f"{source} is no address of a viewer, such as http://127.0.0.1:8080, without a user.")
    return link
