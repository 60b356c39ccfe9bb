# SPDX-License-Identifier: Apache-2.0
"""Values on their way from ``add_value`` into the collection of their thread."""

from __future__ import annotations

from typing import Any

from mindscope.capture.arriving import Arriving
from mindscope.capture.collecting import Collections
from mindscope.capture.scalars import range_warning
from mindscope.capture.taking import MESSAGE_PLUGINS, Taken, rejection, take
from mindscope.capture.trouble import Problem
from mindscope.capture.values import to_scalar
from mindscope.capture.writer import Writer
from mindscope.errors import RecorderClosedError, ValueRejectedError


class Intake:
    """Takes values into ``collections``; one that can't be recorded is counted, or raised if ``raises``."""

    def __init__(self, writer: Writer, collections: Collections, raises: bool) -> None:
        self._writer = writer
        self._collections = collections
        self._raises = raises

    def add(self, plugin: str, name: Any, value: Any) -> None:
        """Take a value of a known plugin. Raises as ``SummaryRecord.add_value``."""
        if isinstance(value, Problem):
            self._report(plugin, name, value)
            return
        is_message = plugin in MESSAGE_PLUGINS
        if not is_message and (not isinstance(name, str) or not name):
            raise TypeError(f"name of a {plugin} is {type(name).__name__} {name!r}, want text that is not empty")
        tag = str(name)
        try:
            if self._writer.is_closed:
                raise RecorderClosedError(f"{plugin} {tag!r} was added after close(), make a new SummaryRecord")
            if plugin == "scalar" and not isinstance(value, Arriving):
                self._keep_scalar(tag, to_scalar(value))
            else:
                self._keep(take(plugin, tag, value, self._writer.trouble.say, self._writer.spares), is_message)
        except Exception as error:
            failure = rejection(plugin, tag, error)
            if self._raises:
                raise failure from error
            self._writer.trouble.drop(1, plugin, tag, failure)

    def _report(self, plugin: str, name: str, problem: Problem) -> None:
        if self._raises and problem.is_drop:
            raise ValueRejectedError(problem.text)
        self._writer.trouble.report(plugin, name, problem)

    def _keep_scalar(self, tag: str, number: float) -> None:
        scalars = self._collections.begin().scalars
        if tag in scalars:
            self._say_replaced("scalar", tag)
        scalars[tag] = number
        if text := range_warning(tag, number):
            self._writer.trouble.say("range", tag, text)

    def _keep(self, taken: Taken, is_message: bool) -> None:
        collected = self._collections.begin()
        if is_message:
            collected.messages.append(taken)
            return
        key = (taken.plugin, taken.tag)
        if key in collected.values:
            self._say_replaced(*key)
        collected.values[key] = taken

    def _say_replaced(self, plugin: str, tag: str) -> None:
        text = f"{plugin} {tag!r} was added twice before record(); the newest value is kept"
        self._writer.trouble.say("twice", f"{plugin} {tag}", text)
