# SPDX-License-Identifier: Apache-2.0
"""``capture_output``: what a training prints, also its C++ code, goes into the directory of its run too."""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import logging
import os
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import traceback
import tty
from collections.abc import Iterable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from mindscope.output.file import OutputFile
from mindscope.rank import rank_directory

OUTPUT_FILE = "output.log"
_LOG = logging.getLogger("mindscope")
_PACKAGES = Path(__file__).parents[2]
_TEE = f"import sys; sys.path.insert(0, {str(_PACKAGES)!r}); from mindscope.output.tee import main; main(sys.argv[1:])"
_NAMES = {1: "stdout", 2: "stderr"}
_DRAIN_S = 5.0
_active: dict[Path, int] = {}
"""Files that are written now, with the process that began: a second capture into one has no effect."""


class _Redirected(NamedTuple):
    number: int
    """Number of the file descriptor, 1 or 2."""
    saved: int
    """File descriptor of the earlier output."""
    source: int
    """File descriptor that the tee reads. It stays open here, so that printing does not fail if the tee is killed."""


class OutputCapture:
    """Output of this process and of those that it starts, from ``start`` to ``stop`` or in ``with``.

    It never breaks a training: what goes wrong is a warning, and the output stays as it was.
    """

    def __init__(self, run: str | PathLike[str], max_bytes: int, backups: int) -> None:
        self.path = rank_directory(Path(run), os.environ) / OUTPUT_FILE
        """Path of the file."""
        self._max_bytes, self._backups = max_bytes, backups
        self._redirected: list[_Redirected] = []
        self._tee: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._process = 0
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin to capture; without effect where the output goes into this file already."""
        if _active.get(self.path) == os.getpid():
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._start()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            _restore(self._redirected)
            self._close()
            _LOG.warning("output of the training is not captured: %s", error)

    def _start(self) -> None:
        _flush()
        writers: list[int] = []
        try:
            for number in _NAMES:
                source, writer = _channel(number)
                writers.append(writer)
                self._redirected.append(_Redirected(number, _duplicate(number), source))
            self._control, control = socket.socketpair()
            with control:
                self._tee = self._open_tee(control.fileno())
            for each, writer in zip(self._redirected, writers, strict=True):
                os.dup2(writer, each.number)
        finally:
            for writer in writers:
                os.close(writer)
        self._process = _active[self.path] = os.getpid()
        atexit.register(self.stop)
        threading.Thread(target=self._watch, args=(self._tee,), name="mindscope-output", daemon=True).start()

    def _open_tee(self, control: int) -> subprocess.Popen[bytes]:
        streams = [f"{each.source}:{each.saved}:{_NAMES[each.number]}" for each in self._redirected]
        numbers = [number for each in self._redirected for number in (each.source, each.saved)]
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _TEE, str(self.path), str(self._max_bytes), str(self._backups),
             str(control), *streams],
            stdin=subprocess.DEVNULL, pass_fds=(control, *numbers), start_new_session=True,
        )  # fmt: skip

    def stop(self, error: BaseException | None = None) -> None:
        """End: everything that was printed is in the file. In a forked process it does nothing.

        The traceback of an ``error`` is appended, because Python prints it only later.
        """
        if self._process != os.getpid():
            return
        self._process = 0
        _active.pop(self.path, None)
        _flush()
        with self._lock:
            control, self._control = self._control, None
            _restore(self._redirected)
        if control is not None:
            with control, suppress(OSError):
                control.settimeout(_DRAIN_S)
                control.send(b"?")
                control.recv(1)
        self._close()
        atexit.unregister(self.stop)
        if error is not None and not isinstance(error, SystemExit):
            self._append("".join(traceback.format_exception(error)))

    def _append(self, text: str) -> None:
        file = OutputFile(self.path, self._max_bytes, self._backups)
        lines = text.encode("utf-8", "backslashreplace").splitlines()
        file.write(_NAMES[2], [(line, True) for line in lines], time.time())
        file.close()

    def _close(self) -> None:
        with self._lock:
            _close(self._redirected)
            self._redirected = []

    def _watch(self, tee: subprocess.Popen[bytes]) -> None:
        """Restore the earlier output if the tee ends before the training."""
        tee.wait()
        with self._lock:
            if self._control is None:
                return
            self._control, rest, self._redirected = None, self._redirected, []
            _restore(rest)
        _forward({each.source: each.saved for each in rest})
        _close(rest)

    def __enter__(self) -> OutputCapture:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(error)


def capture_output(run: str | PathLike[str], *, max_bytes: int = 64 << 20, backups: int = 3) -> OutputCapture:
    """Write stdout and stderr also to ``output.log`` in the directory of a run, in ``with``.

    It copies file descriptors 1 and 2, so it has what C++ code, other processes of the training and a crash print. Each
    line has a time and the name of its stream; of a progress bar there is a line every 10 seconds. A restarted training
    appends. If a launcher such as torchrun started the process, the file is ``rank_N/output.log``.

    Args:
        run: directory; it is made.
        max_bytes: of the file, which is then renamed to ``output.log.1``.
        backups: older files that are kept.

    Raises:
        ValueError: a number is negative, or ``max_bytes`` is less than 64 KiB.
    """
    if max_bytes < 1 << 16 or backups < 0:
        raise ValueError(f"max_bytes is {max_bytes} and backups {backups}, want at least 65536 and 0")
    return OutputCapture(run, max_bytes, backups)


def _restore(redirected: Iterable[_Redirected]) -> None:
    for each in redirected:
        with suppress(OSError):
            os.dup2(each.saved, each.number)


def _close(redirected: Iterable[_Redirected]) -> None:
    for each in redirected:
        for number in (each.saved, each.source):
            with suppress(OSError):
                os.close(number)


def _forward(targets: dict[int, int]) -> None:
    """Copy to the targets until all who print into the sources have ended; a print may wait there for room."""
    open_ones = dict(targets)
    while open_ones:
        for source in select.select(list(open_ones), [], [])[0]:
            data = b""
            with suppress(OSError):
                data = os.read(source, 1 << 16)
                os.write(open_ones[source], data)
            if not data:
                del open_ones[source]


def _channel(number: int) -> tuple[int, int]:
    """Return the file descriptors that a tee reads and a training writes.

    They are a terminal if the output is one, so that programs keep their colors.
    """
    if not os.isatty(number):
        return os.pipe()
    source, writer = os.openpty()
    tty.setraw(writer)
    with suppress(OSError):
        size = fcntl.ioctl(number, termios.TIOCGWINSZ, bytes(8))
        fcntl.ioctl(writer, termios.TIOCSWINSZ, size)
    return source, writer


def _duplicate(number: int) -> int:
    return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)


def _flush() -> None:
    """Flush the buffers of Python and of C."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # a stream may be closed, or of any class
            stream.flush()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)
