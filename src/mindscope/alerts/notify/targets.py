# SPDX-License-Identifier: Apache-2.0
"""Targets of notifications. Errors name a target, never its address, which may hold a secret."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from html import escape
from importlib import import_module
from threading import get_ident
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, urlsplit

from mindscope.alerts.notify.message import Message
from mindscope.errors import MissingPackageError, SettingsError
from mindscope.reasons import Reason

DESKTOP = "desktop"
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)", re.ASCII)
_STATUS = re.compile(r"error=([1-5][0-9]{2})\b")
_SIGNED = "+-:"
"""Signs with which names of headers, parameters and fields begin in a query of an address."""
_QUIET = ("apprise", "urllib3", "requests", "requests_oauthlib", "oauthlib")
"""Loggers whose texts may hold addresses."""
_DESKTOP_S = 10.0
_ASSET = {"app_id": "mindscope", "app_desc": "mindscope", "async_mode": False, "http_redirects": False}
"""Addresses with secrets are not followed to other hosts."""
_APPLE_SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


class NotifyTarget(Protocol):
    """Sends messages somewhere."""

    name: str
    """Name for people, without secrets."""

    @abstractmethod
    def send(self, message: Message) -> str | None:
        """Send a message; returns why it was not taken, in words without secrets; None if it was."""
        ...


def open_target(address: str, name: str, environ: Mapping[str, str]) -> NotifyTarget:
    """Return the target of an address, such as ``slack://$SLACK_TOKENS``, or ``desktop``.

    Args:
        address: ``$NAME`` and ``${NAME}`` are variables of the environment: the only room for secrets.
        name: of the target in errors and messages.
        environ: the environment.

    Raises:
        SettingsError: a variable is missing, the address holds a secret, or it is no target.
        MissingPackageError: Apprise is not installed.
    """
    if address == DESKTOP:
        return DesktopTarget(name)
    return ServiceTarget(address, name, environ)


class DesktopTarget:
    """Shows notices with ``notify-send``, or with ``osascript`` of macOS."""

    def __init__(self, name: str) -> None:
        """Raises SettingsError where the machine has neither."""
        self.name = name
        self._program = shutil.which("notify-send") or shutil.which("osascript")
        if self._program is None:
            raise SettingsError(f"{name} needs notify-send or osascript; install libnotify, or choose another target.")

    def send(self, message: Message) -> str | None:
        """Show the message."""
        assert self._program is not None
        try:
            done = subprocess.run(
                [self._program, *self._arguments(message)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_DESKTOP_S,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return type(error).__name__
        return f"exit code {done.returncode}" if done.returncode else None

    def _arguments(self, message: Message) -> list[str]:
        assert self._program is not None
        if self._program.endswith("osascript"):
            script = [part for line in _APPLE_SCRIPT for part in ("-e", line)]
            return [*script, "--", message.title, message.body]
        urgency = "critical" if message.is_severe else "normal"
        return ["--app-name=mindscope", f"--urgency={urgency}", "--", message.title, escape(message.body, quote=False)]


class ServiceTarget:
    """A chat, webhook or mail server, by Apprise."""

    def __init__(self, address: str, name: str, environ: Mapping[str, str]) -> None:
        self.name = name
        self._apprise = _apprise()
        self._plugin = self._opened(address, environ)

    def send(self, message: Message) -> str | None:
        """Send the message once."""
        with _Reasons() as reasons:
            try:
                kinds = self._apprise.NotifyType
                is_sent = self._plugin.notify(
                    body=message.body, title=message.title, body_format=self._apprise.NotifyFormat.TEXT,
                    notify_type=kinds.FAILURE if message.is_severe else kinds.WARNING,
                )  # fmt: skip
            except Exception as error:  # of a plugin: its text may hold the address
                return type(error).__name__
        return None if is_sent else reasons.text

    def _opened(self, address: str, environ: Mapping[str, str]) -> Any:
        expanded = _expanded(address, self.name, environ)
        asset = self._apprise.AppriseAsset(**_ASSET)
        with _Reasons(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its first use imports all its modules
            try:
                plugin = self._apprise.Apprise.instantiate(expanded, asset=asset, suppress_exceptions=False)
            except Exception:  # its text holds the address
                plugin = None
        if plugin is None:
            raise SettingsError(
                f"{self.name} has no address that Apprise knows, such as json://host/path, slack://$TOKENS or "
                f"mailtos://$USER:$PASSWORD@host; check its scheme and its variables."
            )
        if not _VARIABLE.search(address) and _holds_secret(plugin, address):
            raise SettingsError(
                f"{self.name} has a secret in its address; put the secret into a variable of the environment, and "
                f"write $NAME instead."
            )
        return plugin


class _Reasons(logging.Handler):
    """Takes what libraries log of an address, shows none of it, and keeps only the kind of the failure."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.text = "not sent"
        self._thread = get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the status of a response, or that there was none; other threads send to other targets."""
        if record.thread != self._thread:
            return
        try:
            text = record.getMessage()
        except Exception:
            return
        if status := _STATUS.search(text):
            self.text = f"HTTP {status[1]}"
        elif "onnection error" in text or "Socket" in text or "SMTP" in text:
            self.text = "no connection or no answer"

    def __enter__(self) -> _Reasons:
        for name in _QUIET:
            logger = logging.getLogger(name)
            logger.propagate = False  # for good: other threads send, too, and these libraries log addresses
            if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
                logger.addHandler(logging.NullHandler())
        logging.getLogger("apprise").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("apprise").removeHandler(self)


def _apprise() -> Any:
    try:
        return import_module("apprise")
    except ImportError as error:
        raise MissingPackageError(Reason("notify_missing")) from error


def _expanded(address: str, name: str, environ: Mapping[str, str]) -> str:
    """Return the address with the values of its variables; a part of a longer address is quoted for it."""
    behind_scheme = address.partition("://")[2]

    def value(match: re.Match[str]) -> str:
        variable = match[1] or match[2]
        if variable not in environ:
            raise SettingsError(f"{name} needs the variable {variable} of the environment; export it first.")
        return environ[variable] if match[0] in (address, behind_scheme) else quote(environ[variable], safe="")

    return _VARIABLE.sub(value, address)


def _holds_secret(plugin: Any, address: str) -> bool:
    """Return whether Apprise would hide a part of an address, or the address sets headers or parameters."""
    names = [name for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)]
    is_masked = plugin.url(privacy=True) != plugin.url(privacy=False)
    return is_masked or any(name.strip()[:1] in _SIGNED for name in names if name.strip()) or "?+" in address
