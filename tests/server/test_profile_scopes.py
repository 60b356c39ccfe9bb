# SPDX-License-Identifier: Apache-2.0
"""Times of the scopes of a graph over HTTP."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.profile.kineto_events import Events

from .profile_directory import viewer_of


def write(run: Path) -> None:
    events = Events()
    for step in range(2):
        begin = 100 * step
        events.step(step, begin, 100)
        events.add("python_function", "nn.Module: Net_0", begin, 60)
        events.add("python_function", "nn.Module: Linear_0", begin + 5, 40)
        events.op("aten::linear", begin + 10, 30)
    events.write(run / "a.pt.trace.json")


def test_scopes_have_times_of_a_step(tmp_path: Path) -> None:
    query: dict[str, Any] = {"run": "run", "labels": ["", "Default", "fc-Linear"], "parents": [-1, 0, 1]}
    with viewer_of(tmp_path, write) as client:
        deadline = time.monotonic() + 30
        while (answer := client.post("/api/profiles/scopes", json=query).json())["progress"] is not None:
            assert time.monotonic() < deadline
        assert (answer["profile"], answer["steps"], answer["is_on_device"]) == ("a.pt.trace.json", 2, False)
        whole, inner = answer["scopes"]
        assert (whole["scope"], whole["module"], whole["forward_ns"], whole["calls"]) == (1, "Net_0", 60_000, 1)
        assert (inner["scope"], inner["module"], inner["forward_ns"]) == (2, "Net_0/Linear_0", 40_000)
        assert inner["operators"] == [{"type": "linear", "time_ns": 30_000, "count": 1}]
        for parents in ([-1, 0], [-1, 0, 2], [-1, 0, 1 << 70], []):  # the last scopes have no earlier one around them
            answer = client.post("/api/profiles/scopes", json={**query, "parents": parents})
            assert answer.status_code == 200
            assert 2 not in [each["scope"] for each in answer.json()["scopes"]]
        assert client.post("/api/profiles/scopes", json={**query, "run": "none"}).status_code == 404
