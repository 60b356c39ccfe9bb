# SPDX-License-Identifier: Apache-2.0
"""Parsers of setting values. Each raises SettingsError with the source of the value and what is accepted."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mindscope.errors import SettingsError, StorageError
from mindscope.reasons import Reason
from mindscope.storage.addresses import RemoteAddress, local_path, remote_address

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Units of sizes in bytes; a B or iB may follow."""
TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

ALLOWED_HOST = re.compile(r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
FRAME_SOURCE = re.compile(
    r"https?://(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::(?:[0-9]{1,5}|\*))?|vscode-(?:file|webview):", re.ASCII
)
"""An origin, the subdomains or the ports of one, or the pages of VS Code: never all sites."""
PATH_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~%@+:=!$&'()*,;-]+)*/?", re.ASCII)

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine for itself."""
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}", re.ASCII)
HEADER = re.compile(r"[A-Za-z0-9-]+", re.ASCII)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host on which a viewer listens."""
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Given:
    """A value as the user gave it, and where: a flag, an environment variable or a name in a configuration."""

    value: Any
    source: str

    def refused(self, want: str) -> SettingsError:
        return SettingsError(f"{self.source} is {self.value!r}, want {want}")


def parse_file(given: Given) -> Path:
    if not isinstance(given.value, str | Path) or not str(given.value) or "\0" in str(given.value):
        raise given.refused("a file")
    return Path(given.value).expanduser().absolute()


def parse_directory(given: Given) -> Path:
    if not isinstance(given.value, str | Path) or not str(given.value) or "\0" in str(given.value):
        raise given.refused("a directory")
    if address := _remote(given):
        raise SettingsError(Reason("address_not_local", source=given.source, address=address))
    return local_path(given.value).absolute()


def parse_base_directory(given: Given) -> Path | RemoteAddress:
    """Return a directory of this machine, or the address of one in a remote store."""
    return _remote(given) or parse_directory(given)


def _remote(given: Given) -> RemoteAddress | None:
    try:
        return remote_address(given.value)
    except StorageError as error:
        raise SettingsError(f"{given.source}: {error}") from error


def parse_host(given: Given) -> str:
    host = given.value
    if not isinstance(host, str) or not host or any(not (c.isalnum() or c in ".:-_") for c in host):
        raise given.refused("a host name or an address such as 127.0.0.1 or 0.0.0.0")
    return host


def parse_allowed_hosts(given: Given) -> tuple[str, ...]:
    """Return names in lower case, each with the port of its page if that is not 80 or 443."""
    return _each(
        given, ALLOWED_HOST, "names such as viewer.example.org, or viewer.example.org:8443 with the page's port"
    )


def parse_frame_sources(given: Given) -> tuple[str, ...]:
    """Return origins of pages, as a content security policy names them."""
    return _each(given, FRAME_SOURCE, "origins of pages such as https://hub.example.org or http://localhost:8888")


def parse_path_prefix(given: Given) -> str:
    """Return a path with a slash at both ends."""
    path = given.value
    if not isinstance(path, str) or not PATH_PREFIX.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise given.refused("a path such as /team/")
    return path.rstrip("/") + "/"


def parse_token(given: Given) -> str:
    """Return a token. An error does not repeat it."""
    if not isinstance(given.value, str) or not TOKEN.fullmatch(given.value):
        raise SettingsError(
            f"{given.source} is not a token: want 16 to 200 letters, digits and . _ ~ + / = -; "
            "`openssl rand -hex 24` prints one"
        )
    return given.value


def parse_networks(given: Given) -> tuple[str, ...]:
    """Return addresses and networks, as ``ipaddress`` writes them."""
    want = "addresses or networks such as 10.0.0.5 or 10.0.0.0/8"
    try:
        networks = [ipaddress.ip_network(word) for word in _each(given, re.compile(r"[0-9a-f.:/]+"), want)]
    except ValueError:
        raise given.refused(want) from None
    return tuple(str(network) for network in networks)


def parse_header(given: Given) -> str:
    """Return the name of a header in lower case."""
    if not isinstance(given.value, str) or not HEADER.fullmatch(given.value):
        raise given.refused("the name of a header such as X-Forwarded-User")
    return given.value.lower()


def _each(given: Given, pattern: re.Pattern[str], want: str) -> tuple[str, ...]:
    """Return the distinct words of a text with commas, or of a list of such texts."""
    texts = cast("list[object]", [given.value] if isinstance(given.value, str) else given.value)
    if not isinstance(given.value, str | list | tuple) or not all(isinstance(text, str) for text in texts):
        raise given.refused(want)
    words = [word.strip().lower() for text in texts for word in str(text).split(",")]
    if not all(pattern.fullmatch(word) for word in words):
        raise given.refused(want)
    return tuple(dict.fromkeys(words))


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
