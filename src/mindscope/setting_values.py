# SPDX-License-Identifier: Apache-2.0
"""Parsers of setting values. Each raises SettingsError with the source of the value and what is accepted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindscope.errors import SettingsError
from mindscope.reasons import Reason
from mindscope.remote_addresses import remote_address

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Units of sizes in bytes; a B or iB may follow."""
TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that only this machine reaches."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as the user gave it, and where: a flag, an environment variable or a name in a configuration."""

    value: Any
    source: str

    def refused(self, want: str) -> SettingsError:
        return SettingsError(f"{self.source} is {self.value!r}, want {want}")


def parse_directory(given: Given) -> Path:
    if not isinstance(given.value, str | Path) or not str(given.value) or "\0" in str(given.value):
        raise given.refused("a directory")
    if reason := remote_address(given.value):
        raise SettingsError(Reason(reason.code, **{**reason.values, "address": f"{given.source} {given.value}"}))
    return Path(given.value).expanduser().absolute()


def parse_host(given: Given) -> str:
    host = given.value
    if not isinstance(host, str) or not host or any(not (c.isalnum() or c in ".:-_") for c in host):
        raise given.refused("a host name or an address such as 127.0.0.1 or 0.0.0.0")
    return host


def parse_port(given: Given) -> int:
    try:
        port = int(str(given.value))
    except ValueError:
        port = 0
    if isinstance(given.value, bool) or not 1 <= port <= 65535:
        raise given.refused("a whole number from 1 to 65535")
    return port


def parse_interval(given: Given) -> float:
    try:
        seconds = float(str(given.value))
    except ValueError:
        seconds = -1.0
    if isinstance(given.value, bool) or not 0 <= seconds < float("inf"):
        raise given.refused("seconds, 0 or more; 0 loads the logs once")
    return seconds


def parse_size(given: Given) -> int:
    match = re.fullmatch(r"([0-9]+|[0-9]*\.[0-9]+) ?([KMGT]?)(I?B)?", str(given.value).strip().upper(), re.ASCII)
    if match is None or isinstance(given.value, bool):
        raise given.refused("a number of bytes such as 500M or 10G, or 0")
    return int(float(match[1]) * UNITS[match[2]])


def parse_switch(given: Given) -> bool:
    is_on = TRUTHS.get(str(given.value).strip().lower())
    if is_on is None:
        raise given.refused("1 or 0")
    return is_on


def parse_check_parameters(given: Given) -> str:
    if not isinstance(given.value, str):
        raise given.refused("a text such as spike_factor=6,plateau_points=500")
    return given.value


def parse_configuration(given: Given) -> str:
    scheme, _, location = str(given.value).partition(":")
    if scheme not in ("file", "python") or not location:
        raise given.refused("file:/path/to/config.py or python:package.module")
    return str(given.value)
