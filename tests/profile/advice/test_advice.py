# SPDX-License-Identifier: Apache-2.0
"""Advice: each rule on the smallest profile that it applies to, on both sides of its threshold."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mindscope.profile.advice import Advice, advise
from mindscope.profile.advice.pipeline_bottlenecks import bottlenecks
from mindscope.profile.model.profile_data import Part, ProfileFacts
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.data_pipeline import DataPipeline, PipelineOperations, QueueSamples
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import ADVICE
from mindscope.table.columns import TextColumn
from tests.profile.kineto_events import Events

GPU = [{"id": 0, "name": "Invented", "totalGlobalMem": 10_000, "computeMajor": 8}]


def found(profile: Profile) -> dict[str, Advice]:
    return {each.code: each for each in advise(profile)}


def busy_step(events: Events, number: int, ts: float, busy: float = 90, name: str = "sm80_xmma_gemm") -> None:
    """A step of 100 us in which the device computes."""
    events.step(number, ts, 100)
    events.launch(ts + 1, 1, 10 * number)
    events.kernel(name, ts + 5, busy, 10 * number)


@pytest.mark.parametrize(("wait", "is_said"), [(4, False), (6, True)])
def test_waits_for_data_above_a_twentieth_are_said(tmp_path: Path, wait: float, is_said: bool) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 0, wait)
    advice = found(events.read(tmp_path)).get("data_waiting")
    assert (advice is not None) == is_said
    if advice:
        assert advice.finding == ("The training waits for data for 6 % of the step time, 6 us a step (more than 5 %).")
        assert (advice.part, list(advice.rows), advice.threshold, advice.share) == (Part.STEPS, [0], 0.05, 0.06)


@pytest.mark.parametrize(
    ("waits_ms", "step_ms", "is_said"), [((6, 4), 1000, False), ((6, 5), 1000, True), ((6, 5), 100, False)]
)
def test_long_waits_for_batches_in_longer_steps_are_said(
    tmp_path: Path, waits_ms: tuple[float, ...], step_ms: float, is_said: bool
) -> None:
    events = Events()
    events.step(1, 0, 1000 * step_ms)
    for place, wait in enumerate(waits_ms):
        events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 20_000 * place, 1000 * wait)
    advice = found(events.read(tmp_path))
    assert ("batch_wait" in advice) == is_said
    assert ("data_waiting" in advice) == (step_ms == 100)
    if is_said:
        said = advice["batch_wait"]
        assert said.finding == "The training waits 11 ms a step for batches of the DataLoader (more than 10 ms)."
        assert (said.part, list(said.rows), said.threshold) == (Part.DATA_PIPELINE, [0, 1], 10_000_000)
        assert said.share == pytest.approx(0.011)


@pytest.mark.parametrize(("communication", "is_said"), [(10, False), (11, True)])
def test_communication_above_a_tenth_is_said(tmp_path: Path, communication: float, is_said: bool) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.launch(1, 1, 1)
    events.kernel("ncclKernel_AllReduce", 10, communication, 1)
    assert ("communication" in found(events.read(tmp_path))) == is_said


def test_an_idle_device_is_said_with_what_it_waits_for(tmp_path: Path) -> None:
    events = Events()
    for step in range(3):
        busy_step(events, step, 100 * step, busy=20)
    codes = found(events.read(tmp_path))
    assert codes["host_bound"].values["share"] == pytest.approx(0.2)
    assert codes["host_bound"].values["host_wait"] == 1.0
    events = Events()
    for step in range(3):
        busy_step(events, step, 100 * step, busy=80)
    assert not {"host_bound", "low_device_use"} & found(events.read(tmp_path)).keys()


def test_kernels_shorter_than_their_launches_are_said(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    for place in range(4):
        events.launch(10 * place, 5, place + 1)
        events.kernel("k", 20 + 10 * place, 2 if place else 9, place + 1)
    assert found(events.read(tmp_path))["short_kernels"].values["share"] == 0.75


def test_matrix_products_without_tensor_cores_are_said_where_the_device_has_them(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::mm", 0, 50, External_id=1)
    events.launch(1, 1, 1, External_id=1)
    events.kernel("sgemm", 10, 40, 1)
    assert found(events.read(tmp_path, deviceProperties=GPU))["no_tensor_cores"].values["share"] == 1.0
    assert "no_tensor_cores" not in found(events.read(tmp_path, deviceProperties=[{**GPU[0], "computeMajor": 6}]))
    events.kernel("sm80_xmma_gemm", 60, 10)
    assert "no_tensor_cores" not in found(events.read(tmp_path, deviceProperties=GPU))


@pytest.mark.parametrize(
    ("operator", "counts"),
    [
        ("cudnn_convolution_backward_weight", True), ("cudnn_convolution_backward_input", True),
        ("cudnn_convolution_transpose", True), ("convolution_backward", True), ("_convolution", True),
        ("linear_backward", True), ("_scaled_mm", True), ("_cudnn_rnn_backward", True),
        ("_scaled_dot_product_flash_attention_backward", True), ("_flash_attention_forward", True),
        ("cudnn_convolution_backward_bias", False), ("conv_depthwise3d", False), ("cudnn_batch_norm", False),
        ("upsample_bilinear2d_backward", False), ("max_pool2d_with_indices", False),
    ],
)  # fmt: skip
def test_matrix_products_count_by_all_their_names(tmp_path: Path, operator: str, counts: bool) -> None:
    events = Events()
    for number, (name, time) in enumerate(((operator, 60), ("relu", 40)), 1):
        events.op(f"aten::{name}", 200 * number, 50, External_id=number)
        events.launch(200 * number + 1, 1, number, External_id=number)
        events.kernel("a_kernel", 200 * number + 2, time, number)
    events.kernel("Memcpy HtoD (Pinned -> Device)", 700, 900, cat="gpu_memcpy")
    advice = found(events.read(tmp_path, deviceProperties=GPU)).get("no_tensor_cores")
    assert (advice is not None) == counts
    if advice:
        assert advice.values["share"] == pytest.approx(0.6), "of the time of kernels"


@pytest.mark.parametrize(
    ("described", "kernel", "launch", "category", "want"),
    [
        ([{"id": 0, "name": "H100", "computeMajor": 9, "warpSize": 32}], "gemm", "cudaLaunchKernel", "kernel", 0.0),
        ([{"id": 0, "name": "NVIDIA H100", "computeMajor": 9}], "sm90_xmma_gemm", "cudaLaunchKernel", "kernel", 1.0),
        (None, "sm90_xmma_gemm", "cudaLaunchKernel", "kernel", 1.0),
        (None, "gemm", "cudaLaunchKernel", "kernel", None),
        ([{"id": 0, "name": "Tesla P100", "computeMajor": 6}], "gemm", "cudaLaunchKernel", "kernel", None),
        ([{"id": 0, "name": "", "computeMajor": 9, "warpSize": 64}], "Cijk_gemm", "cudaLaunchKernel", "kernel", None),
        ([{"id": 0, "name": "AMD Radeon PRO", "computeMajor": 11}], "Cijk_gemm", "cudaLaunchKernel", "kernel", None),
        ([{"id": 0, "name": "", "computeMajor": 9}], "Cijk_16816_gemm", "hipLaunchKernel", "kernel", None),
        ([{"id": 0, "name": "", "computeMajor": 9}], "fc_op", "cudaLaunchKernel", "mtia_ccp_events", None),
    ],
)  # fmt: skip
def test_tensor_cores_are_of_devices_that_have_them(
    tmp_path: Path,
    described: list[dict[str, object]] | None,
    kernel: str,
    launch: str,
    category: str,
    want: float | None,
) -> None:
    events = Events()
    events.op("aten::mm", 0, 50, External_id=1)
    events.add("cuda_runtime", launch, 1, 1, correlation=1, External_id=1)
    events.kernel(kernel, 10, 40, 1, cat=category)
    profile = events.read(tmp_path, deviceProperties=described)
    assert overview_of(profile).tensor_cores == want
    assert ("no_tensor_cores" in found(profile)) == (want == 0.0)


def test_copies_of_pageable_memory_and_waits_of_the_host_are_said(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.op("aten::item", 0, 30, External_id=1)
    events.op("aten::_local_scalar_dense", 1, 20, External_id=2)
    events.launch(2, 1, 1, External_id=2)
    events.kernel("Memcpy HtoD (Pageable -> Device)", 10, 5, 1, cat="gpu_memcpy")
    codes = found(events.read(tmp_path))
    assert codes["pageable_copies"].values["share"] == pytest.approx(0.05)
    assert codes["synchronization"].values["share"] == pytest.approx(0.2)


def test_memory_near_that_of_the_device_is_said(tmp_path: Path) -> None:
    for total, is_said in ((9_000, False), (9_001, True)):
        events = Events()
        events.memory(1, total, 64, total, device=0)
        assert ("memory_peak" in found(events.read(tmp_path, deviceProperties=GPU))) == is_said


@pytest.mark.parametrize(("freed", "is_said"), [(True, False), (False, True)])
def test_memory_that_each_step_leaves_is_said(tmp_path: Path, freed: bool, is_said: bool) -> None:
    events, size = Events(), 1 << 20
    for step in range(5):
        events.step(step, 100 * step, 100)
        events.op("aten::relu", 100 * step + 10, 20, External_id=step + 1)
        events.memory(100 * step + 15, size, 64 * (step + 1), size, device=0)
        if freed and step:
            events.memory(100 * step + 50, -size, 64 * step, 0, device=0)
    advice = found(events.read(tmp_path)).get("leak")
    assert (advice is not None) == is_said
    if advice:
        assert advice.values["growth"] == size
        assert advice.values["operator"] == advice.values["origin"] == "aten::relu"
        assert "allocated by aten::relu (in all of 3 steps" in advice.finding
        assert len(advice.rows) == 3


def test_memory_without_addresses_has_no_lives_and_says_so(tmp_path: Path) -> None:
    events, size = Events(), 1 << 20
    for step in range(6):
        events.step(step, 100 * step, 100)
        events.op("aten::relu", 100 * step + 10, 20, External_id=step + 1)
        events.memory(100 * step + 15, size, 0, 0, device=0)
        events.memory(100 * step + 50, -size, 0, 0, device=0)
        events.memory(100 * step + 60, 64, 4096, 64)
    for event in events.events:
        if event["name"] == "[memory]" and event["args"]["Device Id"] == 0:
            for name in ("Addr", "Total Allocated", "Total Reserved"):
                del event["args"][name]
    profile = events.read(tmp_path, deviceProperties=GPU)
    codes = found(profile)
    assert "leak" not in codes
    assert "memory_peak" not in codes, "the curve does not count from zero"
    memory, overview = profile.memory, overview_of(profile)
    assert memory.blocks is not None
    assert set(memory.blocks.device) == {"CPU"}, "whose events have addresses"
    assert {note.code: note.values["devices"] for note in memory.notes} == {
        "torch_memory_addresses": "GPU 0", "torch_memory_totals": "GPU 0",
    }  # fmt: skip
    on_gpu = memory.curve.device.is_any_of(lambda each: each == "GPU 0")
    assert memory.curve.allocated[on_gpu].tolist() == [size, 0] * 6
    assert [each.device for each in overview.peaks] == ["CPU"]
    assert [each["code"] for each in overview.to_json()["memory_notes"]] == [note.code for note in memory.notes]


def test_a_step_far_above_the_mean_is_said_with_its_cause(tmp_path: Path) -> None:
    events = Events()
    for step in range(4):
        events.step(step, 1000 * step, 100 if step != 2 else 190)
    events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 2000, 90)
    advice = found(events.read(tmp_path))["uneven_steps"]
    assert (advice.values["step"], advice.values["cause"], list(advice.rows)) == (2, "data_waiting", [2])


def test_other_ways_to_use_several_devices_are_said(tmp_path: Path) -> None:
    events = Events()
    events.add("python_function", "nn.Module: DataParallel_0", 0, 50)
    events.op("aten::mm", 1, 10)
    two = [GPU[0], {**GPU[0], "id": 1}]
    codes = found(events.read(tmp_path, deviceProperties=two, distributedInfo={"backend": "gloo", "rank": 0}))
    assert {"data_parallel", "other_backend"} <= codes.keys()
    assert not {"data_parallel"} & found(events.read(tmp_path, deviceProperties=GPU)).keys()


def pipeline(usage: list[float], parents: list[int], **others: object) -> Profile:
    operations = PipelineOperations(
        id=np.arange(len(usage)), name=TextColumn.of(f"Op_{place}" for place in range(len(usage))),
        type=TextColumn.of(["Op"] * len(usage)), parent=np.array(parents, np.int64), queue_usage=np.array(usage),
    )  # fmt: skip
    facts = ProfileFacts(name="a", path="a", format="hand_made")
    return Profile(facts, None, {Part.DATA_PIPELINE: lambda: DataPipeline(operations=operations)})


def test_bottlenecks_of_pipelines_are_those_of_mindinsight() -> None:
    # Leaf, inner operation, root: queues fill up to the root, so that it is the slowest.
    assert found(pipeline([0.9, 0.85, np.nan], [1, 2, -1]))["pipeline_consumer"].values["operations"] == "Op_2"
    assert found(pipeline([0.5, 0.45, np.nan], [1, 2, -1]))["pipeline_reader"].values["operations"] == "Op_0"
    assert found(pipeline([0.75, 0.3, np.nan], [1, 2, -1]))["pipeline_bottleneck"].values["operations"] == "Op_1"
    assert not found(pipeline([0.7, 0.65, np.nan], [1, 2, -1]))


def test_each_bottleneck_has_its_rule() -> None:
    def rules(usage: list[float]) -> list[tuple[int, str]]:
        operations = pipeline(usage, [1, 2, -1]).data_pipeline.operations
        assert operations is not None
        return [(each.row, each.rule) for each in bottlenecks(operations)]

    assert rules([0.9, 0.85, np.nan]) == [(2, "root")]
    assert rules([0.5, 0.1, np.nan]) == [(0, "leaf"), (1, "gap")]
    assert rules([0.7, 0.65, np.nan]) == []


def test_operations_without_a_queue_are_passed_over() -> None:
    operations = pipeline([0.7, np.nan, 0.1, np.nan], [1, 2, 3, -1]).data_pipeline.operations
    assert operations is not None
    assert [(each.row, each.rule) for each in bottlenecks(operations)] == [(2, "gap")]


def queues(device: list[int], get_next: list[int]) -> Profile:
    samples = QueueSamples(
        queue=TextColumn.of(["device_queue"] * len(device) + ["get_next"] * len(get_next)),
        size=np.array([*device, *get_next]), capacity=np.full(len(device) + len(get_next), 8),
    )  # fmt: skip
    facts = ProfileFacts(name="a", path="a", format="hand_made")
    return Profile(facts, None, {Part.DATA_PIPELINE: lambda: DataPipeline(queues=samples)})


def test_empty_queues_are_judged_as_by_mindinsight() -> None:
    assert "device_queue_empty" in found(queues([0, 0, 0, 0, *[3] * 6], []))
    assert "device_queue_empty" not in found(queues([0, 0, 0, *[3] * 7], []))
    assert "transmission" in found(queues([0, *[3] * 9], [0, 1]))
    assert not found(queues([3] * 9, [1, 1]))
    assert not found(queues([], []))


def test_long_step_intervals_are_said() -> None:
    def steps(interval: int) -> Profile:
        one = np.array([10_000_000])
        made = Steps(
            number=np.array([1]), start=np.array([0]), duration=one, compute=one, idle=one * 0,
            interval=np.array([interval]),
        )  # fmt: skip
        return Profile(ProfileFacts(name="a", path="a", format="hand_made"), None, {Part.STEPS: lambda: made})

    assert "step_interval" in found(steps(500_001))
    assert "step_interval" not in found(steps(500_000))


@pytest.mark.parametrize("code", ADVICE)
def test_texts_name_only_fields_and_known_units(code: str) -> None:
    for text in ADVICE[code].values():
        assert set(re.findall(r"\{\w+:(\w+)\}", text)) <= {"share", "time", "size", "flops", "bandwidth"}
