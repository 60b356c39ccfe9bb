# SPDX-License-Identifier: Apache-2.0
"""Damaged traces of torch: nothing but errors of ours, and tables that add up.

``make fuzz`` runs many more rounds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import PARTS, Steps
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.profile.kineto_events import AUTOGRAD, Events

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 20
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
_NUMBER = re.compile(rb"(?<=[ \[])-?\d+(\.\d+)?")
NUMBERS = (
    *(b"0", b"-1", b"1e300", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551615", b"NaN", b"N/A"),
    *(b'"7"', b'"x"', b"null", b"true", b"[]", b"{}", b"0.0005", b"9" * 400, b"4294967296", b"604800000001"),
)


def trace() -> bytes:
    """All kinds of events, in three steps."""
    events = Events()
    for step in range(3):
        begin = 1000.5 * step
        events.step(step, begin, 1000)
        events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", begin, 100)
        events.add("python_function", "train.py(1): step", begin + 1, 900)
        events.add("python_function", "nn.Module: Linear_0", begin + 100, 200)
        events.op("aten::linear", begin + 110, 150, **arguments(step, [[8, 4], [4, 2]]))
        events.op("aten::addmm", begin + 120, 100, **arguments(step, [[2], [8, 4], [4, 2]]))
        events.memory(begin + 130, 512, 64 * step, 512, device=0)
        events.launch(begin + 140, 5, 10 * step + 1, External_id=10 * step + 1)
        events.kernel("gemm", begin + 200, 300, 10 * step + 1, grid=[1, 1, 1], block=[64, 1, 1])
        events.launch(begin + 150, 5, 10 * step + 2)
        events.kernel("ncclKernel_AllReduce", begin + 400, 300, 10 * step + 2, stream=9, **{
            "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 10, "Seq": step, "Group size": 2,
        })  # fmt: skip
        events.kernel("Memcpy HtoD (Pageable -> Device)", begin + 800, 50, cat="gpu_memcpy")
        name = "autograd::engine::evaluate_function: AddmmBackward0"
        events.op(name, begin + 400, 100, AUTOGRAD, Sequence_number=step, Fwd_thread_id=1)
        events.op("aten::mm", begin + 410, 50, AUTOGRAD, **{"Input Dims": [[8, 2], [2, 4]]})
        events.add("user_annotation", "Optimizer.step#SGD.step", begin + 700, 100)
        events.memory(begin + 900, -512, 64 * step, 0, device=0)
        events.memory(begin + 910, -64, 7, -64)
    return events.text(distributedInfo={"rank": 0, "backend": "nccl"}).encode()


def arguments(step: int, shapes: list[list[int]]) -> dict[str, object]:
    return {
        "External id": 10 * step + 1, "Sequence number": step, "Fwd thread id": 0, "Input Dims": shapes,
        "Input type": ["float"], "Concrete Inputs": [""],
    }  # fmt: skip


TRACE = trace()


def with_other_numbers(data: bytes, random: Random) -> bytes:
    """One to four numbers, or a whole key of them, replaced."""
    broken = data
    for _ in range(random.randint(1, 4)):
        places = list(_NUMBER.finditer(broken))
        chosen = random.choice(places)
        broken = broken[: chosen.start()] + random.choice(NUMBERS) + broken[chosen.end() :]
    return broken


def check_tables(profile: Profile) -> None:
    for part in Part:
        profile.part(part)
    steps = profile.part(Part.STEPS)
    if isinstance(steps, Steps):
        parts = np.array([steps.part(each) for each in PARTS])
        assert (parts >= 0).all()
        assert (parts.sum(axis=0) == steps.duration).all()
    operators = profile.part(Part.OPERATORS)
    if isinstance(operators, Operators) and operators.host_self is not None and operators.host_total is not None:
        assert (operators.host_self >= 0).all()
        assert (operators.host_self <= operators.host_total).all()
    streams = profile.part(Part.STREAMS)
    if hasattr(streams, "busy"):
        assert (streams.busy >= 0).all()
    overview_of(profile).to_json()
    assert all(each.finding and each.remedy for each in overview_of(profile).advice)


def check(profile: Profile) -> None:
    check_tables(profile)
    profile.timeline(0, 1_000_000)


def test_the_intact_trace_has_every_part(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(TRACE)
    profile = read_profile(tmp_path / "a.json")
    assert profile.missing.keys() == {Part.LINKS, Part.STEP_ROWS}
    check(profile)


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_traces_give_tables_or_a_reason(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    path = tmp_path / "a.pt.trace.json"
    path.write_bytes(mutate(TRACE, FILE_MUTATIONS, random) if seed % 2 else with_other_numbers(TRACE, random))
    try:
        profile = read_profile(path)
    except FormatError:
        return
    check(profile)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_truncated_traces_keep_what_precedes(tmp_path: Path, share: float) -> None:
    (tmp_path / "a.json").write_bytes(TRACE[: int(len(TRACE) * share)])
    profile = read_profile(tmp_path / "a.json")
    assert profile.trace is not None
    assert profile.trace.read > 0
    check(profile)
