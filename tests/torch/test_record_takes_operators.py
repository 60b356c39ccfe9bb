# SPDX-License-Identifier: Apache-2.0
"""SummaryRecord in a loop of one's own: each ``record`` takes what summary operators were given."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.reading import Run

torch = pytest.importorskip("torch")
from mindscope.torch import ScalarSummary, SummaryCollector, SummaryRecord, TensorSummary  # noqa: E402
from mindscope.torch.summary import summary_buffer  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


class Net(torch.nn.Module):
    def __init__(self, reduce: Any = None) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)
        self.scalar, self.tensor = ScalarSummary(reduce), TensorSummary(reduce)

    def forward(self, x: Any) -> Any:
        self.scalar("sum", x.sum())
        self.tensor("x", x)
        return self.linear(x).mean()


def points(run: Run, tag: str) -> list[tuple[int, float]]:
    series = run.scalars(tag)
    return list(zip(series.step.tolist(), series.value.tolist(), strict=True))


@pytest.mark.parametrize("backend", [None, "eager"])
def test_each_record_takes_the_values_of_its_step(tmp_path: Path, backend: str | None) -> None:
    net = Net()
    called = net if backend is None else torch.compile(net, backend=backend, fullgraph=True)
    with SummaryRecord(tmp_path, network=net) as record:
        for step in (1, 2, 3):
            called(torch.full((1, 2), float(step)))
            record.add_value("scalar", "mine", float(step))
            record.record(step)
    run = mindscope.open_run(tmp_path)
    assert points(run, "sum") == [(1, 2.0), (2, 4.0), (3, 6.0)]
    assert points(run, "mine") == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert [entry.step for entry in run.tensors("x")] == [1, 2, 3]
    assert len(run.graphs()) == 1
    assert not summary_buffer.is_collecting()


@pytest.mark.parametrize(("reduce", "want"), [(None, 6.0), ("mean", 4.0)])
def test_gradient_accumulation_records_one_value_a_step(tmp_path: Path, reduce: Any, want: float) -> None:
    net = Net(reduce)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with SummaryRecord(tmp_path) as record:
        for step in (1, 2):
            for batch in (1.0, 2.0, 3.0):
                net(torch.full((1, 2), batch)).backward()
            optimizer.step()
            record.record(step)
    run = mindscope.open_run(tmp_path)
    assert points(run, "sum") == [(1, want), (2, want)]
    assert run.dropped == 0


def test_loop_that_records_each_third_step_is_quiet(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    net = Net()
    with SummaryRecord(tmp_path, network=net) as record:
        for step in range(1, 7):
            net(torch.full((1, 2), float(step)))
            if step % 3 == 0:
                record.record(step)
    run = mindscope.open_run(tmp_path)
    assert points(run, "sum") == [(3, 6.0), (6, 12.0)]
    assert run.dropped == 0
    assert caplog.text == ""
    assert "mindscope/dropped_reasons" not in run.tags("text")


def test_a_collector_in_a_loop_with_accumulation_and_evaluation_goes_on(tmp_path: Path) -> None:
    net = Net()
    with SummaryCollector(tmp_path, collect_freq=1, collect_specified_data={"collect_graph": False}) as collector:
        for _ in range(2):
            for batch in (1.0, 2.0):
                loss = net(torch.full((1, 2), batch))
            collector.step(loss, network=net)
            net(torch.full((1, 2), 100.0))  # an evaluation that nobody announced
    assert points(mindscope.open_run(tmp_path), "sum") == [(1, 4.0), (2, 4.0)]


def test_bad_values_of_operators_are_counted_by_the_recorder(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        ScalarSummary()("pair", torch.ones(2))
        ScalarSummary()("good", 1.0)
        record.record(1)
    run = mindscope.open_run(tmp_path)
    assert points(run, "good") == [(1, 1.0)]
    assert run.dropped == 1


def test_values_of_an_evaluation_are_not_recorded(tmp_path: Path) -> None:
    net = Net()
    with SummaryRecord(tmp_path) as record:
        net(torch.ones(1, 2))
        record.record(1)
        record.set_mode("eval")
        net(torch.zeros(1, 2))
        record.record(1)
        record.set_mode("train")
        net(torch.ones(1, 2))
        record.record(2)
    assert points(mindscope.open_run(tmp_path), "sum") == [(1, 2.0), (2, 2.0)]


def test_a_recorder_beside_a_collector_leaves_it_the_values(tmp_path: Path) -> None:
    net = Net()
    specified = {"collect_graph": False}
    with (
        SummaryRecord(tmp_path / "mine") as record,
        SummaryCollector(tmp_path / "all", collect_freq=1, collect_specified_data=specified) as collector,
    ):
        loss = net(torch.ones(1, 2))
        record.add_value("scalar", "mine", 1.0)
        record.record(1)
        collector.step(loss, network=net)
    assert points(mindscope.open_run(tmp_path / "all"), "sum") == [(1, 2.0)]
    assert mindscope.open_run(tmp_path / "mine").tags("scalar") == ("mine",)


def test_a_recorder_that_is_gone_keeps_no_values(tmp_path: Path) -> None:
    record = SummaryRecord(tmp_path)
    assert summary_buffer.is_collecting()
    del record
    assert not summary_buffer.is_collecting()


def test_a_script_that_dies_with_an_open_recorder_prints_its_error_only(tmp_path: Path) -> None:
    code = (
        "import sys, mindscope.torch\nrecord = mindscope.torch.SummaryRecord(sys.argv[1])\n"
        "record.add_value('scalar', 'a', 1.0)\nrecord.record(1)\nraise ValueError('boom')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1, done.stderr
    assert points(mindscope.open_run(tmp_path), "a") == [(1, 1.0)]


def test_a_tensor_beyond_the_limit_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    large = torch.zeros(1, dtype=torch.uint8).expand(3_500_000_000)
    sparse = torch.sparse_coo_tensor(
        torch.zeros(2, 1, dtype=torch.int64), torch.ones(1), (60_000, 60_000), check_invariants=True
    )
    tracemalloc.start()
    try:
        with SummaryRecord(tmp_path) as record:
            TensorSummary()("operator", large)
            record.add_value("tensor", "value", large)
            record.add_value("tensor", "sparse", sparse)
            record.record(1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    run = mindscope.open_run(tmp_path)
    assert run.dropped == 3
    assert not run.tags("tensor")
    assert peak < 64 << 20
