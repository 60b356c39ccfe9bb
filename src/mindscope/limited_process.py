# SPDX-License-Identifier: Apache-2.0
"""Runs a function in a process with a limit of its memory, which can be ended.

Readers of files whose size nobody checked run here, so that such a file costs a message and not the viewer. The
function leaves large results in files; only small messages pass between the processes, as lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mindscope.errors import FormatError
from mindscope.reasons import Reason, reason_from_json, reason_to_json

_PACKAGES = Path(__file__).parents[1]
_CHILD = f"import sys; sys.path.insert(0, {str(_PACKAGES)!r}); from mindscope.limited_process import main; main()"
_LARGE = 64
"""A file is large from this part of the memory on: readers take some ten times its size."""
_DENSE = 16
"""The same of a compressed file, a pickle or a graph, which take that much more in memory."""
_TICK_S = 0.25
_MOST_SECONDS = 3600.0
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Threads reserve memory that the limit counts."""

READER_LIMITS = {"reader_out_of_memory", "reader_too_slow", "reader_ended"}
"""Codes of the errors of ``run_limited`` itself: the file may be intact."""

Report = Callable[[Mapping[str, Any]], None]


def is_large(size_bytes: int, memory_bytes: int, *, is_dense: bool = False) -> bool:
    """Return whether a file is to be read in a process with this limit; never without one.

    ``is_dense``: the file is compressed, or of a format that says much in a byte.
    """
    return memory_bytes > 0 and size_bytes * _LARGE * (_DENSE if is_dense else 1) >= memory_bytes


def run_limited(
    function: Callable[..., None],
    arguments: Mapping[str, Any],
    *,
    file: str,
    memory_bytes: int,
    on_message: Report = lambda message: None,
    watch: Callable[[], None] = lambda: None,
    most_seconds: float = _MOST_SECONDS,
) -> None:
    """Call a function of a module in a process of its own, and wait for its end.

    Args:
        function: takes ``arguments`` and ``report``, which sends a message.
        arguments: whatever JSON can hold.
        file: the name that errors have.
        memory_bytes: how much memory the process may have for data. Linux holds it; other systems do not.
        on_message: called with each message that the function reports.
        watch: called several times a second; what it raises ends the process.
        most_seconds: after which the process is ended.

    Raises:
        FormatError: the function raised one, needed more memory, took too long, or its process was killed.
        OSError: the function raised one, or there is no further process.
    """
    request = {
        "module": function.__module__,
        "function": function.__name__,
        "arguments": arguments,
        "memory": memory_bytes,
    }
    read_end, write_end = os.pipe()
    try:
        process = _start(request, write_end)
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    try:
        ending = _follow(read_end, on_message, watch, time.monotonic() + most_seconds)
        if ending is None:
            raise FormatError(Reason("reader_too_slow", file=file, seconds=int(most_seconds)))
        process.wait()
    finally:
        os.close(read_end)
        process.kill()
        process.communicate()
    _raise(ending, process.returncode, file, memory_bytes)


@contextmanager
def result_folder(folder: Path | None) -> Generator[Path]:
    """Yield a folder for results, which is deleted afterwards.

    It is in ``folder`` if files can be made there, else with temporary files.

    Raises OSError.
    """
    with tempfile.TemporaryDirectory(dir=_writable(folder), prefix="reading-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def _writable(folder: Path | None) -> Path | None:
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder if os.access(folder, os.W_OK) else None


def _start(request: Mapping[str, Any], write_end: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(write_end)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=[write_end],
        env={**os.environ, **_ONE_THREAD},
        start_new_session=True,  # Ctrl-C is for the viewer, which ends it
    )
    with suppress(BrokenPipeError):  # its end says why
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
    return process


def _follow(read_end: int, on_message: Report, watch: Callable[[], None], deadline: float) -> dict[str, Any] | None:
    """Return the last message, which says how the function ended, empty if it was killed; None at the deadline."""
    for line in _lines(read_end):
        watch()
        if line:
            message = json.loads(line)
            if "ending" in message:
                return message
            on_message(message)
        elif time.monotonic() > deadline:
            return None
    return {}


def _lines(read_end: int) -> Iterator[bytes]:
    """Yield lines until the other end is closed; an empty one after each while without any."""
    rest = b""
    while True:
        if not select.select([read_end], [], [], _TICK_S)[0]:
            yield b""
            continue
        part = os.read(read_end, 1 << 16)
        if not part:
            return
        *lines, rest = (rest + part).split(b"\n")
        yield from lines


def _raise(ending: Mapping[str, Any], status: int, file: str, memory_bytes: int) -> None:
    """Raise the error that the function raised, or the reason why its process ended before."""
    how = ending.get("ending", "")
    if how == "memory" or (not how and status in (-signal.SIGKILL, -signal.SIGABRT)):
        raise FormatError(Reason("reader_out_of_memory", file=file, limit=_size_text(memory_bytes)))
    if not how:
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        raise FormatError(Reason("reader_ended", file=file, detail=name))
    if how == "format":
        raise FormatError(reason_from_json(ending["reason"]))
    if how == "system":
        raise OSError(*ending["arguments"])


def _size_text(size: int) -> str:
    """Format a size, such as ``1.5 GiB``."""
    power = min(max(size.bit_length() - 1, 0) // 10, 4)
    return f"{size / (1 << 10 * power):.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


# ---- in the child


def main() -> None:
    """Do what the standard input requests; messages go to the descriptor that is the argument."""
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with os.fdopen(int(sys.argv[1]), "wb", buffering=0) as channel:

        def report(message: Mapping[str, Any]) -> None:
            channel.write(json.dumps(message).encode() + b"\n")

        report(_ending(request, report))


def _end_with_parent() -> None:
    while os.read(0, 1):  # not by the buffer of stdin, whose lock would be held when the interpreter ends
        pass
    os._exit(1)


def _ending(request: Mapping[str, Any], report: Report) -> Mapping[str, Any]:
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        _limit_memory(request["memory"])
        function(**request["arguments"], report=report)
    except Exception as error:
        return _ending_of(error)
    return {"ending": "result"}


def _ending_of(error: Exception) -> Mapping[str, Any]:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return {"ending": "memory"}
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, OSError):
        arguments = [argument if isinstance(argument, int | str) else str(argument) for argument in error.args]
        return {"ending": "system", "arguments": arguments}
    known = error.args[0] if isinstance(error, FormatError) and len(error.args) == 1 else None
    text = known if isinstance(known, str) else f"{type(error).__name__}: {error}"
    return {"ending": "format", "reason": reason_to_json(text)}


def _limit_memory(memory_bytes: int) -> None:
    """Limit what is taken from now on, without mapped files. Where memory is short, the system ends this process."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # not there on Windows

    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit = _data_bytes() + memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _data_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:")), 0)
