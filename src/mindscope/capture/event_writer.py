# SPDX-License-Identifier: Apache-2.0
"""Writes recorded steps to the files of a recorder and counts failures. Not thread-safe."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.disk_errors import disk_error
from mindscope.capture.drop_counter import DropCounter
from mindscope.capture.encoded import LARGE_BYTES, Encoded, as_bytes, large_record, nested, size_of
from mindscope.capture.event_file import AppendError, EventFileWriter, Record
from mindscope.capture.file_names import FileNames
from mindscope.capture.lineage import lineage_event
from mindscope.capture.npy_export import NpyExport
from mindscope.capture.pending import PendingValue, rejection
from mindscope.capture.protobuf_fields import bytes_field
from mindscope.capture.queued_step import EncodingValue, MixedStep, QueuedStep, count_values, last_step
from mindscope.capture.scalars import scalar_fields
from mindscope.capture.tensorboard_file_names import TensorBoardFileNames
from mindscope.formats import frames, mindspore, tensorboard, wire
from mindscope.formats._event_batch import EventBatch
from mindscope.formats._scalar_events import encode_scalar_values
from mindscope.formats.kinds.text import text_to_tensorboard
from mindscope.formats.mindspore_schemas import EVENT
from mindscope.formats.tensorboard_values import value_field

DROPPED_TAG = "mindscope/dropped"
REASONS_TAG = "mindscope/dropped_reasons"
MOST_OPEN = 100
"""Limit of files of TensorBoard's format that are open at the same time."""
_SUMMARY_FIELD = 5  # of an Event


@dataclass(frozen=True, slots=True)
class Destination:
    """The directory and file names of a recorder."""

    directory: Path
    prefix: str
    suffix: str
    max_file_size: int | None
    """Bytes of one file, None for no limit."""
    is_npy_exported: bool
    is_tensorboard: bool = False
    """Whether TensorBoard's format is the main one: its file counts dropped values too."""
    tensorboard_suffix: str = ""
    """End of the names of files of TensorBoard's format."""
    directories_without_suffix: set[str] = field(default_factory=set[str])
    """Directories below that of the run whose files have no suffix."""


