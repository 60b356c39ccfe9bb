# SPDX-License-Identifier: Apache-2.0
"""The viewers of this user on this machine, by port.

Each viewer writes a small record to the user's state folder while it runs. ``stop`` gets a port and no workspace, so
the records can't be in the workspace. A record whose process has ended is ignored.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mindscope.errors import ServerError
from mindscope.named_bases import base_text
from mindscope.server.process.pids import create_time_of, end
from mindscope.setting_values import is_loopback
from mindscope.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunningViewer:
    """A running viewer. ``birth`` distinguishes its process from a later one with the same id.

    The tokens are empty if it asks for none; only this user may read the record.
    """

    pid: int
    birth: str
    host: str
    port: int
    base_dir: str
    workspace: str
    started_at: float
    path_prefix: str = "/"
    scheme: str = "http"
    token: str = field(default="", repr=False)
    reader_token: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """The address for a browser on this machine."""
        return address(self.host, self.port, self.path_prefix, self.scheme)

    @property
    def links(self) -> dict[str, str]:
        """The addresses with the tokens, by what they are for."""
        tokens = {"to edit": self.token, "to read": self.reader_token}
        return {purpose: f"{self.address}/?token={token}" for purpose, token in tokens.items() if token}

    @property
    def is_open_to_others(self) -> bool:
        """Whether it listens on an address that other machines may reach."""
        return not is_loopback(self.host)


def address(host: str, port: int, path_prefix: str = "/", scheme: str = "http") -> str:
    """Return the address to open for a viewer that listens on ``host``, without a slash at its end."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{scheme}://{reachable}:{port}{path_prefix[:-1]}"


@contextmanager
def recorded(settings: Settings) -> Generator[Callable[[], None]]:
    """Yields a function that publishes the record of this process; removes the record at the end.

    Warns if the record can't be written, for example on a full disk: ``status`` and ``stop`` do not find the viewer.

    Raises ServerError if another viewer runs on the port.
    """
    refuse_second(settings.port)
    path = _record_path(settings.port)
    unfinished = path.with_suffix(f".{os.getpid()}.part")  # a reader never sees a partial record
    try:
        _write(unfinished, json.dumps(asdict(viewer_here(settings))))
    except ServerError as error:
        log.warning("%s; `mindscope status` and `mindscope stop` don't know this viewer", error)

    def publish() -> None:
        with suppress(FileNotFoundError):
            unfinished.replace(path)

    try:
        yield publish
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        running = find_viewer(settings.port)
        if running is not None and running.pid == os.getpid():
            path.unlink(missing_ok=True)


def require_records(port: int) -> None:
    """Raises ServerError if records can't be written."""
    probe = _record_path(port).with_suffix(f".{os.getpid()}.part")
    _write(probe, "{}")
    probe.unlink()


def running_viewers() -> list[RunningViewer]:
    """Return all viewers of this user on this machine, by port."""
    found = [_read(path) for path in _record_dir().glob("*.json")]
    return sorted((viewer for viewer in found if viewer is not None), key=lambda viewer: viewer.port)


def find_viewer(port: int) -> RunningViewer | None:
    """Return the viewer that runs on a port; None without one."""
    return _read(_record_path(port))


def refuse_second(port: int) -> None:
    """Raises ServerError if a viewer already runs on the port."""
    viewer = find_viewer(port)
    if viewer is not None:
        raise ServerError(
            f"a viewer is already running at {viewer.address} over {base_text(viewer.base_dir)} "
            f"(process {viewer.pid}); stop it with `mindscope stop --port {port}`, or choose another port with --port"
        )


def stop_viewer(port: int) -> RunningViewer:
    """Stop the viewer on a port and wait until it has ended; returns its record.

    Raises ServerError if no viewer runs there or it can't be stopped.
    """
    viewer = find_viewer(port)
    if viewer is None:
        raise ServerError(f"no viewer is running on port {port}; `mindscope status` lists those that are")
    try:
        end(viewer.pid, viewer.birth)
    except (PermissionError, TimeoutError) as error:
        raise ServerError(f"viewer on port {port}: {error}; end process {viewer.pid} yourself") from error
    _record_path(port).unlink(missing_ok=True)
    return viewer


def viewer_here(settings: Settings) -> RunningViewer:
    """Return the record of a viewer in this process."""
    return RunningViewer(
        pid=os.getpid(),
        birth=create_time_of(os.getpid()) or "",
        host=settings.host,
        port=settings.port,
        base_dir=str(settings.summary_base_dir),
        workspace=str(settings.workspace),
        started_at=time.time(),
        path_prefix=settings.path_prefix,
        scheme="http" if settings.certificate is None else "https",
        token=settings.token,
        reader_token=settings.reader_token,
    )


def _record_dir() -> Path:
    """Return a folder per machine, because machines may share a home directory."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "mindscope" / "viewers" / (socket.gethostname() or "localhost")


def _record_path(port: int) -> Path:
    return _record_dir() / f"{port}.json"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", opener=_private) as file:
            file.write(text)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)  # a full disk leaves an empty file
        where = path.parent
        raise ServerError(
            f"{where}: {error.strerror}; set XDG_STATE_HOME to a directory that can be written"
        ) from error


def _private(path: str, flags: int) -> int:
    """Open a file that only this user may read, also if it existed before."""
    opened = os.open(path, flags, 0o600)
    os.fchmod(opened, 0o600)
    return opened


def _read(path: Path) -> RunningViewer | None:
    try:
        viewer = RunningViewer(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return viewer if create_time_of(viewer.pid) == viewer.birth else None
