# SPDX-License-Identifier: Apache-2.0
"""Trainings that fail, are stopped, or may not write: the user sees the training's own error, and what was recorded."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from torch import nn

import mindscope
from mindscope.torch import Callback, LossMonitor, Model, RunContext, SummaryCollector

pytestmark = pytest.mark.framework


def recorded_steps(directory: Path) -> list[int]:
    """Steps with a loss, of a log without damage and with everything else that belongs to a step."""
    run = mindscope.open_run(directory)
    assert not run.damages
    steps = list(run.scalars("loss/auto").step)
    assert [list(run.images(tag).step) for tag in run.tags("image")] == [steps]
    assert all(list(run.histograms(tag).step) == steps for tag in run.tags("histogram"))
    return steps


class FailAt(Callback):
    """Raises at a turn, at the third step where it is one of a step."""

    def __init__(self, turn: str) -> None:
        self._turn = turn

    def _fail(self, turn: str, run_context: RunContext) -> None:
        if turn == self._turn and run_context.original_args().cur_step_num >= 3:
            raise RuntimeError(f"mine in {turn}")

    def step_begin(self, run_context: RunContext) -> None:
        self._fail("step_begin", run_context)

    def step_end(self, run_context: RunContext) -> None:
        self._fail("step_end", run_context)

    def epoch_end(self, run_context: RunContext) -> None:
        self._fail("epoch_end", run_context)

    def end(self, run_context: RunContext) -> None:
        self._fail("end", run_context)


@pytest.mark.parametrize(
    ("turn", "want"), [("step_begin", [1, 2]), ("step_end", [1, 2]), ("epoch_end", [1, 2, 3, 4]), ("end", [1, 2, 3, 4])]
)
def test_a_callback_that_raises(tmp_path: Path, turn: str, want: list[int]) -> None:
    with pytest.raises(RuntimeError, match=f"mine in {turn}"):
        make_model().train(1, batches(64), callbacks=[FailAt(turn), SummaryCollector(tmp_path, collect_freq=1)])
    assert recorded_steps(tmp_path) == want


class Diverging(SmallNet):
    """Whose weights are NaN from the third step on."""

    calls = 0

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return super().forward(images) * (math.nan if self.calls > 2 else 1.0)


def diverging_model() -> Model:
    torch.manual_seed(0)
    network = Diverging()
    return Model(network, nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.1))


def test_a_loss_that_is_not_a_number_is_recorded(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_freq=1)
    diverging_model().train(1, batches(64), callbacks=[collector])
    assert recorded_steps(tmp_path) == [1, 2, 3, 4]
    run = mindscope.open_run(tmp_path)
    assert [math.isnan(value) for value in run.scalars("loss/auto").value] == [False, False, True, True]
    last = run.histograms("fc1.weight/auto")[-1].value
    assert (last.nan_count, last.count.sum()) == (720, 0)
    assert run.lineage.train is not None


def test_a_loss_that_is_not_a_number_ends_the_training_where_it_is_watched(tmp_path: Path) -> None:
    specified = {"collect_graph": False}
    collector = SummaryCollector(tmp_path, collect_freq=1, collect_specified_data=specified)
    with pytest.raises(ValueError, match=r"(?i)nan"):
        diverging_model().train(1, batches(64), callbacks=[collector, LossMonitor()])
    assert recorded_steps(tmp_path) == [1, 2, 3]


class Broken(SmallNet):
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        if float(images[0, 0, 0, 0]) < 0:
            raise ArithmeticError("mine in forward")
        return super().forward(images)


def test_an_exception_in_the_middle_of_a_step(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = Broken()
    model = Model(network, nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.1))
    data = [*batches(48)]
    data[2][0][:] = -1
    with pytest.raises(ArithmeticError, match="mine in forward"):
        model.train(1, data, callbacks=[SummaryCollector(tmp_path, collect_freq=1)])
    assert recorded_steps(tmp_path) == [1, 2]


def test_an_exception_in_the_data(tmp_path: Path) -> None:
    def data() -> Iterator[Any]:
        yield from batches(32)
        raise OSError("mine in the data")

    with pytest.raises(OSError, match="mine in the data"):
        make_model().train(1, data(), callbacks=[SummaryCollector(tmp_path, collect_freq=1)])
    assert recorded_steps(tmp_path) == [1, 2]


INTERRUPTED = """
import os, signal, sys
from digits import batches, make_model
from mindscope.torch import Callback, SummaryCollector

class PressKeys(Callback):
    def step_begin(self, run_context):
        if run_context.original_args().cur_step_num == 4:
            os.kill(os.getpid(), signal.SIGINT)

collectors = [SummaryCollector(directory, collect_freq=1) for directory in sys.argv[1:]]
make_model().train(2, batches(48), callbacks=[*collectors, PressKeys()])
print("trained to the end")
"""


def test_keys_that_interrupt(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    plain, done = (
        subprocess.run(
            [sys.executable, "-c", INTERRUPTED, *directories],
            capture_output=True, text=True, timeout=200, check=False, env=environment,
        )
        for directories in ([], [str(tmp_path)])
    )  # fmt: skip
    # torch imports tabulate at the end, where it is installed, and the exit code is 1 then instead of the signal
    assert plain.returncode in (-signal.SIGINT, 1)
    assert done.returncode == plain.returncode
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
    assert recorded_steps(tmp_path) == [1, 2, 3]


@pytest.fixture(params=["without the permission", "of the kernel"])
def refusing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A directory in which no file can be made."""
    if request.param == "of the kernel":  # it refuses root too
        yield Path("/proc/self/task")
        return
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    directory = tmp_path / "run"
    directory.mkdir(mode=0o555)
    yield directory
    directory.chmod(0o755)


def test_a_directory_that_can_not_be_written_does_not_end_the_training(
    refusing: Path, caplog: pytest.LogCaptureFixture
) -> None:
    network = SmallNet()
    before = network.fc1.weight.detach().clone()
    model = Model(network, nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.1))
    landscape = {"collect_landscape": {"unit": "step", "intervals": [[1, 2, 3]]}}
    collector = SummaryCollector(refusing, collect_freq=1, collect_specified_data=landscape)
    model.train(1, batches(64), callbacks=[collector])
    assert not torch.equal(before, network.fc1.weight)
    assert any(each.levelname == "WARNING" for each in caplog.records)


def test_the_error_of_a_training_is_seen_and_not_that_of_its_directory(refusing: Path) -> None:
    with pytest.raises(RuntimeError, match="mine in step_end"):
        make_model().train(1, batches(64), callbacks=[SummaryCollector(refusing, collect_freq=1), FailAt("step_end")])


@pytest.mark.parametrize("place", ["/proc/self/nothing", "file/inside"])
def test_a_directory_that_can_not_be_made_is_an_error_before_the_training(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"nothing|file"):
        make_model().train(1, batches(16), callbacks=[SummaryCollector(tmp_path / place)])
