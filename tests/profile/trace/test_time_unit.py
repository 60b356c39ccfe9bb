# SPDX-License-Identifier: Apache-2.0
"""Traces whose times are no microseconds: what can't be true is said, and nothing is scaled."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.open import read_profile
from tests.profile.kineto_events import Events

SMALL_CUDA = Path(__file__).parents[1] / "data" / "small_cuda.pt.trace.json.gz"
NOW = 1_790_857_026
"""Seconds since 1970."""


def in_unit(events: list[dict[str, Any]], factor: float, begin: float) -> list[dict[str, Any]]:
    """The events with their times in another unit than microseconds; the first one is at ``begin``."""
    first = min(each["ts"] for each in events if "ts" in each)
    return [
        {**each, **({"ts": begin + (each["ts"] - first) * factor} if "ts" in each else {}),
         **({"dur": each["dur"] * factor} if "dur" in each else {})}
        for each in events
    ]  # fmt: skip


def problems_of(path: Path, whole: dict[str, Any]) -> list[str]:
    path.write_text(json.dumps(whole))
    return [each.code for each in read_profile(path).facts.properties["problems"].values()]


@pytest.mark.parametrize("is_torch", [True, False])
@pytest.mark.parametrize(
    ("factor", "begin", "base", "codes"),
    [
        (1, 0, NOW * 10**9, []),
        (1, 4.9e12, NOW * 10**9, []),  # the base of Kineto is months ago
        (1, NOW * 1e6, None, []),  # since 1970
        (1, 0, None, []),
        (1, 3e13, None, []),  # since the start of the machine, a year ago
        (1000, NOW * 1e9, None, ["profile_times_far"]),
        (1000, 5e14, None, ["profile_times_far"]),  # nanoseconds since the start of the machine, 6 days ago
        (1000, 4.9e15, NOW * 10**9, ["profile_times_far"]),
        (1, NOW * 1e6, NOW * 10**9, ["profile_times_far"]),  # the base counts twice
        (1e-6, NOW, None, ["profile_times_dense"]),
        (1e-6, 0, None, ["profile_times_dense"]),
        (1e-6, 0, NOW * 10**9, ["profile_times_dense"]),
    ],
)
def test_times_that_can_not_be_microseconds(
    tmp_path: Path, is_torch: bool, factor: float, begin: float, base: int | None, codes: list[str]
) -> None:
    """A real trace, whose times are written in another unit."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    events = in_unit(whole["traceEvents"], factor, begin)
    facts = {"schemaVersion": 1} if is_torch else {}
    facts |= {} if base is None else {"baseTimeNanoseconds": base}
    found = problems_of(tmp_path / "a.json", {**facts, "displayTimeUnit": "ns", "traceEvents": events})
    assert [each for each in found if each.startswith("profile_times")] == codes
    assert found == codes or factor != 1


@pytest.mark.parametrize(
    ("factor", "codes"),
    [
        (1, []), (10, []), (1e-3, ["profile_times_dense"]), (1e-6, ["profile_times_dense"]),
        (1000, ["profile_times_long"]),
    ],
)  # fmt: skip
def test_operators_tell_the_unit_without_copies(tmp_path: Path, factor: float, codes: list[str]) -> None:
    """Beside a base, times can be small: milliseconds, seconds or nanoseconds since the begin of the profile."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    assert not [each for each in whole["traceEvents"] if each.get("cat") == "gpu_memcpy"]
    events = in_unit(whole["traceEvents"], factor, 0)
    found = problems_of(tmp_path / "a.json", {**whole, "traceEvents": events})
    assert [each for each in found if each.startswith("profile_times")] == codes
    assert found == codes or factor < 1


def test_operators_in_whole_microseconds_are_no_evidence(tmp_path: Path) -> None:
    """As torch 1.8 wrote them: nested operators begin in one microsecond, and many take none."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    events = [
        {**each, **{name: each[name] // 1 for name in ("ts", "dur") if name in each}} for each in whole["traceEvents"]
    ]
    assert problems_of(tmp_path / "a.json", {**whole, "traceEvents": events}) == []


@pytest.mark.parametrize(
    ("factor", "is_said"), [(1, False), (1000, True), (0.001, True), (4, False)], ids=["us", "ns", "ms", "rounded"]
)
def test_copies_tell_the_unit(tmp_path: Path, factor: float, is_said: bool) -> None:
    made = Events()
    made.step(1, 0, 900 * factor)
    for number in range(3):
        made.add(
            "gpu_memcpy", "Memcpy HtoD", 100 * number * factor, 20 * factor, 7, 0,
            bytes=320_000, **{"memory bandwidth (GB/s)": 16.0},
        )  # fmt: skip
    problems = list(made.read(tmp_path).facts.properties["problems"].values())
    assert [(each.code, each.values) for each in problems] == (
        [("profile_times_scaled", {"factor": 1000 if factor > 1 else "0.001"})] if is_said else []
    )
