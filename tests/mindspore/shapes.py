# SPDX-License-Identifier: Apache-2.0
"""Scripts of the kinds that people have, each run with MindSpore's own classes and with ours.

``python shapes.py own|ours DIRECTORY`` runs them all.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Accuracy, CheckpointConfig, Loss, Model, ModelCheckpoint, Recall
from trainings import (
    Convolutions,
    Perceptron,
    begin,
    digits,
    loss_function,
    mnist,
    write_mnist,
)


def next_second() -> None:
    """MindSpore's own files of one second overwrite each other."""
    second = int(time.time())
    while int(time.time()) == second:
        time.sleep(0.01)


def specified(classes: Any, directory: Path) -> None:
    network = Convolutions()
    optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
    model = Model(network, loss_function(), optimizer, metrics={"Accuracy": Accuracy()})
    wanted = {
        "collect_metric": True, "histogram_regular": "^conv1.*|^conv2.*", "collect_graph": True,
        "collect_dataset_graph": True,
    }  # fmt: skip
    collector = classes.SummaryCollector(
        summary_dir=str(directory), collect_specified_data=wanted, collect_freq=1, collect_tensor_freq=200,
        keep_default_action=False, custom_lineage_data={"version": "v1", "id": 42, "p": 0.25, "less": -7, "名": "值"},
    )  # fmt: skip
    data = write_mnist(directory.parent / "mnist")
    model.train(2, mnist(data / "train", 96), callbacks=[collector], dataset_sink_mode=False)
    next_second()
    model.eval(mnist(data / "test"), callbacks=[collector], dataset_sink_mode=False)


def default(classes: Any, directory: Path) -> None:
    network = Convolutions()
    optimizer = nn.Adam(network.trainable_params(), 0.002)
    model = Model(network, loss_function(), optimizer, metrics={"Accuracy": Accuracy()})
    data = write_mnist(directory.parent / "mnist")
    collector = classes.SummaryCollector(str(directory))
    model.train(1, mnist(data / "train", 384), callbacks=[collector], dataset_sink_mode=False)
    next_second()
    model.eval(mnist(data / "test"), callbacks=[collector])


class Recorded(nn.Cell):
    """The loss with operators of every kind."""

    def __init__(self, network: nn.Cell) -> None:
        super().__init__()
        self.net, self.loss = network, loss_function()
        self.scalar, self.image = ops.ScalarSummary(), ops.ImageSummary()
        self.tensor, self.histogram = ops.TensorSummary(), ops.HistogramSummary()

    def construct(self, x: Any, y: Any) -> Any:
        logits = self.net(x)
        loss = self.loss(logits, y)
        self.scalar("my_loss", loss)
        self.scalar("group/max_logit", logits.max())
        self.image("input_image", x)
        self.tensor("logits", logits)
        self.histogram("logits_hist", logits)
        self.histogram("fc1.weight", self.net.fc1.weight)
        self.tensor("fc3.bias", self.net.fc3.bias)
        return loss


