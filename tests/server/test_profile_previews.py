# SPDX-License-Identifier: Apache-2.0
"""The timeline of what is read of a large profile so far."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from mindscope.artifacts.format import Progress
from mindscope.artifacts.version import version_of
from mindscope.profile.formats.torch_trace import TORCH_TRACE
from mindscope.profile.open import FoundProfile
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.server.profiles import preview
from mindscope.server.profiles.preview import TimelinePreviews
from mindscope.server.profiles.reader import ProfileReader

EVENTS = 60_000


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four blocks of events, of which every block is shown that is large enough."""
    monkeypatch.setattr(preview, "FIRST_AFTER_S", 0)
    events = [
        {"ph": "X", "cat": "cpu_op", "name": f"op {number % 7}", "pid": 1, "tid": 1, "ts": 10 * number, "dur": 5,
         "args": {"Input Dims": [[number] * 40]}}
        for number in range(EVENTS)
    ]  # fmt: skip
    path = tmp_path / "host_1.1700000000000000000.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    assert path.stat().st_size > 4 * (4 << 20)
    return path


def test_each_timeline_has_what_was_read(trace: Path) -> None:
    shown: list[tuple[Timeline, int]] = []
    progress: list[int] = []
    follower = TimelinePreviews(
        FoundProfile(trace, TORCH_TRACE), progress.append, lambda timeline, read: shown.append((timeline, read))
    )
    whole = build_timeline(read_json_trace(trace, follower), trace)
    plain = build_timeline(read_json_trace(trace), trace)
    assert (whole.start.tolist(), list(whole.names)) == (plain.start.tolist(), list(plain.names))
    assert (whole.args_offset.tolist(), whole.read) == (plain.args_offset.tolist(), EVENTS)
    assert progress[-1] == trace.stat().st_size
    assert len(shown) >= 2
    for (_, read), (_, more) in pairwise(shown):
        assert more >= preview.GROWTH * read
    for timeline, _ in shown:
        assert 0 < len(timeline) < EVENTS
        assert timeline.start.tolist() == plain.start[: len(timeline)].tolist()


def test_a_compressed_file_has_few_timelines_however_much_it_holds(trace: Path) -> None:
    label = json.dumps({"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": "x" * 1000}})
    call = json.dumps({"ph": "X", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 8})
    pieces = [f'{{"schemaVersion": 1, "traceEvents": [\n{call}', f",\n{label}" * 1000, "]}"]
    begin, megabyte, end = (gzip.compress(piece.encode(), 1) for piece in pieces)
    path = trace.with_name("host_1.1.pt.trace.json.gz")
    path.write_bytes(begin + 120 * megabyte + end)
    shown: list[int] = []
    progress: list[int] = []
    follower = TimelinePreviews(FoundProfile(path, TORCH_TRACE), progress.append, lambda _, read: shown.append(read))
    assert read_json_trace(path, follower).read == 120_001
    assert len(progress) > 1
    assert 0 < len(shown) < len(progress) + 1
    assert shown == sorted({*shown} - {0})


def until(ask: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not ask():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("with_cache", [True, False])
def test_a_profile_is_shown_while_it_is_read(trace: Path, tmp_path: Path, with_cache: bool) -> None:
    gate = Event()

    def read(path: Path, on_progress: Progress) -> Profile:
        profile = TORCH_TRACE.read(path, on_progress)
        assert gate.wait(20)
        return profile

    cache = tmp_path / "cache"
    reader = ProfileReader(cache if with_cache else None, 1 << 30)
    found = FoundProfile(trace, replace(TORCH_TRACE, read=read))
    try:
        task = reader.timeline(found).progress
        assert task is not None
        until(lambda: task.read_bytes == task.total_bytes and task.partial is not None)
        assert reader.timeline(found).progress is task
        part = task.partial
        assert 0 < len(part.timeline) < EVENTS
        gate.set()
        until(lambda: reader.timeline(found).value is not None)
        opened = reader.timeline(found).value
        assert opened is not None
        assert opened.timeline is not None
        assert (len(opened.timeline), opened.version) == (EVENTS, version_of(trace))
        assert part.version != opened.version
        until(lambda: reader.parts(found).value is not None)
    finally:
        gate.set()
        reader.close()
    if with_cache:
        assert sorted(path.suffix for path in cache.iterdir()) == [".parts", ".tables", ".timeline"]


def test_a_file_that_changes_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "host_1.1700000000000000000.pt.trace.json"
    gate, started, finished = Event(), list[str](), list[str]()

    def read(path: Path, on_progress: Progress) -> Profile:
        text = path.read_text()
        started.append(text)
        assert gate.wait(20)
        profile = TORCH_TRACE.read(path, on_progress)
        on_progress(len(text))
        finished.append(text)
        return profile

    texts = [json.dumps({"schemaVersion": 1, "traceEvents": [], "version": number * "x"}) for number in range(3)]
    reader = ProfileReader(None, 1 << 30)
    found = FoundProfile(path, replace(TORCH_TRACE, read=read))
    try:
        for text in texts:
            path.write_text(text)
            assert reader.timeline(found).progress is not None
            until(lambda: started == texts[:1])
        gate.set()
        until(lambda: reader.timeline(found).value is not None)
    finally:
        gate.set()
        reader.close()
    assert started == [texts[0], texts[2]]
    assert finished == [texts[2]]
