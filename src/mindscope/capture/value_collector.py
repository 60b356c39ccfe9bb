# SPDX-License-Identifier: Apache-2.0
"""Checks the values of ``add_value`` and adds them to the values of the current thread."""

from __future__ import annotations

from typing import Any

from mindscope.capture.array_conversion import to_scalar
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.drop_counter import DropReport
from mindscope.capture.encoded import LARGE_BYTES
from mindscope.capture.lineage import split_entries
from mindscope.capture.pending import MESSAGE_PLUGINS, PendingValue, prepare, rejection
from mindscope.capture.scalars import range_warning
from mindscope.capture.thread_values import ValuesByThread
from mindscope.capture.writer import Writer, queue_full
from mindscope.errors import RecorderClosedError, ValueRejectedError


class ValueCollector:
    """Collects values by thread. Counts a value that can't be recorded, or raises if ``raises``."""

    def __init__(self, writer: Writer, thread_values: ValuesByThread, raises: bool) -> None:
        self._writer = writer
        self._values_by_thread = thread_values
        self._raises = raises

    def add(self, plugin: str, name: Any, value: Any) -> None:
        """Add a value of a known plugin. Raises like ``SummaryRecord.add_value``."""
        if isinstance(value, DropReport):
            self._report(plugin, name, value)
            return
        is_message = plugin in MESSAGE_PLUGINS
        if not is_message and (not isinstance(name, str) or not name):
            raise TypeError(f"name of a {plugin} is {type(name).__name__} {name!r}, want text that is not empty")
        tag = str(name)
        try:
            if self._writer.is_closed:
                raise RecorderClosedError(f"{plugin} {tag!r} was added after close(), make a new SummaryRecord")
            if plugin == "custom_lineage_data":
                value = self._without_bad_entries(tag, value)
            if plugin == "scalar" and not isinstance(value, DeferredArray):
                self._add_scalar(tag, to_scalar(value))
            elif self._has_room(value):
                self._add(prepare(plugin, tag, value, self._writer.drops.warn_once, self._writer.buffers), is_message)
        except Exception as error:
            failure = rejection(plugin, tag, error)
            if self._raises:
                raise failure from error
            self._writer.drops.drop(1, plugin, tag, failure)

    def _without_bad_entries(self, tag: str, value: Any) -> Any:
        """Return the entries that can be recorded.

        It counts the others, or raises if there are only others or ``raises``.
        """
        entries, errors = split_entries(value)
        if errors and (self._raises or not entries):
            raise errors[0]
        for error in errors:
            self._writer.drops.drop(1, "custom_lineage_data", tag, rejection("custom_lineage_data", tag, error))
        return entries

    def _has_room(self, value: Any) -> bool:
        """Wait, before a large value is copied, until the queue has room; counts it as dropped if that takes long."""
        size = _size(value)
        if size < LARGE_BYTES or self._writer.has_room(size):
            return True
        self._writer.drops.drop(1, "queue", "", queue_full("1 values of the next step"))
        return False

    def _report(self, plugin: str, name: str, problem: DropReport) -> None:
        if self._raises and problem.is_drop:
            raise ValueRejectedError(problem.text)
        self._writer.drops.report(plugin, name, problem)

    def _add_scalar(self, tag: str, number: float) -> None:
        scalars = self._values_by_thread.current().scalars
        if tag in scalars:
            self._warn_replaced("scalar", tag)
        scalars[tag] = number
        if text := range_warning(tag, number):
            self._writer.drops.warn_once("range", tag, text)

    def _add(self, pending: PendingValue, is_message: bool) -> None:
        collected = self._values_by_thread.current()
        if is_message:
            collected.messages.append(pending)
            return
        key = (pending.plugin, pending.tag)
        if key in collected.values:
            self._warn_replaced(*key)
        collected.values[key] = pending

    def _warn_replaced(self, plugin: str, tag: str) -> None:
        text = f"{plugin} {tag!r} was added twice before record(); the newest value is kept"
        self._writer.drops.warn_once("twice", f"{plugin} {tag}", text)


def _size(value: Any) -> int:
    """Return the bytes of an array of any framework; 0 where it does not say."""
    try:
        return int(value.nbytes)
    except Exception:  # no array, or a sparse one
        return 0
