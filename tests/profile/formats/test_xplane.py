# SPDX-License-Identifier: Apache-2.0
"""Profiles of XLA: what JAX writes here, hand-made ones of a GPU and a TPU, damage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.formats.wire import encode
from mindscope.profile.formats.xplane import event_blocks
from mindscope.profile.formats.xplane.scopes import scope_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import PARTS
from mindscope.profile.timeline.build_timeline import build_timeline
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.profile.slice_arguments import all_arguments, arguments_of_timeline
from tests.profile.xplane_events import BACKWARD, EPOCH, FORWARD, SCHEMAS, Plane, hlo, on_gpu, write

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 10
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
US = 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "plugins/profile/2027_01_15/vm.xplane.pb", *on_gpu(), hostnames=["vm"])


@pytest.fixture
def profile(file: Path) -> Profile:
    return read_profile(file)


def test_all_events_are_read(profile: Profile) -> None:
    assert profile.trace is not None
    assert profile.trace.read == 3 * (7 + 7)
    assert profile.trace.skipped == {}
    assert profile.trace.origin_ns == EPOCH
    assert profile.facts.framework == "jax"
    assert [each.name for each in profile.devices] == ["CPU", "GPU 0"]


def test_steps_have_the_numbers_of_the_program(profile: Profile) -> None:
    steps = profile.steps
    assert steps.number.tolist() == [7, 8, 9]
    assert np.sum([steps.part(part) for part in PARTS], axis=0).tolist() == steps.duration.tolist()
    assert steps.compute.tolist() == [400 * US] * 3
    assert steps.part("communication").tolist() == [50 * US] * 3
    assert steps.part("copy").tolist() == [50 * US] * 3
    assert steps.overlapped is not None
    assert steps.overlapped.tolist() == [50 * US] * 3


def test_derived_lines_are_no_work_of_the_device(profile: Profile) -> None:
    kernels = {row["name"]: row for row in profile.kernels.group_by("name").rows()}
    assert {name: (row["count"], row["total"], row["kind"]) for name, row in kernels.items()} == {
        "gemm_fusion_dot_1": (3, 600 * US, "compute"), "gemm_fusion_dot_2": (3, 600 * US, "compute"),
        "ncclDevKernel_AllReduce_Sum": (3, 300 * US, "communication"), "MemcpyD2H": (3, 150 * US, "copy"),
    }  # fmt: skip
    assert kernels["gemm_fusion_dot_1"]["operator"] == "fusion.1"
    assert kernels["gemm_fusion_dot_1"]["shape"] == "grid [132,1,1] block [256,1,1]"
    assert kernels["gemm_fusion_dot_1"]["occupancy"] == pytest.approx(0.25)
    assert kernels["MemcpyD2H"]["size"] == 3 * 4096


def test_operations_have_the_path_of_the_program(profile: Profile) -> None:
    found = {row["name"]: row for row in profile.operators.rows()}
    assert found["fusion.1"]["module"] == found["fusion.2"]["module"] == "Net/Dense_0"
    assert (found["fusion.1"]["phase"], found["fusion.2"]["phase"]) == ("forward", "backward")
    assert (found["fusion.1"]["type"], found["all-reduce.1"]["type"]) == ("dot_general", "all-reduce")
    assert found["fusion.1"]["flops"] == 3000
    assert found["fusion.1"]["bytes_accessed"] == 192
    assert found["fusion.2"]["device_total"] == 600 * US
    modules = {row["path"]: row["device_total"] for row in profile.modules.rows()}
    assert modules == {"Net": 1200 * US, "Net/Dense_0": 1200 * US}
    assert profile.part(Part.MODULES).flops.tolist() == [3000, 3000]


def test_streams_wait_for_launches(profile: Profile) -> None:
    streams = {row["stream"]: row for row in profile.streams.rows()}
    assert streams["stream 13"]["launches"] == 9
    assert streams["stream 13"]["host_wait"] == 2 * 450 * US
    assert "load" in set(profile.annotations.name)
    assert profile.communication.kind.values == ["allreduce"]


def test_the_timeline_has_a_row_for_each_line(profile: Profile, file: Path) -> None:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, file)
    rows = {(track.process_name, track.thread_name) for track in timeline.tracks}
    assert {
        ("GPU 0", "Stream #13(Compute)"),
        ("GPU 0", "XLA Modules"),
        ("CPU", "python"),
        ("CPU", "ProfilerStep"),
    } <= rows
    assert len(timeline.flows.source) == 12
    assert timeline.flows.unbound == 0


def test_overview_and_a_range_of_steps(profile: Profile) -> None:
    overview = overview_of(profile)
    assert overview.device_busy == pytest.approx(500 / 900)
    assert overview.occupancy == pytest.approx(0.25)
    part = profile.select_steps(8, 8)
    assert part.kernels.count.sum() == 4
    assert part.operators.count.sum() == 3


def test_slices_have_the_stats_of_their_events(profile: Profile, file: Path, tmp_path: Path) -> None:
    found = all_arguments(profile, file, tmp_path)
    kernels = [arguments for name, arguments in found if name == "gemm_fusion_dot_1"]
    assert [each.pop("correlation_id") for each in kernels] == [1, 11, 21]
    details = "regs:64 static_shared:0 dynamic_shared:49152 grid:132,1,1 block:256,1,1 occ_pct:25"
    assert kernels == 3 * [
        {"hlo_op": "fusion.1", "tf_op": FORWARD, "kernel_details": details, "hlo_module": "jit_step", "flops": 1000,
         "bytes_accessed": 64}
    ]  # fmt: skip
    by_name = dict(found)
    assert by_name["MemcpyD2H"]["memcpy_details"].startswith("kind_src:device")
    assert by_name["train"] == {"step_num": 9, "_r": 1} == by_name["ProfilerStep#9"]
    assert by_name["load"] == {}


def test_stats_of_all_kinds(tmp_path: Path) -> None:
    host = Plane("/host:CPU")
    host.metadata("work", program_id=7, text="of all", data=bytes(range(40)))
    host.event("a", "work", 1, 1, ratio=0.5, most=float("inf"), text="own", correlation_id=-1)
    host.event("a", "work", 3, 1)
    path = write(tmp_path / "x.xplane.pb", Plane("/host:metadata"), host)
    data = bytes(range(32)).hex(" ") + " ... (40 bytes)"
    assert all_arguments(read_profile(path), path, tmp_path) == [
        ("work", {"program_id": 7, "text": "own", "data": data, "ratio": 0.5, "most": "inf", "correlation_id": -1}),
        ("work", {"program_id": 7, "text": "of all", "data": data}),
    ]  # fmt: skip


def test_a_file_that_became_shorter_has_no_arguments(profile: Profile, file: Path) -> None:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, file)
    file.write_bytes(file.read_bytes()[:10])
    assert not any(arguments for _, arguments in arguments_of_timeline(timeline, file))


def test_a_tpu_has_no_streams(tmp_path: Path) -> None:
    """A loop holds what it runs; steps are those that XLA derived."""
    tpu = Plane("/device:TPU:0")
    for step in range(2):
        begin = 100.0 * step
        tpu.event("Steps", str(step + 4), begin, 90)
        tpu.event("XLA Ops", "while.1", begin + 10, 60)
        tpu.event("XLA Ops", "fusion.7", begin + 10, 20, hlo_op="fusion.7")
        tpu.event("XLA Ops", "fusion.7", begin + 30, 40, hlo_op="fusion.7")
        tpu.event("Async XLA Ops", "all-reduce-start.1", begin + 20, 60, hlo_op="all-reduce-start.1")
    tpu.metadata("fusion.7", tf_op=FORWARD, flops=5)
    profile = read_profile(write(tmp_path / "tpu.xplane.pb", tpu))
    assert profile.steps.number.tolist() == [4, 5]
    assert profile.steps.compute.tolist() == [60 * US] * 2
    assert profile.steps.part("communication").tolist() == [10 * US] * 2
    (fusion,) = [row for row in profile.operators.rows() if row["name"] == "fusion.7"]
    assert (fusion["count"], fusion["flops"], fusion["module"]) == (4, 20, "Net/Dense_0")
    assert set(profile.kernels.device) == {"TPU 0"}
    assert profile.trace is not None
    assert profile.trace.read == 10


def test_paths_of_a_cpu_come_from_the_program(tmp_path: Path) -> None:
    host, metadata = Plane("/host:CPU"), Plane("/host:metadata")
    host.event("worker", "dot.3", 10, 20, hlo_op="dot.3", hlo_module="jit_step")
    metadata.metadata("jit_step", hlo_proto=hlo({"dot.3": BACKWARD}))
    profile = read_profile(write(tmp_path / "cpu.xplane.pb", host, metadata))
    (row,) = profile.operators.rows()
    assert (row["module"], row["phase"], row["host_total"]) == ("Net/Dense_0", "backward", 20 * US)


def test_memory_of_the_allocator(tmp_path: Path) -> None:
    host = Plane("/host:CPU")
    for at, name, total in ((1, "MemoryAllocation", 100), (2, "MemoryDeallocation", 0)):
        host.event("main", name, at, 0, allocation_bytes=100, bytes_allocated=total, bytes_reserved=512, addr=64,
                   allocator_name="GPU_1_bfc")  # fmt: skip
    profile = read_profile(write(tmp_path / "memory.xplane.pb", host))
    assert [(row["device"], row["allocated"], row["reserved"]) for row in profile.memory.curve.rows()] == [
        ("GPU 1", 100, 512), ("GPU 1", 0, 512),
    ]  # fmt: skip
    assert profile.memory.blocks is not None
    assert profile.memory.blocks.size.tolist() == [100]


@pytest.mark.parametrize(
    ("path", "want"),
    [
        (FORWARD, ("Net/Dense_0", "dot_general", "forward")),
        (BACKWARD, ("Net/Dense_0", "dot_general", "backward")),
        ("jit(step)/jit(main)/transpose(jvp(a/b))/mul", ("a/b", "mul", "backward")),
        ("jit(step)/adam/sub", ("adam", "sub", "optimizer")),
        ("jit(f)/while/body/closed_call/add", ("", "add", "")),
        ("model/dense/MatMul:MatMul", ("model/dense", "MatMul", "")),
        ("", ("", "", "")),
        ("((((", ("", "((((", "")),
        (")/)/(a", (")/)", "(a", "")),
    ],
)
def test_paths(path: str, want: tuple[str, str, str]) -> None:
    assert tuple(scope_of(path)) == want


def test_blocks_of_events_make_the_same_profile(file: Path, profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_blocks, "BLOCK", 2)
    again = read_profile(file)
    for part in (Part.STEPS, Part.KERNELS, Part.OPERATORS, Part.MODULES):
        np.testing.assert_equal(list(again.part(part).rows()), list(profile.part(part).rows()))


def test_the_chrome_trace_beside_is_no_second_profile(file: Path) -> None:
    for name in ("vm.trace.json.gz", "perfetto_trace.json.gz"):
        file.with_name(name).write_bytes(b'{"traceEvents": []}')
    assert [each.path.name for each in find_profiles(file.parents[3])] == ["vm.xplane.pb"]


def test_a_cut_file_keeps_what_was_read(file: Path) -> None:
    data = file.read_bytes()
    ends = {len(encode(SCHEMAS["XSpace"], {"planes": [each.encoded() for each in on_gpu()[:n]]})) for n in (1, 2, 3)}
    for length in sorted({*range(1, len(data), 97), *ends}):
        file.write_bytes(data[:length])
        try:
            profile = read_profile(file)
        except FormatError:
            assert length < 4
            continue
        assert profile.trace is not None
        assert ("truncated" in profile.trace.skipped) is (length not in ends)
        assert profile.trace.properties["isWhole"] is (length in ends)
        overview_of(profile)


def test_events_without_a_name_have_their_number(tmp_path: Path) -> None:
    plane = Plane("/host:CPU").encoded()
    plane["lines"] = [
        {"id": 1, "name": "main", "timestamp_ns": 5, "events": [{"metadata_id": 77, "duration_ps": 9000}]}
    ]
    path = tmp_path / "x.xplane.pb"
    path.write_bytes(encode(SCHEMAS["XSpace"], {"planes": [plane]}))
    trace = read_profile(path).trace
    assert trace is not None
    assert "[77]" in trace.names
    assert trace.origin_ns is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x08\x01", b"text", b"\x0a", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x0a\xff\xff\xff\xff\x7f" + b"x", b"\x0b" * 5000, b"\x80" * 30, b"\x0a\x02" * 3,
    ],
)  # fmt: skip
def test_what_is_no_profile_is_refused_or_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.xplane.pb"
    path.write_bytes(data)
    with suppress(FormatError):
        profile = read_profile(path)
        assert set(Part) - set(profile.missing) == {Part.FURTHER_TABLES}  # of which there are none


def test_impossible_times_are_counted(tmp_path: Path) -> None:
    host = Plane("/host:CPU")
    host.event("a", "fine", 1, 1)
    host.event("a", "negative", 1, -1)
    host.event("a", "long", 1, 8 * 86_400 * 1_000_000)
    host.event("b", "far", 1, 1, zero=-(1 << 62))
    trace = read_profile(write(tmp_path / "x.xplane.pb", host)).trace
    assert trace is not None
    assert (trace.read, {name: each.count for name, each in trace.skipped.items()}) == (
        1, {"bad_duration": 2, "no_time": 1},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_files_give_errors_of_ours_or_what_is_left(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    data = write(tmp_path / "whole.xplane.pb", *on_gpu(2)).read_bytes()
    path = tmp_path / "broken.xplane.pb"
    path.write_bytes(mutate(data, FILE_MUTATIONS, random))
    try:
        profile = read_profile(path)
    except FormatError:
        return
    overview_of(profile)
    assert profile.trace is not None
    arguments_of_timeline(build_timeline(profile.trace, path), path)


JAX_TRAINING = """
import json, sys
import jax

