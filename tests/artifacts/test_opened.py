# SPDX-License-Identifier: Apache-2.0
"""Artifacts that stay open, by key and version."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

from mindscope.artifacts.opened import OpenArtifacts


def test_another_version_is_opened_with_the_one_before() -> None:
    opened: OpenArtifacts[str, list[int]] = OpenArtifacts(2)
    first = opened.get("a", 1, lambda last: [] if last is None else [*last, 1])
    assert opened.get("a", 1, lambda last: [9]) is first
    assert opened.get("a", 2, lambda last: [*(last or ()), 2]) == [2]
    opened.get("b", 1, lambda last: [])
    opened.get("c", 1, lambda last: [])
    assert opened.get("a", 2, lambda last: [] if last is None else last) == [], "the least recently used one is closed"


def test_one_thread_opens_an_artifact_and_no_other_key_waits() -> None:
    opened: OpenArtifacts[int, int] = OpenArtifacts(8)
    calls: list[int] = []
    begin, end = Barrier(4), Event()

    def open_slowly(last: int | None) -> int:
        calls.append(1)
        assert end.wait(60)
        return 5

    def get() -> int:
        begin.wait()
        return opened.get(0, "version", open_slowly)

    with ThreadPoolExecutor(3) as pool:
        results = [pool.submit(get) for _ in range(3)]
        begin.wait()
        assert opened.get(1, "version", lambda last: 6) == 6
        end.set()
        assert [each.result() for each in results] == [5, 5, 5]
    assert len(calls) == 1
