# SPDX-License-Identifier: Apache-2.0
"""A trace that ``mindscope.torch.Profiler`` wrote on an H100: all figures follow from the raw file."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline

TRACE = Path(__file__).parents[1] / "data" / "small_cuda.pt.trace.json.gz"


@pytest.fixture(scope="module")
def raw() -> list[dict[str, Any]]:
    """Times as decimals, which are exact."""
    return json.loads(gzip.decompress(TRACE.read_bytes()), parse_float=Decimal)["traceEvents"]


@pytest.fixture(scope="module")
def profile() -> Profile:
    return read_profile(TRACE)


@pytest.fixture(scope="module")
def timeline(profile: Profile) -> Timeline:
    assert profile.trace is not None
    return build_timeline(profile.trace, TRACE)


def nanoseconds(event: Mapping[str, Any], key: str) -> int:
    return int(1000 * event[key])


def test_all_events_are_read(raw: list[dict[str, Any]], profile: Profile) -> None:
    assert profile.trace is not None
    assert (profile.trace.read, profile.trace.skipped, len(raw)) == (2_422, {}, 2_422)
    slices = [nanoseconds(each, "dur") for each in raw if each["ph"] == "X"]
    assert (len(slices), sum(slices)) == (len(profile.trace.slices), int(profile.trace.slices.duration.sum()))


def test_kernels_are_those_of_the_file(raw: list[dict[str, Any]], profile: Profile) -> None:
    kernels = [each for each in raw if each.get("cat") == "kernel"]
    assert (len(kernels), int(profile.kernels.count.sum())) == (201, 201)
    by_name = Counter[str]()
    for each in kernels:
        by_name[each["name"]] += nanoseconds(each, "dur")
    merged = profile.kernels.group_by("name")
    assert dict(zip(merged.name, merged.total.tolist(), strict=True)) == by_name
    assert int(profile.operators.self_time.sum()) == sum(by_name.values()), "an operator launched each kernel"
    assert "" not in set(profile.kernels.operator or [""])


def test_the_device_is_busy_while_any_kernel_runs(raw: list[dict[str, Any]], profile: Profile) -> None:
    busy, reached = 0, 0
    for each in sorted((each for each in raw if each.get("cat") == "kernel"), key=lambda each: each["ts"]):
        begin = nanoseconds(each, "ts")
        end = begin + nanoseconds(each, "dur")
        busy += max(0, end - max(begin, reached))
        reached = max(reached, end)
    streams = profile.streams
    assert (busy, streams.busy.tolist(), streams.kernels.tolist()) == (587_025, [587_025], [201])
    whole = streams.busy + streams.host_wait + streams.kernel_wait + streams.other_wait
    starts = [nanoseconds(each, "ts") for each in raw if each.get("cat") == "kernel"]
    assert whole.tolist() == [reached - min(starts)]
    assert profile.steps.number.tolist() == [2, 3, 4]
    for row in profile.steps.rows():
        parts = ("compute", "communication", "copy", "data_waiting", "host", "idle")
        assert sum(row.get(part) or 0 for part in parts) == row["duration"]


def test_each_kernel_has_an_arrow_from_its_launch(raw: list[dict[str, Any]], timeline: Timeline) -> None:
    flows = timeline.flows
    own = flows.category == list(timeline.categories).index("ac2g")
    calls = {each["args"]["correlation"]: each for each in raw if each.get("cat") == "cuda_runtime"}
    zero = min(nanoseconds(each, "ts") for each in raw if "dur" in each and each.get("cat") != "Trace")
    want = sorted(
        (nanoseconds(calls[each["args"]["correlation"]], "ts") - zero, nanoseconds(each, "ts") - zero)
        for each in raw
        if each.get("cat") == "kernel"
    )
    found = zip(timeline.start[flows.source[own]].tolist(), timeline.start[flows.target[own]].tolist(), strict=True)
    offset = want[0][0] - min(timeline.start[flows.source[own]].tolist())
    assert sorted((one + offset, other + offset) for one, other in found) == want
    assert flows.unbound == 0


def test_the_queue_is_what_was_launched_and_has_not_begun(profile: Profile, timeline: Timeline) -> None:
    (queue,) = [each for each in timeline.counters if each.name == "queue length"]
    assert timeline.tracks[queue.track].thread_name.strip() == "stream 7"
    assert (queue.values.min(), queue.values.max(), queue.values[-1]) == (0, profile.streams.queue_peak[0], 0)
    assert np.diff(queue.times).min() > 0
