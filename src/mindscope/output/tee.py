# SPDX-License-Identifier: Apache-2.0
"""The process that copies captured output to the terminal and to a file, until the training ends.

It is a process of its own, because a thread could not read while C++ code that prints holds the interpreter; and it
sees what a crash prints. ``capture`` starts it without site packages.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mindscope.output.file import OutputFile
from mindscope.output.lines import OutputLines

_CHUNK = 1 << 16
DRAINED = b"."
"""The answer on the control socket to any byte: everything that was printed before is in the file."""


class Stream(NamedTuple):
    """A source of output, and its target besides the file."""

    source: int
    target: int
    name: str
    lines: OutputLines


class Tee:
    """Copies until all writers of the streams closed them."""

    def __init__(self, streams: list[Stream], control: int, file: OutputFile) -> None:
        self._streams = {stream.source: stream for stream in streams}
        self._control, self._file = control, file
        self._poll = select.poll()
        for source in (*self._streams, control):
            self._poll.register(source, select.POLLIN)

    def run(self) -> None:
        """Copy until the end of all streams."""
        while self._streams:
            is_asked = False
            for source, _ in self._poll.poll():
                if source == self._control:
                    is_asked = True
                else:
                    self._copy(self._streams[source])
            if is_asked:
                self._answer()

    def _copy(self, stream: Stream) -> None:
        data = b""
        with suppress(OSError):  # a terminal without writers raises EIO
            data = os.read(stream.source, _CHUNK)
        if not data:
            self._end(stream)
            return
        _forward(stream.target, data)
        self._file.write(stream.name, stream.lines.feed(data, time.monotonic()), time.time())

    def _end(self, stream: Stream) -> None:
        self._file.write(stream.name, stream.lines.finish(), time.time())
        self._poll.unregister(stream.source)
        del self._streams[stream.source]

    def _answer(self) -> None:
        """Write what was printed until now, and say so; without a training there is nobody to answer."""
        if not os.read(self._control, 1):
            self._poll.unregister(self._control)
            return
        while ready := [source for source, _ in self._poll.poll(0) if source in self._streams]:
            for source in ready:
                self._copy(self._streams[source])
        for stream in self._streams.values():
            self._file.write(stream.name, stream.lines.finish(), time.time())
        with suppress(OSError):
            os.write(self._control, DRAINED)


def _forward(target: int, data: bytes) -> None:
    """Write to the terminal. Data that it does not take, as a pipe whose reader left, is only in the file."""
    with suppress(OSError):
        while data:
            data = data[os.write(target, data) :]


def main(arguments: list[str]) -> None:
    """Copy the streams of a training until they end.

    Args:
        arguments: path, its most bytes, backups, number of the control socket, then for each stream
            ``READ:WRITE:NAME`` with numbers of file descriptors.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # it ends after the training, whose last words it writes
    path, max_bytes, backups, control, *given = arguments
    streams = [Stream(int(source), int(target), name, OutputLines()) for source, target, name in
               (each.split(":") for each in given)]  # fmt: skip
    Tee(streams, int(control), OutputFile(Path(path), int(max_bytes), int(backups))).run()
