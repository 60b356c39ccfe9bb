# SPDX-License-Identifier: Apache-2.0
"""The settings of a viewer. The process that starts it builds them once and passes them down.

A setting is one field of ``Settings``. The ``Setting`` in its metadata is a row of one table: flag, environment
variable, name in a configuration, argument of the child process and line in ``docs/commands.md`` come from it.
"""

from __future__ import annotations

import importlib
import logging
import os
import runpy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from mindscope.archive.names import archive_of
from mindscope.errors import SettingsError, UsageError
from mindscope.reasons import Reason
from mindscope.setting_values import (
    Given,
    is_loopback,
    parse_allowed_hosts,
    parse_base_directory,
    parse_check_parameters,
    parse_configuration,
    parse_directory,
    parse_file,
    parse_frame_sources,
    parse_header,
    parse_host,
    parse_interval,
    parse_networks,
    parse_path_prefix,
    parse_port,
    parse_size,
    parse_switch,
    parse_token,
)
from mindscope.storage.addresses import RemoteAddress
from mindscope.storage.opening import open_storage

log = logging.getLogger(__name__)

PREFIXES = ("MINDSCOPE_", "MINDINSIGHT_")
DEFAULT_CACHE_BYTES = 10 << 30
DEFAULT_READER_BYTES = 4 << 30
DEFAULT_REMOTE_FILE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Setting:
    """The names under which users give one setting.

    ``metavar`` is None for a switch; ``shown_default`` is "" if there is none. A setting that ``repeats`` has a flag
    for each of its values. A secret one has no flag, because ``ps`` shows flags to everybody.
    """

    parse: Callable[[Given], Any]
    metavar: str | None
    accepted: str
    shown_default: str
    help: str
    repeats: bool = False
    is_secret: bool = False


def _setting(
    parse: Callable[[Given], Any],
    default: Any,
    help: str,
    *,
    metavar: str | None = None,
    accepted: str,
    shown_default: str = "",
    repeats: bool = False,
    is_secret: bool = False,
) -> Any:
    """Return a field of ``Settings``; calls a callable ``default`` for each object."""
    row = {"setting": Setting(parse, metavar, accepted, shown_default, help, repeats, is_secret)}
    if callable(default):
        return field(default_factory=default, metadata=row)
    return field(default=default, metadata=row, repr=not is_secret)


