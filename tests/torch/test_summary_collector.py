# SPDX-License-Identifier: Apache-2.0
"""SummaryCollector in real trainings, read back from its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import SmallNet, batches, digits, make_model
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

import mindscope
from mindscope.torch import Callback, Metric, ModelCheckpoint, RunContext, SummaryCollector
from mindscope.torch.core.datasets import dataset_node, dataset_path, sample_count

pytestmark = pytest.mark.framework


def read(directory: Path) -> mindscope.Run:
    return mindscope.open_run(directory)


def collect(directory: Path, epochs: int = 2, count: int = 48, **options: Any) -> mindscope.Run:
    make_model().train(epochs, batches(count), callbacks=[SummaryCollector(directory, **options)])
    return read(directory)


def test_default_collects_loss_input_and_the_first_parameters(tmp_path: Path) -> None:
    run = collect(tmp_path, epochs=4)
    assert list(run.tags("scalar")) == ["loss/auto", "learning_rate/auto"]
    assert list(run.tags("image")) == ["input_data/auto"]
    assert set(run.tags("histogram")) == {f"{name}/auto" for name, _ in SmallNet().named_parameters()}
    assert list(run.scalars("loss/auto").step) == [1, 10]
    assert not run.damages


def test_no_step_is_recorded_twice(tmp_path: Path) -> None:
    run = collect(tmp_path, collect_freq=1)
    assert list(run.scalars("loss/auto").step) == [1, 2, 3, 4, 5, 6]


def test_chosen_parameters_and_nothing_else(tmp_path: Path) -> None:
    chosen = {"histogram_regular": "^conv1.*"}
    run = collect(tmp_path, collect_specified_data=chosen, keep_default_action=False)
    assert set(run.tags("histogram")) == {"conv1.weight/auto", "conv1.bias/auto"}
    assert not run.tags("scalar")
    assert not run.tags("image")
    assert not run.lineage


def test_sink_mode_collects_epochs(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_freq=2)
    make_model().train(4, batches(32), callbacks=collector, dataset_sink_mode=True)
    assert list(read(tmp_path).scalars("loss/auto").step) == [2, 4, 8]


def test_train_lineage_has_every_field(tmp_path: Path) -> None:
    custom = {"wide": 1 << 40, "numpy": np.float32(0.5), "note": "x"}
    collector = SummaryCollector(tmp_path / "run", custom_lineage_data=custom)
    saving = ModelCheckpoint("net", tmp_path / "ckpt")
    make_model(0.05).train(2, batches(40), callbacks=[saving, collector])
    lineage = read(tmp_path / "run").lineage
    train = lineage.train
    assert train is not None
    assert (train.optimizer, train.loss_function, train.network) == ("SGD", "CrossEntropyLoss", "SmallNet")
    assert (train.epoch, train.batch_size, train.dataset_size) == (2, 16, 40)
    assert (train.parallel_mode, train.device_num) == ("stand_alone", 1)
    assert train.learning_rate == 0.05
    assert train.loss is not None
    assert train.model_path == saving.latest_ckpt_file_name
    assert train.model_size == Path(saving.latest_ckpt_file_name).stat().st_size
    assert (lineage.custom["wide"], lineage.custom["numpy"], lineage.custom["note"]) == (1 << 40, 0.5, "x")
    assert {"env/command_line", "env/host", "env/parameter/seed", "env/torch"} <= set(lineage.custom)


def test_evaluation_records_metrics_of_any_numeric_type(tmp_path: Path) -> None:
    class Single(Metric):
        def clear(self) -> None: ...
        def update(self, *inputs: Any) -> None: ...
        def eval(self) -> Any:
            return np.float32(0.25)

    model = make_model(metrics={"accuracy": "accuracy", "recall": "recall", "loss": "loss", "single": Single()})
    model.eval(batches(32), callbacks=SummaryCollector(tmp_path))
    result = read(tmp_path).lineage.eval
    assert result is not None
    assert set(result.metric or {}) == {"accuracy", "recall", "loss", "single"}
    assert len((result.metric or {})["recall"]) == 10
    assert (result.metric or {})["single"] == 0.25
    assert result.dataset_size == 32


def test_fit_records_evaluations_as_lineage_and_as_curves(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_freq=2)
    make_model(metrics={"accuracy"}).fit(2, batches(48), batches(16), callbacks=[collector])
    run = read(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1, 2, 4, 6]
    assert list(run.scalars("eval_accuracy/auto").step) == [3, 6]
    assert list(run.scalars("eval_loss/auto").step) == [3, 6]
    assert run.lineage.eval is not None
    assert set(run.lineage.eval.metric or {}) == {"accuracy"}


def test_loss_among_the_metrics_is_one_curve(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(metrics={"accuracy": "accuracy", "loss": "loss"})
    model.fit(1, batches(32), batches(16), callbacks=[SummaryCollector(tmp_path)])
    run = read(tmp_path)
    assert len(run.scalars("eval_loss/auto").step) == 1
    assert run.lineage.eval is not None
    assert run.lineage.eval.metric is not None
    assert run.scalars("eval_loss/auto").value[0] == pytest.approx(run.lineage.eval.metric["loss"])
    assert not [each for each in caplog.records if each.name == "mindscope"]


def test_one_collector_a_list(tmp_path: Path) -> None:
    collectors = [SummaryCollector(tmp_path / name) for name in "ab"]
    with pytest.raises(ValueError, match="callbacks hold 2 SummaryCollectors, want one"):
        make_model().train(1, batches(16), callbacks=collectors)
    make_model().train(1, batches(16), callbacks=collectors[:1])
    assert list(read(tmp_path / "a").scalars("loss/auto").step) == [1]


def test_one_collector_serves_one_training_after_another(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path)
    model = make_model(metrics={"accuracy"})
    model.train(1, batches(32), callbacks=[collector])
    model.eval(batches(32), callbacks=[collector])
    run = read(tmp_path)
    assert run.lineage.train is not None
    assert run.lineage.eval is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_was_recorded_before_a_failure_is_readable(tmp_path: Path, error: type[BaseException]) -> None:
    class Fail(Callback):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 3:
                raise error("mine")

    with pytest.raises(error, match="mine"):
        make_model().train(1, batches(64), callbacks=[SummaryCollector(tmp_path, collect_freq=1), Fail()])
    run = read(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1, 2, 3]
    assert run.lineage.train is not None


def test_loop_of_the_users_own(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network, loss_fn = SmallNet(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    loader = batches(48)
    with SummaryCollector(tmp_path, collect_freq=2) as collector:
        for epoch in (1, 2):
            for images, labels in loader:
                loss = loss_fn(network(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                collector.step(
                    loss, network=network, optimizer=optimizer, loss_fn=loss_fn, input_data=images,
                    train_dataset=loader, epoch=epoch,
                )  # fmt: skip
    run = read(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1, 2, 4, 6]
    assert list(run.tags("image")) == ["input_data/auto"]
    assert len(run.tags("histogram")) == 4
    train = run.lineage.train
    assert train is not None
    assert (train.optimizer, train.network, train.epoch, train.batch_size) == ("Adam", "SmallNet", 2, 16)


def test_step_outside_of_with_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="collector is not entered"):
        SummaryCollector(tmp_path).step(0.5)


def test_data_without_pictures_is_trained_all_the_same(tmp_path: Path) -> None:
    network = nn.Linear(3, 1)
    data = [(torch.rand(4, 3), torch.rand(4, 1)) for _ in range(3)]
    model = mindscope_model(network)
    model.train(1, data, callbacks=[SummaryCollector(tmp_path, collect_freq=1)])
    run = read(tmp_path)
    assert not run.tags("image")
    assert list(run.scalars("loss/auto").step) == [1, 2, 3]


def mindscope_model(network: nn.Module) -> Any:
    from mindscope.torch import Model

    return Model(network, nn.MSELoss(), torch.optim.SGD(network.parameters(), lr=0.1))


class Pictures(Dataset[Any]):
    """As torchvision's data sets: a root and a transform."""

    def __init__(self, root: str, transform: Any = None) -> None:
        self.root, self.transform = root, transform

    def __len__(self) -> int:
        return 20

    def __getitem__(self, place: int) -> Any:
        return self.transform(torch.full((1, 2, 2), float(place))), place % 2


