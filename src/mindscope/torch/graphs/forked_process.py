# SPDX-License-Identifier: Apache-2.0
"""A forked process, in which code of a training runs without any effect on the training.

The child has a copy of all state: attributes, globals, lists, random numbers. It has no files, sockets and threads of
its parent, prints nowhere, and may write no file. So a print, a log, a collective and a counter stay without effect.
"""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

_Result = TypeVar("_Result")

IDLE_SECONDS = 15
"""A child that uses no processor for that long waits for a lock that a thread of its parent held."""
MOST_SECONDS = 600
"""Limit of the seconds of the child, in all."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REFUSED = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.utime",
    "os.kill", "os.fork", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen", "shutil.", "sqlite3.connect",
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg",
)  # fmt: skip
"""Beginnings of audit events."""


class ForkedProcessError(Exception):
    """The child could not be made, failed, ended early or took too long."""


def run_forked(function: Callable[[], _Result]) -> _Result:
    """Run ``function`` in a forked process, and return its result, which is pickled on the way.

    Raises ForkedProcessError, also where ``function`` raises.
    """
    try:
        read_end, write_end = os.pipe()
    except OSError as error:
        raise ForkedProcessError(f"no pipe to a process: {error}") from error
    try:
        pid = _fork(function, write_end)
        return _received(pid, read_end)
    finally:
        os.close(read_end)


def _fork(function: Callable[[], Any], write_end: int) -> int:
    """Return the id of the child. Closes ``write_end``."""
    try:
        with warnings.catch_warnings():  # Python and some packages warn of threads, which the child does not need
            warnings.simplefilter("ignore")
            pid = os.fork()
            if pid == 0:
                _run_child(function, write_end)
    except OSError as error:
        raise ForkedProcessError(f"no process: {error}") from error
    finally:
        os.close(write_end)
    return pid


def _received(pid: int, read_end: int) -> Any:
    """Return the result that the child sends until it ends.

    The child is ended where it is stuck, and where this thread is interrupted.
    """
    try:
        content = _read(pid, read_end)
    finally:
        with suppress(OSError):  # a program may have collected it, with a handler of SIGCHLD
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    if not content:
        raise ForkedProcessError("its process ended without a result")
    result, problem = pickle.loads(content)
    if problem:
        raise ForkedProcessError(problem)
    return result


def _read(pid: int, read_end: int) -> bytes:
    parts: list[bytes] = []
    poll = select.poll()
    poll.register(read_end, select.POLLIN)
    start = used_at = time.monotonic()
    used = ""
    while time.monotonic() - start < MOST_SECONDS:
        if poll.poll(1000):
            part = os.read(read_end, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
            continue
        before, used = used, _processor_time(pid)
        if used != before:
            used_at = time.monotonic()
        elif time.monotonic() - used_at > IDLE_SECONDS:
            raise ForkedProcessError(f"its process did nothing for {IDLE_SECONDS} s")
    raise ForkedProcessError(f"its process took more than {MOST_SECONDS} s")


def _processor_time(pid: int) -> str:
    """Return ticks in a process and in the kernel; empty where they can't be read."""
    try:
        return " ".join(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])
    except OSError:
        return ""


# ---- in the child


def _run_child(function: Callable[[], Any], write_end: int) -> NoReturn:
    """Never returns, so that nothing of the parent runs here."""
    try:
        with os.fdopen(_isolate(write_end), "wb") as pipe:
            pipe.write(_result(function))
    finally:
        os._exit(0)


def _result(function: Callable[[], Any]) -> bytes:
    """Return the pickled result and an empty text, or None and the text of an error."""
    try:
        return pickle.dumps((function(), ""))
    except Exception as error:
        return pickle.dumps((None, f"{type(error).__name__}: {error}"))


def _isolate(write_end: int) -> int:
    """Cut every way out of the process but the pipe; returns its new number."""
    gc.disable()  # destructors of the parent's objects stay without effect
    sys.dont_write_bytecode = True
    _reset_signals()
    pipe = fcntl.fcntl(write_end, fcntl.F_DUPFD_CLOEXEC, 3)  # the parent may have closed its standard streams
    for path in [*Path("/proc/self/fd").iterdir()]:
        if int(path.name) != pipe:
            with suppress(OSError):
                os.close(int(path.name))
    for _ in range(3):  # the lowest free numbers: those of the standard streams
        os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stderr = os.fdopen(1, "w")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_refuse)
    return pipe


def _reset_signals() -> None:
    for number in (signal.SIGINT, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)  # the parent ends this process
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)  # also where the parent was killed


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED) or (event == "open" and _is_write(*arguments)):
        raise PermissionError(f"{event} is refused where a network is traced")


def _is_write(path: Any, mode: Any, flags: Any) -> bool:
    return not isinstance(path, int) and path != os.devnull and bool(flags & _WRITES)
