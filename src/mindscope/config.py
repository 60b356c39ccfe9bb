# SPDX-License-Identifier: Apache-2.0
"""The settings of a viewer, built once where a process starts and passed down."""

from __future__ import annotations

import importlib
import os
import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindscope.errors import SettingsError
from mindscope.reasons import Reason

PREFIXES = ("MINDSCOPE_", "MINDINSIGHT_")
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
DEFAULT_RELOAD_INTERVAL_S = 3.0
DEFAULT_CACHE_BYTES = 10 << 30
MOUNTS = {"gs": "gcsfuse", "s3": "mount-s3", "s3a": "mount-s3", "az": "blobfuse2", "abfs": "blobfuse2", "obs": "obsfs"}
"""Programs that make a directory of a remote store, by the scheme of its addresses."""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Of sizes in bytes: each also with B or iB behind it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a viewer serves and where. All paths are absolute; ``reload_interval`` is in seconds, 0 loads logs once.

    ``cache_size`` is how many bytes the caches of the workspace may take; 0 keeps none.
    ``follow_links`` opens links that lead out of the base directory. ``allow_delete`` lets the page delete event files.
    ``alerts`` sets parameters of the built-in checks, as in ``spike_factor=6,loss_tags=loss|nll``.
    ``config`` says where the configuration was read from, None without one.
    """

    summary_base_dir: Path
    workspace: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    reload_interval: float = DEFAULT_RELOAD_INTERVAL_S
    cache_size: int = DEFAULT_CACHE_BYTES
    follow_links: bool = False
    allow_delete: bool = False
    alerts: str = ""
    config: str | None = None

    def environment(self) -> dict[str, str]:
        """The settings as the environment variables that a viewer's process carries."""
        given = {"MINDSCOPE_CONFIG": self.config} if self.config else {}
        return given | {
            "MINDSCOPE_SUMMARY_BASE_DIR": str(self.summary_base_dir),
            "MINDSCOPE_WORKSPACE": str(self.workspace),
            "MINDSCOPE_HOST": self.host,
            "MINDSCOPE_PORT": str(self.port),
            "MINDSCOPE_RELOAD_INTERVAL": f"{self.reload_interval:g}",
            "MINDSCOPE_CACHE_SIZE": str(self.cache_size),
            "MINDSCOPE_FOLLOW_LINKS": str(int(self.follow_links)),
            "MINDSCOPE_ALLOW_DELETE": str(int(self.allow_delete)),
            "MINDSCOPE_ALERTS": self.alerts,
        }


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it was given, and where."""

    value: Any
    source: str

    def refused(self, want: str) -> SettingsError:
        return SettingsError(f"{self.source} is {self.value!r}, want {want}")


def load_settings(flags: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """Settle every setting: flag before MINDSCOPE_*, before MINDINSIGHT_*, before configuration, before default.

    ``flags`` holds what the command line gave, by the names of the settings and ``config``; None is not given.
    ``environ`` is the process environment when it is None.

    Raises SettingsError with the source of a value that can't be used and what is accepted.
    """
    environ = os.environ if environ is None else environ
    config = _first(_candidates("config", flags, environ))
    configuration = _read_configuration(config)

    def settle(name: str, parse: Callable[[Given], Any], default: Any) -> Any:
        given = _first(_candidates(name, flags, environ, configuration))
        return default if given is None else parse(given)

    return Settings(
        summary_base_dir=settle("summary_base_dir", _path, Path.cwd()),
        workspace=settle("workspace", _path, Path.home() / "mindscope"),
        host=settle("host", _host, DEFAULT_HOST),
        port=settle("port", _port, DEFAULT_PORT),
        reload_interval=settle("reload_interval", _interval, DEFAULT_RELOAD_INTERVAL_S),
        cache_size=settle("cache_size", _size_bytes, DEFAULT_CACHE_BYTES),
        follow_links=settle("follow_links", _yes_or_no, False),
        allow_delete=settle("allow_delete", _yes_or_no, False),
        alerts=settle("alerts", _text, ""),
        config=None if config is None else str(config.value),
    )


def require_base_dir(settings: Settings) -> None:
    """Raises SettingsError when there is no directory to serve; an empty one is fine."""
    base = settings.summary_base_dir
    if not base.is_dir():
        what = "is not a directory" if base.exists() else "does not exist"
        raise SettingsError(f"{base} {what}; give the directory that holds your runs with --summary-base-dir")


def remote_address(path: object) -> Reason | None:
    """Why ``path`` can't be read, when it is an address such as gs://bucket/logs and no path."""
    address = str(path)
    scheme = re.match(r"([a-z][a-z0-9+.-]*)://", address, re.IGNORECASE | re.ASCII)
    if scheme is None:
        return None
    return Reason("address_not_read", address=address, tool=MOUNTS.get(scheme[1].lower(), "FUSE"))


