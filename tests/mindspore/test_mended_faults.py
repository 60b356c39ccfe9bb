# SPDX-License-Identifier: Apache-2.0
"""What is wrong with MindSpore's own recording, one test each that shows it gone."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import mindscope

mindspore: Any = pytest.importorskip("mindspore")

import trainings  # noqa: E402
from mindspore import Tensor, nn, ops  # noqa: E402
from mindspore.dataset import GeneratorDataset  # noqa: E402
from mindspore.train import Accuracy, Loss, Model, Recall  # noqa: E402
from trainings import Perceptron, digits, loss_function  # noqa: E402

from mindscope.mindspore import ArrayRows, SummaryCollector, SummaryLandscape, SummaryRecord  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.timeout(900)]
WITHOUT_LANDSCAPE = {"collect_landscape": None}


@pytest.fixture(autouse=True)
def the_same_numbers() -> None:
    trainings.begin()


def model_of(network: nn.Cell, **metrics: Any) -> Model:
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    return Model(network, loss_function(), optimizer, metrics=metrics or {"Accuracy": Accuracy()})


def train(directory: Path, steps: int = 4, **given: Any) -> Model:
    model = model_of(Perceptron())
    given.setdefault("collect_specified_data", WITHOUT_LANDSCAPE)
    model.train(1, digits(32 * steps, 32), callbacks=[SummaryCollector(str(directory), **given)])
    return model


def test_1_bad_value_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    bad = [
        ("histogram", Tensor(np.array([1 + 2j], np.complex64))), ("scalar", Tensor(np.array(1j, np.complex64))),
        ("scalar", Tensor([1.0, 2.0])), ("image", Tensor(np.zeros((1, 5, 4, 7), np.float32))),
    ]  # fmt: skip
    odd = [
        ("histogram", "bools", Tensor(np.array([True, False]))), ("tensor", "complex", Tensor(np.array([1 + 2j]))),
        ("histogram", "zeros", Tensor(np.zeros(4, np.uint8))),
        ("histogram", "bfloat16", Tensor(np.ones(3, np.float32)).astype(mindspore.bfloat16)),
    ]  # fmt: skip
    with SummaryRecord(str(tmp_path)) as record:
        for step in range(1, 400):
            record.add_value("scalar", "fine", Tensor(float(step)))
            for plugin, value in bad if step == 3 else ():
                record.add_value(plugin, "bad", value)
            for plugin, tag, value in odd if step == 5 else ():
                record.add_value(plugin, tag, value)
            assert record.record(step)
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("fine").step) == list(range(1, 400))
    assert run.scalars("mindscope/dropped").value[-1] == len(bad)
    assert set(run.tags("histogram")) == {"bools", "zeros", "bfloat16"}
    assert set(run.tags("tensor")) == {"complex/real", "complex/imag"}


def processor_ticks(thread: threading.Thread) -> int:
    """What a thread used of a processor, in hundredths of a second."""
    fields = Path(f"/proc/self/task/{thread.native_id}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_2_waiting_takes_no_processor_and_no_process(tmp_path: Path) -> None:
    children = set(psutil.Process().children(recursive=True))
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "a", Tensor(1.0))
        record.record(1)
        record.flush()
        assert set(psutil.Process().children(recursive=True)) == children
        own = [each for each in threading.enumerate() if each.name.startswith("mindscope-")]
        assert own
        before = sum(map(processor_ticks, own))
        started = time.process_time()
        while time.process_time() - started < 0.5:  # the training, for half a second of a processor
            np.linalg.norm(np.ones(1000))
        assert sum(map(processor_ticks, own)) - before <= 5


def test_3_files_of_one_second_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for number in range(3):
        with SummaryRecord(str(tmp_path)) as record:
            record.add_value("scalar", f"tag{number}", Tensor(1.0))
            record.record(1)
    assert len(mindscope.open_run(tmp_path).tags("scalar")) == 3
    model = model_of(Perceptron())
    collector = SummaryCollector(str(tmp_path / "b"), collect_specified_data=WITHOUT_LANDSCAPE)
    model.train(1, digits(32, 32), callbacks=[collector])
    model.eval(digits(32, 32), callbacks=[collector])
    lineage = mindscope.open_run(tmp_path / "b").lineage
    assert lineage.train is not None
    assert lineage.eval is not None


def test_4_files_roll_over_at_their_size(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path), max_file_size=1 << 16) as record:
        for step in range(300):
            record.add_value("scalar", "a", Tensor(float(step)))
            record.add_value("tensor", "t", np.zeros(200, np.float32))
            record.record(step)
    files = list(tmp_path.glob("*_MS"))
    assert len(files) > 2
    assert all(file.stat().st_size <= 1 << 16 for file in files)
    assert list(mindscope.open_run(tmp_path).scalars("a").value) == list(range(300))


def test_5_num_process_is_heeded(tmp_path: Path) -> None:
    def encoders() -> int:
        return sum(each.name.startswith("mindscope-encode") for each in threading.enumerate())

    children = set(psutil.Process().children(recursive=True))
    with SummaryCollector(str(tmp_path), num_process=1) as collector:
        for step in range(20):
            for number in range(8):
                collector.record.add_value("histogram", f"h{number}", Tensor(np.ones((100, 100), np.float32)))
            collector.record.record(step)
        assert encoders() <= 1
        assert set(psutil.Process().children(recursive=True)) == children


def failing_model() -> Any:
    raise ArithmeticError("the user's own mistake")


def kept_weights(directory: Path, **settings: Any) -> None:
    landscape = {"landscape_size": 3, "intervals": [[1, 2, 3, 4]]} | settings
    train(directory, collect_specified_data={"collect_landscape": landscape})


def evaluated_model() -> Any:
    network = Perceptron()
    return Model(network, loss_function(), metrics={"Loss": Loss()}), network, digits(64, 32), {"Loss": Loss()}


def test_6_landscapes_are_drawn_with_numpy_2_and_failures_leave_nothing_open(tmp_path: Path) -> None:
    kept_weights(tmp_path)
    with pytest.raises(ArithmeticError):
        SummaryLandscape(str(tmp_path)).gen_landscapes_with_multi_process(failing_model)
    SummaryLandscape(str(tmp_path)).gen_landscapes_with_multi_process(evaluated_model)
    assert set(mindscope.open_run(tmp_path).landscapes()) == {"landscape_[1, 4]", "landscape_[4]"}


class PlainRows:
    def __len__(self) -> int:
        return 64

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return np.full(64, place / 64, np.float32), np.int32(place % 10)


@pytest.mark.parametrize("source", [PlainRows(), (np.ones((64, 64), np.float32), np.arange(64, dtype=np.int32) % 10)])
def test_7_numbers_are_columns_with_numpy_2(tmp_path: Path, source: Any) -> None:
    data = GeneratorDataset(ArrayRows(source), ["data", "label"], shuffle=False).batch(32)
    collector = SummaryCollector(str(tmp_path), collect_specified_data=WITHOUT_LANDSCAPE)
    model_of(Perceptron()).train(1, data, callbacks=[collector])
    lineage = mindscope.open_run(tmp_path).lineage.train
    assert lineage is not None
    assert lineage.dataset_size == 64


def test_8_numpy_metrics_are_kept(tmp_path: Path) -> None:
    model = model_of(Perceptron(), Accuracy=Accuracy(), Loss=Loss(), Recall=Recall())
    metrics = model.eval(digits(64, 32), callbacks=[SummaryCollector(str(tmp_path))])
    lineage = mindscope.open_run(tmp_path).lineage.eval
    assert lineage is not None
    assert lineage.metric == {
        "Accuracy": metrics["Accuracy"], "Loss": float(metrics["Loss"]), "Recall": metrics["Recall"].tolist()
    }  # fmt: skip


def test_9_two_collectors_are_refused_and_the_process_goes_on_recording(tmp_path: Path) -> None:
    two = [SummaryCollector(str(tmp_path / "a")), SummaryCollector(str(tmp_path / "b"))]
    with pytest.raises(ValueError, match="2 SummaryCollectors, want one"):
        model_of(Perceptron()).train(1, digits(32, 32), callbacks=two)
    record = SummaryRecord(str(tmp_path / "c"))
    with SummaryRecord(str(tmp_path / "d")) as beside:
        beside.add_value("scalar", "a", Tensor(1.0))
        beside.record(1)
    record.add_value("scalar", "a", Tensor(1.0))
    record.record(1)
    record.close()
    record.close()
    assert len(mindscope.open_runs(tmp_path)) == 2


def test_10_documented_defaults_of_landscapes_work(tmp_path: Path) -> None:
    train(tmp_path, collect_specified_data={"collect_landscape": {"landscape_size": 3}})
    assert len(list((tmp_path / "ckpt_dir").glob("*.ckpt"))) == 4
    with pytest.raises(ValueError, match=re.escape("'landscape_size'] is 257, want a whole number from 3 to 256")):
        SummaryCollector(str(tmp_path), collect_specified_data={"collect_landscape": {"landscape_size": 257}})
    landscapes = SummaryLandscape(str(tmp_path))
    landscapes.gen_landscapes_with_multi_process(evaluated_model)  # what was kept: the training had four steps
    assert set(mindscope.open_run(tmp_path).landscapes()) == {"landscape_[1, 4]", "landscape_[4]"}
    with pytest.raises(ValueError, match=re.escape("intervals hold [5, 6], of which there is no checkpoint")):
        landscapes.gen_landscapes_with_multi_process(evaluated_model, {"intervals": [[3, 4, 5, 6]]})
    settings = {"intervals": [[1, 2, 3]], "create_landscape": {"result": False}}
    landscapes.gen_landscapes_with_multi_process(evaluated_model, settings)
    assert set(mindscope.open_run(tmp_path).landscapes()) == {"landscape_[1, 4]", "landscape_[4]", "landscape_[1, 3]"}


class Branching(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(64, 10)

    def construct(self, x: Any) -> Any:
        x = self.fc(x)
        if x.sum() > 0:  # noqa: SIM108
            x = x + 1
        else:
            x = x * 2
        return x


def test_11_every_node_of_a_graph_with_control_flow_has_a_name_and_a_type(tmp_path: Path) -> None:
    network = Branching()
    with SummaryRecord(str(tmp_path), network=network) as record:
        network(Tensor(np.ones((2, 64), np.float32)))
        record.record(1)
    (graph,) = mindscope.open_run(tmp_path).graphs().values()
    names = [node.name for node in graph.operations]
    assert len(set(names)) == len(names)
    assert all(node.op_type and node.scope for node in graph.operations)
    calls = [node.name for node in graph.operations if node.op_type == "FuncGraph"]
    used = {each.node.name for node in graph.operations for each in node.inputs} | {
        output.name for output in graph.outputs
    }
    assert calls
    assert set(calls) <= used


class WrongRanks(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(64, 10)
        self.scalar, self.image = ops.ScalarSummary(), ops.ImageSummary()

    def construct(self, x: Any) -> Any:
        x = self.fc(x)
        self.scalar("whole row", x[0])
        self.image("no picture", x)
        return x


def test_12_operators_with_wrong_ranks_are_counted_and_stop_nothing(tmp_path: Path) -> None:
    trainings.begin(mindspore.PYNATIVE_MODE)
    collector = SummaryCollector(str(tmp_path), collect_freq=1, collect_specified_data=WITHOUT_LANDSCAPE)
    model_of(WrongRanks()).train(1, digits(64, 32), callbacks=[collector])
    with SummaryRecord(str(tmp_path / "b"), raise_exception=True) as record, pytest.raises(ValueError, match="scalar"):
        record.add_value("scalar", "row", Tensor([1.0, 2.0]))
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1, 2]
    assert run.scalars("mindscope/dropped").value[-1] >= 2


@pytest.fixture
def deprecations(capfd: pytest.CaptureFixture[str]) -> Callable[[], int]:
    """Counts what MindSpore says of deprecations since the last call; it says it to the file descriptors."""

    def count() -> int:
        out, error = capfd.readouterr()
        return len(re.findall("deprecat|may not be supported", out + error, re.IGNORECASE))

    return count


def test_13_the_collector_asks_for_nothing_deprecated(tmp_path: Path, deprecations: Callable[[], int]) -> None:
    class Renamed(SummaryCollector):
        """MindSpore checks the methods of callbacks that it doesn't know by name."""

    deprecations()
    model_of(Perceptron()).train(1, digits(64, 32))
    before = deprecations()
    collector = Renamed(str(tmp_path), collect_freq=1)
    model_of(Perceptron()).fit(2, digits(64, 32), digits(32, 32), callbacks=[collector])
    assert deprecations() <= before
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("eval_Accuracy/auto").step) == [2, 4]
    assert list(run.scalars("loss/auto").step) == [1, 2, 3, 4]