class RecordedMomentum(nn.Momentum):
    """An optimizer that records gradients."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._original_construct = super().construct
        self.histogram_summary = ops.HistogramSummary()
        self.gradient_names = [parameter.name + ".gradient" for parameter in self.parameters]

    def construct(self, gradients: Any) -> Any:
        for place in range(len(self.gradient_names)):
            self.histogram_summary(self.gradient_names[place], gradients[place])
        return self._original_construct(gradients)


def operators(classes: Any, directory: Path, sink: bool = False) -> None:
    network = Recorded(Convolutions())
    optimizer = RecordedMomentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, loss_fn=None, optimizer=optimizer)
    collector = classes.SummaryCollector(
        str(directory), collect_freq=2, collect_specified_data={"collect_landscape": None},
        export_options={"tensor_format": "npy"},
    )  # fmt: skip
    data = write_mnist(directory.parent / "mnist")
    model.train(3, mnist(data / "train", 256), callbacks=[collector], dataset_sink_mode=sink)


def sunk(classes: Any, directory: Path) -> None:
    operators(classes, directory, sink=True)


def pynative(classes: Any, directory: Path) -> None:
    begin(mindspore.PYNATIVE_MODE)
    network = Recorded(Convolutions())
    model = Model(network, loss_fn=None, optimizer=nn.SGD(network.trainable_params(), 0.01))
    collector = classes.SummaryCollector(
        str(directory), collect_freq=3, collect_specified_data={"collect_landscape": None}
    )
    data = write_mnist(directory.parent / "mnist")
    model.train(2, mnist(data / "train", 64), callbacks=[collector], dataset_sink_mode=False)
    begin()


def fitted(classes: Any, directory: Path) -> None:
    network = Perceptron()
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    model = Model(network, loss_function(), optimizer, metrics={"Accuracy": Accuracy()})
    collector = classes.SummaryCollector(
        str(directory), collect_freq=3, collect_specified_data={"collect_landscape": None}
    )
    model.fit(2, digits(128, 32), digits(64, 32), callbacks=[collector], dataset_sink_mode=False)


def loop(classes: Any, directory: Path) -> None:
    """A loop of one's own, with values of every kind and dtype."""
    network = Perceptron(32)
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    training = nn.TrainOneStepCell(nn.WithLossCell(network, loss_function()), optimizer).set_train()
    rng = np.random.RandomState(0)
    step = 0
    with classes.SummaryRecord(log_dir=str(directory), network=training) as record:
        for epoch in range(3):
            for x, y in digits(256, 32).create_tuple_iterator():
                step += 1
                record.add_value("scalar", "train/loss", training(x, y))
                record.add_value("scalar", "train/epoch", Tensor(epoch, mindspore.int32))
                record.add_value("scalar", "f64", Tensor(np.float64(1.0) / 3 * step))
                record.add_value("scalar", "big_int", Tensor(2**31 + step, mindspore.int64))
                record.add_value("scalar", "shape1", Tensor(np.array([step], np.float32)))
                if step % 8 == 0:
                    _add_others(record, network, x, rng)
                if step == 20:
                    record.add_value("scalar", "dup", Tensor(1.0))
                    record.add_value("scalar", "dup", Tensor(2.0))
                record.record(step)
        for odd in (48, 30, 0, 2**40, -1):
            record.add_value("scalar", "odd_steps", Tensor(float(odd % 100)))
            record.record(odd)
        record.set_mode("eval")
        record.add_value("scalar", "eval_acc", Tensor(0.5))
        record.record(48)


def _add_others(record: Any, network: Any, x: Any, rng: Any) -> None:
    record.add_value("histogram", "fc1.weight", network.fc1.weight)
    record.add_value("histogram", "int_hist", Tensor(rng.randint(-5, 50, size=(40,)).astype(np.int32)))
    record.add_value("histogram", "const_hist", Tensor(np.full((3, 4), 2.5, np.float32)))
    record.add_value("histogram", "one_elem", Tensor(np.array([7.0], np.float16)))
    record.add_value("image", "input", Tensor(x.asnumpy()[:10].reshape(-1, 1, 8, 8)))
    record.add_value("image", "rgb_uint8", Tensor(rng.randint(0, 256, (3, 3, 12, 20)).astype(np.uint8)))
    record.add_value("image", "rgb_float_neg", Tensor(rng.randn(1, 3, 9, 7).astype(np.float32)))
    record.add_value("tensor", "fc2.bias", network.fc2.bias)
    record.add_value("tensor", "t3d_f16", Tensor(rng.randn(2, 3, 4).astype(np.float16)))
    record.add_value("tensor", "t_int64", Tensor(np.array([[2**40, -3], [1, 2**24 + 1]], np.int64)))
    record.add_value("tensor", "t_bool", Tensor(np.array([True, False, True])))
    record.add_value("tensor", "t_uint8", Tensor(np.arange(6, dtype=np.uint8).reshape(1, 1, 2, 3)))
    record.add_value("tensor", "t_f64", Tensor(rng.randn(5)))


