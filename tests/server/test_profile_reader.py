# SPDX-License-Identifier: Apache-2.0
"""The reader of profiles, where profiles leave its memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindscope.profile.formats.ascend.output import ASCEND_OUTPUT
from mindscope.profile.formats.torch_trace import TORCH_TRACE
from mindscope.profile.open import FoundProfile
from mindscope.server.jobs.task import Outcome
from mindscope.server.profiles.reader import MOST_OPEN, OpenParts, ProfileReader


def until(ask: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not ask():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_computed_parts_stay_while_a_profile_without_timeline_is_read_again(tmp_path: Path) -> None:
    output = tmp_path / "host_1_ascend_ms" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "api_statistic.csv").write_text("Device_id,Level,API Name,Time(us),Count\nhost,acl,aclrtMalloc,5.5,7\n")
    found = FoundProfile(output.parent, ASCEND_OUTPUT)
    traces = [tmp_path / f"host_{number}.1.pt.trace.json" for number in range(MOST_OPEN)]
    reader = ProfileReader(tmp_path / "cache", 1 << 30)
    try:
        until(lambda: reader.parts(found).value)
        for trace in traces:
            event = {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
            trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event]}))
            other = FoundProfile(trace, TORCH_TRACE)
            until(lambda other=other: reader.timeline(other).value)
        assert reader.timeline(found).value is None  # it left the memory, and has no timeline that is kept
        states: list[Outcome[OpenParts]] = []

        def is_read() -> bool:
            states.append(reader.parts(found))
            return reader.timeline(found).value is not None

        until(is_read)
        states.append(reader.parts(found))
        assert [state for state in states if state.value is None] == []
    finally:
        reader.close()
