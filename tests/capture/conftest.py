# SPDX-License-Identifier: Apache-2.0
"""What the files of a recorder hold, and programs that record."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mindscope.formats import wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.mindspore_schemas import EVENT, LINEAGE_EVENT
from mindscope.formats.wire import Schema
from mindscope.types import Message


class Log:
    """The files in a run directory, read with the checksums verified."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def paths(self, suffix: str = "_MS") -> list[Path]:
        return sorted(self.directory.glob(f"*summary.*{suffix}"), key=lambda path: int(path.name.split(".")[4]))

    def file(self, path: Path, schema: Schema = EVENT) -> list[Message]:
        reader = FrameReader(str(path))
        content = path.read_bytes()
        messages = [wire.decode(schema, payload) for _, payload in reader.records(content)]
        assert reader.damages == ()
        assert reader.position == len(content)
        return messages

    def events(self, suffix: str = "_MS") -> list[Message]:
        """The events of all summary files in order, without those that tell the version."""
        found: list[Message] = []
        for path in self.paths(suffix):
            version, *events = self.file(path)
            assert version["version"] == "MindSpore.Event:1"
            found += events
        return found

    def lineage(self) -> list[Message]:
        return [message for path in self.paths("_lineage") for message in self.file(path, LINEAGE_EVENT)]

    def values(self, tag: str) -> list[Message]:
        values = [value for event in self.events() for value in event.get("summary", {}).get("value", [])]
        return [value for value in values if value["tag"] == tag]

    def scalars(self, tag: str) -> list[tuple[int, float]]:
        return [
            (event["step"], value["scalar_value"])
            for event in self.events()
            for value in event.get("summary", {}).get("value", [])
            if value["tag"] == tag
        ]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """The run directory ``tmp_path / "run"``."""
    return Log(tmp_path / "run")


@pytest.fixture
def run_program(log: Log) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program to its end; its first argument is the run directory."""

    def run(code: str, *, want: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, str(log.directory)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
        assert done.returncode == want, done.stderr
        return done

    return run