def sweep(classes: Any, directory: Path) -> None:
    """Trainings side by side, with metrics of several kinds, checkpoints, and one without evaluation."""
    rates = [("Momentum", 0.01, 0.9), ("SGD", 0.1), ("Adam", 0.01), ("RMSProp", 0.2)]
    for number, (name, *arguments) in enumerate(rates):
        run = directory / f"run_{number}"
        network = Perceptron(8 + number)
        optimizer = getattr(nn, name)(network.trainable_params(), *arguments)
        metrics = {"Accuracy": Accuracy()} | ({} if number != 1 else {"Loss": Loss(), "Recall": Recall()})
        model = Model(network, loss_function(), optimizer, metrics=metrics)
        checkpoints = ModelCheckpoint("mlp", str(run), CheckpointConfig(save_checkpoint_steps=8))
        custom = {"hidden": 8 + number, "dropout": 0.1 * number, "note": f"sweep-{number}"}
        collector = classes.SummaryCollector(
            str(run), collect_freq=5, custom_lineage_data=custom, collect_specified_data={"collect_landscape": None}
        )
        others = [checkpoints] if number % 2 == 0 else []
        model.train(1 + number % 2, digits(256, 32), callbacks=[*others, collector], dataset_sink_mode=False)
        if number != 3:
            next_second()
            model.eval(digits(64, 32), callbacks=[collector], dataset_sink_mode=False)


def evaluated_model() -> Any:
    network, metrics = Perceptron(), {"Loss": Loss()}
    np.random.seed(5)  # random directions are drawn after this
    return Model(network, loss_function(), metrics=metrics), network, digits(128, 32), metrics


def landscape(classes: Any, directory: Path) -> None:
    for unit, intervals, size in (
        ("step", [[1, 2, 3, 4, 5], [6, 8, 10, 12]], 3),
        ("epoch", [[1, 2, 3, 4]], 4),
    ):
        begin()
        network = Perceptron()
        model = Model(network, loss_function(), nn.Momentum(network.trainable_params(), 0.05, 0.9))
        settings = {
            "landscape_size": size, "unit": unit, "create_landscape": {"train": True, "result": True},
            "num_samples": 128, "intervals": intervals,
        }  # fmt: skip
        run = directory / f"unit_{unit}"
        collector = classes.SummaryCollector(
            str(run), collect_freq=4, collect_specified_data={"collect_landscape": settings}
        )
        model.train(4, digits(128, 32), callbacks=[collector], dataset_sink_mode=False)
        next_second()
        classes.SummaryLandscape(str(run)).gen_landscapes_with_multi_process(evaluated_model, device_ids=[0])


SHAPES = (specified, default, operators, sunk, fitted, loop, sweep, landscape, pynative)


class _IsWhole(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, int)


class _Whole(metaclass=_IsWhole):
    """``int`` as MindSpore's landscapes need it with NumPy 2: they take that of an array of one dimension."""

    def __new__(cls, value: Any) -> Any:
        return int(np.asarray(value).item())


def classes_of(which: str) -> SimpleNamespace:
    if which == "ours":
        import mindscope.mindspore as ours

        return SimpleNamespace(**{name: getattr(ours, name) for name in ours.__all__})
    from mindspore.train.callback import _landscape

    _landscape.int = _Whole  # type: ignore[attr-defined]
    return SimpleNamespace(
        SummaryCollector=mindspore.SummaryCollector, SummaryRecord=mindspore.SummaryRecord,
        SummaryLandscape=mindspore.SummaryLandscape,
    )  # fmt: skip


def main() -> None:
    which, directory = sys.argv[1], Path(sys.argv[2])
    for shape in SHAPES:
        begin()
        started = time.monotonic()
        shape(classes_of(which), directory / shape.__name__)
        print(f"{shape.__name__}: {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