@dataclass(frozen=True, slots=True)
class Settings:
    """The content and address of a viewer. Paths are absolute.

    ``reload_interval`` is in seconds, ``cache_size`` in bytes. ``config`` is the configuration that was read, None
    if there is none.
    """

    summary_base_dir: Path | RemoteAddress = _setting(
        parse_base_directory,
        Path.cwd,
        "Show the runs below this directory, at any depth, in this archive of mindscope pack, or at this address, such "
        "as s3://bucket/runs.",
        metavar="DIR",
        accepted="a directory, an archive, or an address such as `s3://bucket/runs`",
        shown_default="the current directory",
    )
    workspace: Path = _setting(
        parse_directory,
        lambda: Path.home() / "mindscope",
        "Store logs, caches, notes and saved views in this directory.",
        metavar="DIR",
        accepted="a directory; the viewer creates it if it is missing",
        shown_default="~/mindscope",
    )
    host: str = _setting(
        parse_host,
        "127.0.0.1",
        "Listen on this address. If other machines reach it, users need a token; see docs/access.md.",
        metavar="ADDRESS",
        accepted="a host name or an address",
        shown_default="127.0.0.1",
    )
    port: int = _setting(
        parse_port,
        8080,
        "Listen on this port.",
        metavar="PORT",
        accepted="1 to 65535",
        shown_default="8080",
    )
    reload_interval: float = _setting(
        parse_interval,
        3.0,
        "Check for new data at this interval, old runs more seldom; 0 loads the logs only once.",
        metavar="SECONDS",
        accepted="0 or more",
        shown_default="3",
    )
    allow_host: tuple[str, ...] = _setting(
        parse_allowed_hosts,
        (),
        "Also answer to this name, as which a proxy or another machine knows the viewer. Repeat it for several names.",
        metavar="NAME",
        accepted="a name, with its port if that is not 80 or 443; several with commas",
        repeats=True,
    )
    path_prefix: str = _setting(
        parse_path_prefix,
        "/",
        "Answer below this path. A proxy that leaves out the path needs no prefix.",
        metavar="PATH",
        accepted="a path such as `/team/`",
        shown_default="/",
    )
    allow_frame: tuple[str, ...] = _setting(
        parse_frame_sources,
        (),
        "Allow pages of this origin, such as a notebook, to show the viewer in a frame. Repeat it for several origins.",
        metavar="ORIGIN",
        accepted="an origin such as `https://hub.example.org`; several with commas",
        repeats=True,
    )
    require_token: bool = _setting(
        parse_switch,
        False,
        "Ask for a token also on 127.0.0.1, where other users of this machine reach the viewer.",
        accepted="1 or 0",
    )
    no_token: bool = _setting(
        parse_switch,
        False,
        "Ask for no token: everyone who reaches the viewer can read all runs and change notes.",
        accepted="1 or 0",
    )
    token: str = _setting(
        parse_token,
        "",
        "The token of editors, instead of a random one.",
        metavar="TOKEN",
        accepted="16 to 200 letters and digits",
        is_secret=True,
    )
    reader_token: str = _setting(
        parse_token,
        "",
        "The token of readers, who change nothing.",
        metavar="TOKEN",
        accepted="16 to 200 letters and digits",
        is_secret=True,
    )
    token_file: Path | None = _setting(
        parse_file,
        None,
        "Read the token of editors from the first line of this file, and that of readers from the second.",
        metavar="FILE",
        accepted="a file",
    )
    read_only: bool = _setting(
        parse_switch,
        False,
        "Refuse every change of notes, colors, pins, reports, runs and sweeps from the page.",
        accepted="1 or 0",
    )
    certificate: Path | None = _setting(
        parse_file,
        None,
        "Serve HTTPS with the certificates in this PEM file.",
        metavar="FILE",
        accepted="a file in PEM",
    )
    key: Path | None = _setting(
        parse_file,
        None,
        "Take the private key of the certificate from this PEM file. By default it is in the file of the certificate.",
        metavar="FILE",
        accepted="a file in PEM, without a password",
    )
    trust_proxy: tuple[str, ...] = _setting(
        parse_networks,
        (),
        "Believe the proxy at this address who a user is, and from where. Repeat it for several addresses.",
        metavar="ADDRESS",
        accepted="an address, or a network such as `10.0.0.0/8`; several with commas",
        repeats=True,
    )
    user_header: str = _setting(
        parse_header,
        "x-forwarded-user",
        "The header in which a trusted proxy names the user.",
        metavar="NAME",
        accepted="the name of a header",
        shown_default="X-Forwarded-User",
    )
    cache_size: int = _setting(
        parse_size,
        DEFAULT_CACHE_BYTES,
        "Limit the caches in the workspace to this size; 0 disables the cache.",
        metavar="SIZE",
        accepted="bytes, such as `500M` or `10G`",
        shown_default="10G",
    )
    index: Path | None = _setting(
        parse_directory,
        None,
        "Start from what mindscope index --out wrote here. The viewer only reads it, so several viewers may share it.",
        metavar="DIR",
        accepted="a directory; without an index of the runs in it, the viewer reads their logs",
    )
    reader_memory: int = _setting(
        parse_size,
        DEFAULT_READER_BYTES,
        "Read large files in processes that may have this much memory; 0 reads them in the viewer, without a limit.",
        metavar="SIZE",
        accepted="bytes, such as `500M` or `8G`",
        shown_default="4G",
    )
    remote_file_size: int = _setting(
        parse_size,
        DEFAULT_REMOTE_FILE_BYTES,
        "Copy files of remote stores up to this size; event files and logs of any size.",
        metavar="SIZE",
        accepted="bytes, such as `500M` or `8G`",
        shown_default="64M",
    )
    follow_links: bool = _setting(
        parse_switch,
        False,
        "Also follow symbolic links that point outside the directory.",
        accepted="1 or 0",
    )
    allow_delete: bool = _setting(
        parse_switch,
        False,
        "Allow users to delete the event files of runs, and to move runs, from the page.",
        accepted="1 or 0",
    )
    allow_sweeps: bool = _setting(
        parse_switch,
        False,
        "Allow users to start and stop sweeps from the page, by the YAML files below the directory.",
        accepted="1 or 0",
    )
    alerts: str = _setting(
        parse_check_parameters,
        "",
        "Set parameters of the built-in checks; see docs/alerts.md.",
        metavar="NAME=VALUE,...",
        accepted="`name=value,...`",
    )
    config: str | None = _setting(
        parse_configuration,
        None,
        "Read settings from file:/path/to/config.py or python:package.module.",
        metavar="CONFIG",
        accepted="`file:/path/to/config.py` or `python:package.module`",
    )

    @property
    def demands_token(self) -> bool:
        """Whether users need a token: if other machines reach the viewer, or if one is given or required."""
        has_token = bool(self.token or self.reader_token or self.token_file)
        return not self.no_token and (self.require_token or has_token or not is_loopback(self.host))

    @property
    def exposure(self) -> str | None:
        """Description of what other machines can do on this viewer; None if they can't, or need a token for it."""
        if is_loopback(self.host) or self.demands_token:
            return None
        deletes = ", and delete and move runs" if self.allow_delete else ""
        deletes += ", and run the commands of sweeps" if self.allow_sweeps else ""
        changes = "" if self.read_only else f" and change notes, pins and views{deletes}"
        return f"clients that reach {self.host}:{self.port} can read all runs{changes}: --no-token asks for no password"

    def environment(self) -> dict[str, str]:
        """Return the settings as environment variables of the viewer's process."""
        given = {name: getattr(self, name) for name in settings_table()}
        return {PREFIXES[0] + name.upper(): _to_text(value) for name, value in given.items() if value is not None}

    def flags(self) -> list[str]:
        """Return the settings as arguments of ``mindscope start``, so that ``ps`` shows what a viewer serves."""
        flags: list[str] = []
        for name, setting in settings_table().items():
            value = getattr(self, name)
            if setting.is_secret:
                continue
            if setting.metavar is None:
                flags += [flag_of(name)] if value else []
            elif value not in (None, "", ()):
                flags += [flag_of(name), _to_text(value)]
        return flags