class Scale(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, image: Any) -> Any:
        return image * self.factor


class Compose:
    """As torchvision's."""

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = transforms

    def __call__(self, image: Any) -> Any:
        for each in self.transforms:
            image = each(image)
        return image


def shift(image: Any) -> Any:
    return image + 1


def test_pipeline_of_a_loader_is_told_from_batch_to_source(tmp_path: Path) -> None:
    source = Pictures(str(tmp_path), Compose([Scale(0.5), nn.Sequential(Scale(2.0), nn.Flatten(0, 1)), shift]))
    loader = DataLoader(torch.utils.data.Subset(source, range(10)), batch_size=4, shuffle=True, drop_last=True)
    batch = dataset_node(loader)
    (subset,) = batch.children
    (mapped,) = subset.children
    (pictures,) = mapped.children
    assert [node.op_type for node in batch.walk()] == ["Batch", "Subset", "Map", "Pictures"]
    assert batch.parameters["batch_size"] == 4
    assert batch.parameters["drop_remainder"] is True
    assert batch.parameters["collate_fn"] == "default_collate"
    assert subset.sampler is not None
    assert (subset.sampler.name, subset.sampler.parameters["replacement"]) == ("RandomSampler", False)
    assert [each.name for each in mapped.operations] == ["Scale", "Scale", "Flatten", "shift"]
    assert [dict(each.parameters) for each in mapped.operations[:2]] == [{"factor": 0.5}, {"factor": 2.0}]
    assert pictures.parameters["root"] == str(tmp_path)
    assert dataset_path(loader) == str(tmp_path)
    assert sample_count(loader, None) == 8
    weighted = DataLoader(source, batch_size=4, sampler=WeightedRandomSampler([0.5] * 20, 12))
    assert sample_count(weighted, None) == 12