@jax.jit
def step(weight, batch):
    def loss(weight):
        with jax.named_scope("dense"):
            return jax.numpy.tanh(batch @ weight).mean()
    return weight - jax.grad(loss)(weight)

weight, batch = jax.numpy.ones((64, 64)), jax.numpy.ones((8, 64))
weight = step(weight, batch)
with jax.profiler.trace(sys.argv[1]):
    for number in range(3):
        with jax.profiler.StepTraceAnnotation("train", step_num=number + 20):
            weight = step(weight, batch).block_until_ready()
"""
JAX_READING = """
import json, sys
import jax

planes = jax.profiler.ProfileData.from_file(sys.argv[1]).planes
events = [
    (each.name, each.duration_ns, {name: value for name, value in each.stats if name is not None})
    for plane in planes for line in plane.lines for each in line.events
]
print(json.dumps(events, default=repr))
"""


def run_python(program: str, argument: Path) -> str:
    """In a process of its own: JAX has threads, and warns at each later fork."""
    done = subprocess.run([sys.executable, "-c", program, str(argument)], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.framework
def test_counts_and_times_are_those_that_jax_reads(tmp_path: Path) -> None:
    if find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    run_python(JAX_TRAINING, tmp_path)
    (found,) = find_profiles(tmp_path)
    events: list[tuple[str, float, dict[str, Any]]] = json.loads(run_python(JAX_READING, found.path))
    want = [(name.removeprefix("$"), duration) for name, duration, _ in events]
    profile = read_profile(found.path)
    trace = profile.trace
    assert trace is not None
    assert trace.read == len(want)
    is_read = trace.slices.category != trace.categories.index("step")
    names = [trace.names[int(name)] for name in trace.slices.name[is_read]]
    ours = sorted(zip(names, trace.slices.duration[is_read].tolist(), strict=True))
    for (name, duration), (other, exact) in zip(ours, sorted(want), strict=True):
        assert name == other
        assert abs(duration - exact) <= 1
    assert profile.steps.number.tolist() == [20, 21, 22]
    assert "dense" in set(profile.operators.module or ())
    assert profile.operators.host_self is not None
    assert profile.operators.host_self.sum() > 0
    stats = sorted((name.removeprefix("$"), sorted(found.items())) for name, _, found in events)
    own = [each for each in all_arguments(profile, found.path, tmp_path) if not each[0].startswith("ProfilerStep#")]
    assert sorted((name, sorted(arguments.items())) for name, arguments in own) == stats
    assert any("hlo_module" in arguments for _, arguments in own)