class EventWriter:
    """Writes the files of a recorder."""

    def __init__(self, destination: Destination, drops: DropCounter, buffers: BufferPool) -> None:
        names = FileNames(destination.directory, destination.prefix, (destination.suffix, "_lineage"))
        limit = destination.max_file_size
        self._names = names
        self._drops = drops
        self._buffers = buffers
        self._planned_path = names.path(names.second, destination.suffix)
        self._summary = EventFileWriter(names, destination.suffix, version_record, limit)
        self._lineage = EventFileWriter(names, "_lineage", bytes, limit)
        self._export = NpyExport(names) if destination.is_npy_exported else None
        self._destination = destination
        self._tensorboard: dict[str, EventFileWriter] = {}  # by directory below that of the run
        self._ready: list[Record] = []  # records of the steps being written
        self._ready_file = self._summary  # to which they go
        self._ready_bytes = 0
        self._reported = 0  # count of dropped values in the summary file
        self._reasons: list[str] = []  # reasons that the summary file does not contain yet
        self._last_step = 0  # the highest step with values, so that the steps of the drop counter never decrease

    @property
    def path(self) -> Path:
        """The newest summary file; before the first one exists, its planned name."""
        if self._destination.is_tensorboard:
            return self._tensorboard_file("").path or self._destination.directory
        return self._summary.path or self._planned_path

    def write(self, steps: Sequence[QueuedStep]) -> None:
        """Append ``steps`` in order, and release their values.

        Writes what is finished before it waits for a value that is being encoded.
        """
        self._ready, self._ready_bytes = [], 0
        for step in steps:
            if isinstance(step, bytes):
                self._add(step)
                continue
            if isinstance(step, EventBatch):
                self._add(step.take(), step.directory)
                continue
            if not step.is_here:
                self._append_ready()
            self._complete(step)
        self._append_ready()
        self._last_step = max(self._last_step, last_step(steps))
        self._report_dropped()

    def close(self) -> None:
        """Write how many values were dropped or replaced, and close the files."""
        replaced = self._drops.replaced
        if replaced:
            self._reasons.append(f"newer values of the same step replaced {replaced} values of summary operators")
        self._report_dropped()
        for file in (self._summary, self._lineage, *self._tensorboard.values()):
            file.close()
        self._names.forget()

    def abandon(self) -> None:
        """Close the parent's files in a forked child."""
        for file in (self._summary, self._lineage, *self._tensorboard.values()):
            file.abandon()

    def tensorboard_files(self) -> dict[str, Path]:
        """Return the newest file of each directory below that of the run, by the full path of the directory."""
        below = {name: file.path for name, file in list(self._tensorboard.items()) if name}
        return {str(self._destination.directory / name): path for name, path in below.items() if path is not None}

    def _tensorboard_file(self, directory: str) -> EventFileWriter:
        file = self._tensorboard.get(directory)
        if file is None:
            names = TensorBoardFileNames(self._destination.directory / directory)
            has_none = directory in self._destination.directories_without_suffix
            suffix = "" if has_none else self._destination.tensorboard_suffix
            file = EventFileWriter(names, suffix, tensorboard_version_record, None, tensorboard_end_record)
        else:
            del self._tensorboard[directory]
        self._tensorboard[directory] = file  # the last one used is the last one
        return file

    def _release_oldest(self) -> None:
        """Keep the number of open files small: each session of hyperparameters has one, and a sweep has many."""
        opened = [file for file in self._tensorboard.values() if file.is_open]
        for file in opened[:-MOST_OPEN]:
            file.release()

    def _add(self, record: Record, directory: str | None = None) -> None:
        """Append ``record`` together with others; at once if it is large, so that memory holds one of these.

        ``directory`` is that of a ``MixedStep``.
        """
        file = self._summary if directory is None else self._tensorboard_file(directory)
        if file is not self._ready_file:
            self._append_ready()
            self._ready_file = file
        self._ready.append(record)
        self._ready_bytes += len(record)
        if self._ready_bytes >= LARGE_BYTES:
            self._append_ready()

    def _append_ready(self) -> None:
        ready, self._ready, self._ready_bytes = self._ready, [], 0
        self._append(self._ready_file, ready)
        if len(self._tensorboard) > MOST_OPEN:
            self._release_oldest()

    def _complete(self, step: MixedStep) -> None:
        """Add the records of ``step``, and write its lineage and exports.

        A large value has an event of its own, small ones share events. Readers join the events of a step.
        """
        self._write_messages(step)
        fields = [scalar_fields(step.scalars)] if step.scalars else []
        size = sum(map(len, fields))
        for number in range(len(step.values)):
            small = self._write_large(step, number)
            fields.append(small)
            size += len(small)
            if size >= LARGE_BYTES:
                self._add_event(step, fields)
                fields, size = [], 0
        if size:
            self._add_event(step, fields)

    def _add_event(self, step: MixedStep, fields: list[bytes]) -> None:
        # the fields of an Event with a Summary are the same in both formats
        self._add(frames.frame(mindspore.summary_event(step.wall_time, step.step, b"".join(fields))), step.directory)

    def _write_messages(self, step: MixedStep) -> None:
        """Write graphs and lineage."""
        graphs = [message for message in step.messages if message.plugin == "graph"]
        lineage = [message for message in step.messages if message.plugin != "graph"]
        events = [lineage_event(message.plugin, as_bytes(message.encode()), step.wall_time) for message in lineage]
        self._append(self._lineage, [frames.frame(payload) for payload in events])
        head = wire.encode(EVENT, {"wall_time": step.wall_time})
        for message in graphs:
            self._add(frames.frame(head + bytes_field(4, as_bytes(message.encode()))))

    def _write_large(self, step: MixedStep, number: int) -> bytes:
        """Write a large value, and release it; returns the fields of a small one, empty ones for a rejected one."""
        value, step.values[number] = step.values[number], None
        if value is None:
            return b""
        if isinstance(value, PendingValue) and self._export is not None:
            self._write_export(value, step.step)
        fields = self._encode(value)
        if isinstance(value, PendingValue) and value.write is not None:
            self._write_files(value, value.write, step)
        if size_of(fields) >= LARGE_BYTES:
            head = wire.encode(EVENT, {"wall_time": step.wall_time, "step": step.step})
            self._add(large_record(head, nested(_SUMMARY_FIELD, fields)), step.directory)
            fields = b""
        if isinstance(value, PendingValue):
            value.release(self._buffers)
        return as_bytes(fields)

    def _encode(self, value: PendingValue | EncodingValue) -> Encoded:
        try:
            return value.encode() if isinstance(value, PendingValue) else value.fields.result()
        except Exception as error:  # the encoder rejected a value that add_value accepted
            self._drops.drop(1, value.plugin, value.tag, rejection(value.plugin, value.tag, error))
            return b""

    def _write_files(self, pending: PendingValue, write: Callable[[Path, int], None], step: MixedStep) -> None:
        directory = self._destination.directory / (step.directory or "")
        try:
            write(directory, step.step)
        except Exception as error:
            problem = disk_error(error, directory) if isinstance(error, OSError) else error
            self._drops.drop(1, pending.plugin, type(error).__name__, problem)

    def _write_export(self, pending: PendingValue, step: int) -> None:
        content = pending.content
        if pending.plugin != "tensor" or content is None or self._export is None:
            return
        try:
            self._export.write(pending.tag, step, content.wait() if isinstance(content, DeferredArray) else content)
        except Exception as error:
            self._drops.drop(
                1,
                "export",
                type(error).__name__,
                disk_error(error, self._names.directory) if isinstance(error, OSError) else error,
            )

    def _append(self, file: EventFileWriter, records: Sequence[Record]) -> None:
        """Append the records; counts those that can't be written."""
        if not records:
            return
        try:
            self._warn_excess(file.append(records))
        except AppendError as failure:
            lost = sum(map(count_values, records[failure.written :]))
            self._drops.drop(
                lost, "append", type(failure.error).__name__, disk_error(failure.error, self._names.directory)
            )

    def _warn_excess(self, excess: int) -> None:
        if excess:
            self._drops.warn_once(
                "size", "", f"a record passes max_file_size by {excess} bytes and got a file for itself"
            )

    def _report_dropped(self) -> None:
        """Write how many values were lost and why, unless the file has it; on failure, the next batch retries."""
        dropped = self._drops.dropped
        self._reasons += self._drops.pop_reasons()
        if dropped == self._reported and not self._reasons:
            return
        text = "\n".join(f"- {reason}" for reason in self._reasons)
        is_tensorboard = self._destination.is_tensorboard
        fields = (_dropped_in_tensorboard if is_tensorboard else _dropped_in_mindspore)(dropped, text)
        record = frames.frame(mindspore.summary_event(time.time(), self._last_step, fields))
        with contextlib.suppress(AppendError):
            file = self._tensorboard_file("") if is_tensorboard else self._summary
            self._warn_excess(file.append([record]))
            self._reported, self._reasons = dropped, []


def _dropped_in_mindspore(dropped: int, reasons: str) -> bytes:
    fields = encode_scalar_values([DROPPED_TAG.encode()], [float(dropped)]) if dropped else b""
    return fields + (mindspore.value_field({"tag": REASONS_TAG, "text": reasons}) if reasons else b"")


def _dropped_in_tensorboard(dropped: int, reasons: str) -> bytes:
    fields = value_field({"tag": DROPPED_TAG, "simple_value": float(dropped)}) if dropped else b""
    return fields + (value_field(text_to_tensorboard(REASONS_TAG, reasons)) if reasons else b"")


def version_record() -> bytes:
    """Return the first record of a summary file."""
    return frames.frame(mindspore.version_event(time.time()))


def tensorboard_version_record() -> bytes:
    """Return the first record of a file of TensorBoard's format."""
    return frames.frame(tensorboard.version_event(time.time()))


def tensorboard_end_record() -> bytes:
    """Return the last record of a complete file of TensorBoard's format."""
    return frames.frame(tensorboard.session_stop_event(time.time()))
