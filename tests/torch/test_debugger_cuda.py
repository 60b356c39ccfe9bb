# SPDX-License-Identifier: Apache-2.0
"""A debugger on a CUDA device: statistics by one kernel, without a wait, without an effect on the training."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import mindscope
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.torch import Debugger
from mindscope.torch.debugging.cuda_kernels import KINDS
from mindscope.torch.debugging.step_vectors import StepVectors, Vectors
from tests.torch.test_debugger_tensors import FLOATS, random_bytes, summarized

pytestmark = [pytest.mark.framework, pytest.mark.gpu]
COUNTS = [0, 1, 7, 4095, 4097, 300_001, 3_000_003]


def check_equal(there: Vectors, here: Vectors) -> None:
    got: NDArray[np.float64] = np.array(there.values)
    want = here.values
    overflows = ~np.isfinite(want[:, COLUMN[Field.SUM_ABS]])  # then the sum depends on the order of its parts
    got[overflows, COLUMN[Field.SUM]] = want[overflows, COLUMN[Field.SUM]]
    np.testing.assert_allclose(got, want, rtol=1e-9)
    np.testing.assert_array_equal(there.digest, here.digest)


@pytest.mark.parametrize("dtype", sorted(KINDS, key=str), ids=str)
def test_statistics_are_those_of_the_processor(dtype: torch.dtype) -> None:
    tensors = [random_bytes(dtype, count + 1, count) for count in COUNTS]
    moved = [tensor[1:] for tensor in tensors] + [tensor[:-1] for tensor in tensors]  # words that are not aligned
    on_device = [tensor.cuda() for tensor in tensors]
    moved_on_device = [tensor[1:] for tensor in on_device] + [tensor[:-1] for tensor in on_device]
    there, here = summarized(*moved_on_device), summarized(*moved)
    check_equal(there, here)
    np.testing.assert_array_equal(there.values, summarized(*moved_on_device).values)


@pytest.mark.parametrize("dtype", FLOATS[:4], ids=str)
def test_updates_are_those_of_the_processor(dtype: torch.dtype) -> None:
    for count in COUNTS:
        before, now = random_bytes(dtype, count, 1), random_bytes(dtype, count, 2)
        rows: list[np.ndarray] = []
        for move in (Tensor.cpu, Tensor.cuda):
            vectors = StepVectors(0, Counter())
            tensor = move(now)
            vectors.add_update(vectors.row_of(tensor), tensor, move(before))
            rows.append(vectors.finish()().values[0, 14:])
        np.testing.assert_allclose(rows[1], rows[0], rtol=1e-6)


def test_tensors_of_other_streams_and_layouts() -> None:
    stream = torch.cuda.Stream()
    dense = torch.randn(300, 200)
    here = [dense * 2, dense.T, dense[:, ::2], torch.complex(dense, dense), dense.to(torch.float8_e4m3fn)]
    with torch.cuda.stream(stream):
        there = [each.cuda() for each in here]
        vectors = StepVectors(0, Counter())
        rows = [vectors.row_of(each) for each in there]
    rows.append(vectors.row_of(torch.ones(5, device="cuda")))
    assert rows == list(range(6))
    found = vectors.finish()()
    check_equal(found, summarized(*here, torch.ones(5)))


def step_of(network: nn.Module, seed: int = 0) -> Callable[[], Tensor]:
    torch.manual_seed(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, capturable=True)
    inputs, labels = torch.randn(16, 12, 32, device="cuda"), torch.randint(0, 5, (16,), device="cuda")

    def step() -> Tensor:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(network(inputs).mean(1), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step


def make_network() -> nn.Module:
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
    return nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(32, 5)).cuda()


def train(run: Path, level: str | None, steps: int = 4) -> list[float]:
    network = make_network()
    step, losses = step_of(network), list[Tensor]()
    debugger = Debugger(run, network, level=level) if level else None
    with debugger or nullcontext(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Synchronization debug mode is a prototype")
        try:
            for number in range(steps):
                torch.cuda.set_sync_debug_mode("error" if number > 1 else "default")  # at first, much is allocated
                losses.append(step())
                if debugger is not None:
                    debugger.step(losses[-1])
        finally:
            torch.cuda.set_sync_debug_mode("default")
    assert debugger is None or not debugger.not_recorded
    return [loss.item() for loss in losses]


def test_losses_are_equal_and_nothing_waits(tmp_path: Path) -> None:
    want = train(tmp_path, None)
    for level in ("module", "operator"):
        assert train(tmp_path / level, level) == want
        last = mindscope.open_run(tmp_path / level).debug.tensors(4).to_pandas()
        assert len(last) > 50
        assert last["nan"].sum() == 0


def test_a_captured_graph_is_not_recorded(tmp_path: Path) -> None:
    network = make_network().eval()
    step = step_of(network)
    for _ in range(2):
        step()
    with Debugger(tmp_path, network) as debugger:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()
        debugger.step()
        assert set(debugger.not_recorded) == {"tensor while a CUDA graph is captured"}
    graph.replay()
    first = loss.item()
    graph.replay()
    assert 0 < loss.item() < first


def test_a_parameter_that_data_changes_has_its_own_update(tmp_path: Path) -> None:
    trained, manual = nn.Linear(4, 4), nn.Linear(4, 4)
    network = nn.Sequential(trained, manual).cuda()
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1)
    with Debugger(tmp_path, network) as debugger:
        for _ in range(2):
            loss = network(torch.ones(2, 4, device="cuda")).sum()
            loss.backward()
            optimizer.step()
            for parameter in manual.parameters():
                parameter.data.sub_(0.1)
            debugger.step(loss)
    table = mindscope.open_run(tmp_path).debug.tensors(2).to_pandas()
    updates = table[(table.role == "parameter") & (table.operator == "1/Linear")]["mean_abs_update"]
    assert updates.tolist() == pytest.approx([0.1, 0.1], rel=1e-5)


def test_the_first_bad_number_of_a_device(tmp_path: Path) -> None:
    class Log(nn.Module):
        def forward(self, values: Tensor) -> Tensor:
            return torch.log(values)

    network = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), Log(), nn.Linear(8, 1)).cuda()
    inputs = torch.randn(64, 8, device="cuda")
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    with Debugger(tmp_path, network, level="operator") as debugger:
        for _ in range(2):
            loss = network(inputs).mean()
            loss.backward()
            optimizer.step()
            debugger.step(loss)
    bad = mindscope.open_run(tmp_path).debug.first_bad()
    assert bad is not None
    assert (bad.step, "log" in bad.operator) == (1, True)


def test_statistics_take_no_memory_to_speak_of() -> None:
    tensor = torch.randn(64, 1 << 20, device="cuda", dtype=torch.float16)
    summarized(tensor[0])  # compiles
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    summarized(tensor)
    assert torch.cuda.max_memory_allocated() - before < 1 << 20