def _candidates(
    name: str, flags: Mapping[str, Any], environ: Mapping[str, str], configuration: Mapping[str, Given] | None = None
) -> Iterator[Given]:
    """What was given for a setting, the strongest first. An empty variable counts as not set."""
    if flags.get(name) is not None:
        yield Given(flags[name], "--" + name.replace("_", "-"))
    for variable in (prefix + name.upper() for prefix in PREFIXES):
        if environ.get(variable):
            yield Given(environ[variable], f"environment variable {variable}")
    if configuration and name in configuration:
        yield configuration[name]


def _first(candidates: Iterator[Given]) -> Given | None:
    return next(candidates, None)


def _read_configuration(given: Given | None) -> dict[str, Given]:
    """The attributes in capitals of a configuration file or module, by the names of the settings."""
    if given is None:
        return {}
    scheme, _, place = str(given.value).partition(":")
    readers = {"file": _run_file, "python": _import_module}
    if scheme not in readers or not place:
        raise given.refused("file:/path/to/config.py or python:package.module")
    try:
        attributes = readers[scheme](place)
    except Exception as error:
        raise SettingsError(f"{given.source} is {given.value!r}, which can't be read: {error!r}; correct it") from error
    return {
        name.lower(): Given(value, f"{name} in {place}")
        for name, value in attributes.items()
        if name.isupper() and value is not None
    }


def _run_file(path: str) -> dict[str, Any]:
    return runpy.run_path(str(Path(path).expanduser()))


def _import_module(name: str) -> dict[str, Any]:
    return vars(importlib.import_module(name))


def _path(given: Given) -> Path:
    if not isinstance(given.value, str | Path) or not str(given.value) or "\0" in str(given.value):
        raise given.refused("a directory")
    if told := remote_address(given.value):
        raise SettingsError(Reason(told.code, **{**told.values, "address": f"{given.source} {given.value}"}))
    return Path(given.value).expanduser().absolute()


def _host(given: Given) -> str:
    host = given.value
    if not isinstance(host, str) or not host or any(not (c.isalnum() or c in ".:-_") for c in host):
        raise given.refused("a host name or an address such as 127.0.0.1 or 0.0.0.0")
    return host


def _port(given: Given) -> int:
    try:
        port = int(str(given.value))
    except ValueError:
        port = 0
    if isinstance(given.value, bool) or not 1 <= port <= 65535:
        raise given.refused("a whole number from 1 to 65535")
    return port


def _interval(given: Given) -> float:
    try:
        seconds = float(str(given.value))
    except ValueError:
        seconds = -1.0
    if isinstance(given.value, bool) or not 0 <= seconds < float("inf"):
        raise given.refused("seconds, 0 or more; 0 loads the logs once")
    return seconds


def _yes_or_no(given: Given) -> bool:
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    answer = known.get(str(given.value).strip().lower())
    if answer is None:
        raise given.refused("1 or 0")
    return answer


def _text(given: Given) -> str:
    if not isinstance(given.value, str):
        raise given.refused("a text such as spike_factor=6,plateau_points=500")
    return given.value


def _size_bytes(given: Given) -> int:
    match = re.fullmatch(r"([0-9]+|[0-9]*\.[0-9]+) ?([KMGT]?)(I?B)?", str(given.value).strip().upper(), re.ASCII)
    if match is None or isinstance(given.value, bool):
        raise given.refused("a number of bytes such as 500M or 10G; 0 keeps no cache")
    return int(float(match[1]) * UNITS[match[2]])