def test_pipeline_is_in_the_lineage_file(tmp_path: Path) -> None:
    loader = DataLoader(digits(32), batch_size=8)
    make_model().train(1, loader, callbacks=[SummaryCollector(tmp_path)])
    graph = read(tmp_path).dataset_graph
    assert graph is not None
    batch, source = graph.walk()
    assert [batch.op_type, source.op_type] == ["Batch", "TensorDataset"]
    assert source.parameters["tensors"] == ["float32 (32, 1, 8, 8), 8192 bytes", "int64 (32,), 256 bytes"]


class Spanned(Callback):
    """Calls a collector at the end of each step, inside a span that a profiler sees."""

    def __init__(self, collector: SummaryCollector) -> None:
        self._collector = collector

    def __enter__(self) -> Callback:
        self._collector.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._collector.__exit__(*error)

    def begin(self, run_context: RunContext) -> None:
        self._collector.begin(run_context)

    def step_end(self, run_context: RunContext) -> None:
        with torch.profiler.record_function("collecting"):
            self._collector.step_end(run_context)


WAITS = ("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy")


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore")  # those of the profiler
def test_collecting_waits_for_no_device(tmp_path: Path) -> None:
    model = make_model(device="cuda")
    data = [tuple(column.cuda() for column in batch) for batch in batches(64)] * 3
    data_to_collect = {
        "collect_graph": False,
        "collect_train_lineage": False,
    }  # lineage reads the loss now and then
    collector = SummaryCollector(tmp_path / "run", collect_freq=1, collect_specified_data=data_to_collect)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profiler:
        model.train(1, data, callbacks=[Spanned(collector)])
    profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]
    spans = [each for each in events if each.get("name") == "collecting" and each.get("cat") == "user_annotation"]
    # the first one allocates pinned memory, which the device has to know of
    later = sorted(spans, key=lambda each: each["ts"])[1:]
    waits = [
        each
        for each in events
        if each.get("name") in WAITS
        for span in later
        if each["tid"] == span["tid"] and span["ts"] <= each["ts"] <= span["ts"] + span["dur"]
    ]
    assert len(later) == 11
    assert waits == []
    assert any(each.get("name") == "cudaMemcpyAsync" for each in events)
    run = read(tmp_path / "run")
    steps = list(range(1, 13))
    assert list(run.scalars("loss/auto").step) == steps
    assert list(run.histograms("fc1.weight/auto").step) == list(run.images("input_data/auto").step) == steps