def settings_table() -> dict[str, Setting]:
    """Return the row of every setting, by its name."""
    return {each.name: each.metadata["setting"] for each in fields(Settings)}


def secret_variables() -> list[str]:
    """Return the environment variables of the secret settings."""
    secret = [name for name, setting in settings_table().items() if setting.is_secret]
    return [prefix + name.upper() for prefix in PREFIXES for name in secret]


def flag_of(name: str) -> str:
    """Return the flag of the setting ``name`` on the command line."""
    return "--" + name.replace("_", "-")


def load_settings(flags: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """Return each setting from the first source that has it: flag, MINDSCOPE_*, MINDINSIGHT_*, configuration, default.

    ``flags`` holds the values of the command line, by the names of the settings; None means not given.
    ``environ`` defaults to the process environment.

    Raises SettingsError with the source of an invalid value and the accepted values; UsageError if it is a flag.
    """
    environ = os.environ if environ is None else environ
    config = next(_candidates("config", flags, environ, {}), None)
    configuration = {} if config is None else _read_configuration(config)
    values: dict[str, Any] = {}
    for name, setting in settings_table().items():
        given = next(_candidates(name, flags, environ, configuration), None)
        if given is not None:
            values[name] = _parsed(setting, given, given.source == flag_of(name))
    settings = Settings(**values)
    _require_consistent(settings)
    return settings


def _require_consistent(settings: Settings) -> None:
    """Raises SettingsError if two settings contradict each other."""
    given = settings.token or settings.reader_token or settings.token_file or settings.require_token
    if settings.no_token and given:
        raise SettingsError("--no-token contradicts the token that is given or required; leave out one of them")
    if settings.token_file and (settings.token or settings.reader_token):
        raise SettingsError("the token is given by a variable and by --token-file; leave out one of them")
    if settings.token and settings.token == settings.reader_token:
        raise SettingsError("the tokens of editors and readers are the same; give readers another one, or none")
    if settings.key and not settings.certificate:
        raise SettingsError(f"--key {settings.key} has no certificate; add --certificate")


def _parsed(setting: Setting, given: Given, is_flag: bool) -> Any:
    try:
        return setting.parse(given)
    except SettingsError as error:
        if is_flag:
            raise UsageError(*error.args) from error
        raise


def require_base_dir(settings: Settings) -> None:
    """Raises SettingsError if the base directory does not exist; an empty directory and an archive of runs are fine.

    Raises MissingPackageError, StorageError for the address of a store that can't be opened; asks the store nothing.
    """
    base = settings.summary_base_dir
    if isinstance(base, RemoteAddress):
        if settings.allow_delete or settings.allow_sweeps:
            flag = "--allow-delete" if settings.allow_delete else "--allow-sweeps"
            raise SettingsError(Reason("address_read_only", address=base, flag=flag))
        open_storage(base)  # needs packages
    elif archive_of(base) is not None:
        if settings.allow_delete:
            raise SettingsError(f"{base} is an archive, whose runs can't be deleted: leave out --allow-delete")
    elif not base.is_dir():
        what = "is not a directory" if base.exists() else "does not exist"
        raise SettingsError(f"{base} {what}; give the directory that holds your runs with --summary-base-dir")


def _candidates(
    name: str, flags: Mapping[str, Any], environ: Mapping[str, str], configuration: Mapping[str, Given]
) -> Iterator[Given]:
    """Yield the values of a setting, by precedence. An empty variable counts as not set."""
    if flags.get(name) not in (None, [], ()):
        yield Given(flags[name], flag_of(name))
    for variable in (prefix + name.upper() for prefix in PREFIXES):
        if environ.get(variable):
            yield Given(environ[variable], f"environment variable {variable}")
    if name in configuration:
        yield configuration[name]


def _read_configuration(given: Given) -> dict[str, Given]:
    """Return the upper-case attributes of a configuration file or module, by the names of the settings."""
    scheme, _, location = parse_configuration(given).partition(":")
    try:
        attributes = _run_file(location) if scheme == "file" else vars(importlib.import_module(location))
    except (Exception, SystemExit) as error:
        raise SettingsError(f"{given.source} is {given.value!r}, which can't be read: {error!r}; correct it") from error
    _report_unknown(attributes, location)
    return {
        name.lower(): Given(value, f"{name} in {location}")
        for name, value in attributes.items()
        if name.isupper() and name != "CONFIG" and value is not None  # a configuration can't name another one
    }


def _report_unknown(attributes: Mapping[str, Any], location: str) -> None:
    """Warn about names that look like settings and are none; a configuration may define others for its own use."""
    names = [name.upper() for name in settings_table() if name != "config"]
    for name in attributes:
        if name.isupper() and not name.startswith("_") and name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"did you mean {close[0]}?" if close else f"the settings are {', '.join(names)}"
            log.warning("%s in %s is no setting and is ignored; %s", name, location, hint)


def _run_file(path: str) -> dict[str, Any]:
    return runpy.run_path(str(Path(path).expanduser()))


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(cast("tuple[str, ...]", value))
    return f"{value:g}" if isinstance(value, float) else str(value)