@pytest.mark.gpu
def test_values_of_a_gpu_are_those_of_their_step(tmp_path: Path) -> None:
    """Parameters are changed in place while their copies are on the way."""
    network = nn.Linear(1000, 1000, device="cuda")
    with SummaryCollector(tmp_path, collect_freq=1) as collector:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        for step in range(1, 21):
            with torch.no_grad():
                for each in network.parameters():
                    each.fill_(step)
            collector.step(torch.tensor(float(step), device="cuda"), network=network, optimizer=optimizer)
    run = read(tmp_path)
    assert list(run.scalars("loss/auto").value) == list(range(1, 21))
    for tag in ("weight/auto", "bias/auto"):
        got = [(each.value.minimum, each.value.maximum) for each in run.histograms(tag)]
        assert got == [(step, step) for step in range(1, 21)]


def test_values_of_the_cpu_are_those_of_their_step(tmp_path: Path) -> None:
    network = nn.Linear(400, 200)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    picture = torch.zeros(20, 1, 40, 40)
    with SummaryCollector(tmp_path, collect_freq=1) as collector:
        for step in range(1, 21):
            with torch.no_grad():
                picture.fill_(step / 20)
                for each in network.parameters():
                    each.fill_(step)
            loss = torch.full((), float(step))
            collector.step(loss, network=network, optimizer=optimizer, input_data=picture)
            loss.zero_()
    run = read(tmp_path)
    assert list(run.scalars("loss/auto").value) == list(range(1, 21))
    assert [each.value.maximum for each in run.histograms("weight/auto")] == list(range(1, 21))
    assert [each.value[0].pixels().max() for each in run.images("input_data/auto")] == [
        round(255 * step / 20) for step in range(1, 21)
    ]


def test_the_first_pictures_of_a_batch_are_collected(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path) as collector:
        collector.step(0.5, input_data=torch.arange(20.0).reshape(20, 1, 1, 1).expand(20, 1, 3, 5) / 20)
    pixels = read(tmp_path).images("input_data/auto")[0].value[0].pixels()
    assert pixels.shape[:2] == (3, 8 * 5)
    assert pixels.reshape(3, 8, 5).max(axis=(0, 2)).tolist() == [round(255 * place / 20) for place in range(8)]


def test_parameters_that_are_trained_later_are_collected_then(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    network[0].requires_grad_(False)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    with SummaryCollector(tmp_path, collect_freq=1) as collector:
        for step in (1, 2, 3):
            if step == 2:
                network[0].requires_grad_(True)
            if step == 3:
                optimizer.add_param_group({"params": [nn.Parameter(torch.ones(3))]})
            collector.step(0.5, network=network, optimizer=optimizer)
    run = read(tmp_path)
    steps = {tag: list(run.histograms(tag).step) for tag in run.tags("histogram")}
    assert steps["1.weight/auto"] == [1, 2, 3]
    assert steps["0.weight/auto"] == [2, 3]
    assert len(steps) == 5
