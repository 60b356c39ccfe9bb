# SPDX-License-Identifier: Apache-2.0
"""Model: what it trains, in which order it calls, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from digits import SmallNet, batches, digits, make_model
from torch import nn

from mindscope.torch import Accuracy, Callback, LambdaCallback, Loss, Model, RunContext

pytestmark = pytest.mark.framework
TURNS = "begin epoch_begin step_begin step_end epoch_end end".split()


class Heard(Callback):
    """Writes down each turn, under its own name."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self.name, self.heard = name, heard

    def __enter__(self) -> Heard:
        self.heard.append(f"{self.name} enter")
        return self

    def __exit__(self, *error: Any) -> None:
        self.heard.append(f"{self.name} exit {error[0] and error[0].__name__}")


def _listen(turn: str) -> Any:
    def hear(self: Heard, run_context: RunContext) -> None:
        self.heard.append(f"{self.name} {run_context.original_args().mode} {turn}")

    return hear


for _turn in TURNS:
    setattr(Heard, _turn, _listen(_turn))


def test_callbacks_are_called_in_the_order_of_the_list() -> None:
    heard: list[str] = []
    make_model().train(1, batches(16), callbacks=[Heard("b", heard), Heard("a", heard)])
    turns = [f"{name} train {turn}" for turn in TURNS for name in "ba"]
    assert heard == ["b enter", "a enter", *turns, "a exit None", "b exit None"]


def test_fit_evaluates_before_the_end_of_each_epoch() -> None:
    heard: list[str] = []
    model = make_model(metrics={"accuracy"})
    model.fit(2, batches(16), batches(16), valid_frequency=2, callbacks=Heard("x", heard))
    place = heard.index("x eval begin")
    assert heard.count("x train epoch_end") == 2
    assert heard.count("x eval begin") == 1
    assert heard[place : place + 7] == [f"x eval {turn}" for turn in TURNS] + ["x train epoch_end"]
    assert heard.count("x enter") == 1


def test_training_lowers_the_loss_and_evaluation_tells() -> None:
    model = make_model(metrics={"accuracy": Accuracy(), "loss": Loss()})
    before = model.eval(batches())
    model.train(8, batches(shuffle=True))
    after = model.eval(batches())
    assert after["loss"] < before["loss"]
    assert after["accuracy"] > 0.8 > before["accuracy"]
    assert model.train_network.training


def test_state_of_the_loop_is_readable_and_writable() -> None:
    seen: list[Any] = []

    class Look(Callback):
        def begin(self, run_context: RunContext) -> None:
            run_context.original_args().init_time = 7

        def step_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            assert params["train_network"] is params.train_network is params.network
            assert isinstance(params.net_outputs, torch.Tensor)
            assert params.net_outputs.ndim == 0
            assert not params.net_outputs.requires_grad
            assert params.loss_fn is not None
            assert params.optimizer is not None
            assert params.list_callback == [look]
            assert params.train_dataset_element[0].shape == (16, 1, 8, 8)
            assert (params.parallel_mode, params.device_number) == ("stand_alone", 1)
            seen.append(
                (params.init_time, params.epoch_num, params.batch_num, params.cur_epoch_num, params.cur_step_num)
            )

    look = Look()
    make_model().train(2, batches(32), callbacks=look)
    assert seen == [(7, 2, 2, 1, 1), (7, 2, 2, 1, 2), (7, 2, 2, 2, 3), (7, 2, 2, 2, 4)]


def test_unknown_state_is_an_attribute_error_that_lists_what_there_is() -> None:
    class Look(Callback):
        def begin(self, run_context: RunContext) -> None:
            assert not hasattr(run_context.original_args(), "weather")
            _ = run_context.original_args().weather

    with pytest.raises(AttributeError, match=r"'weather' is not among .*train_dataset"):
        make_model().train(1, batches(16), callbacks=Look())


def test_requested_stop_ends_after_the_step() -> None:
    heard: list[str] = []

    class Stop(Callback):
        def step_end(self, run_context: RunContext) -> None:
            assert not run_context.get_stop_requested()
            if run_context.original_args().cur_step_num == 2:
                run_context.request_stop()

    make_model().train(3, batches(64), callbacks=[Stop(), Heard("x", heard)])
    assert heard.count("x train step_end") == 2
    assert heard[-3:] == ["x train epoch_end", "x train end", "x exit None"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_error_of_the_training_is_what_the_user_sees(error: type[BaseException]) -> None:
    heard: list[str] = []

    class Fail(Callback):
        def step_end(self, run_context: RunContext) -> None:
            raise error("mine")

    with pytest.raises(error, match="mine"):
        make_model().train(1, batches(16), callbacks=[Heard("x", heard), Fail()])
    assert heard[-1] == f"x exit {error.__name__}"


def test_sink_mode_makes_the_epoch_the_unit() -> None:
    steps: list[int] = []

    class Count(Callback):
        def step_end(self, run_context: RunContext) -> None:
            steps.append(run_context.original_args().cur_step_num)

    make_model().train(2, batches(64), callbacks=Count(), dataset_sink_mode=True)
    make_model().train(2, batches(64), callbacks=Count(), dataset_sink_mode=True, sink_size=3)
    assert steps == [4, 8, 3, 6]


def test_any_iterable_is_a_data_set() -> None:
    class Endless:
        def __iter__(self) -> Iterator[Any]:
            for image, label in digits(4):
                yield image.unsqueeze(0).numpy(), np.array([int(label)])

    nums: list[Any] = []

    class Look(Callback):
        def epoch_end(self, run_context: RunContext) -> None:
            nums.append(run_context.original_args().batch_num)

    make_model().train(2, Endless(), callbacks=Look())
    assert nums == [4, 4]


def test_used_up_iterator_is_named() -> None:
    with pytest.raises(ValueError, match="list_iterator gave no batch for this epoch"):
        make_model().train(2, iter(list(batches(32))))


def test_network_that_returns_its_loss_needs_no_loss_function() -> None:
    class WithLoss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = SmallNet()

        def forward(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
            return nn.functional.cross_entropy(self.net(images), labels)

    network = WithLoss()
    model = Model(network, optimizer=torch.optim.Adam(network.parameters()), metrics={"loss"})
    model.train(1, [{"images": images, "labels": labels} for images, labels in batches(32)])
    assert model.eval(batches(32))["loss"] > 0


def test_prediction_leaves_the_mode_and_needs_no_gradient() -> None:
    model = make_model()
    out = model.predict(digits(4).tensors[0])
    assert out.shape == (4, 10)
    assert not out.requires_grad
    assert model.train_network.training


def test_own_evaluating_network_feeds_the_metrics_by_index() -> None:
    class Judge(nn.Module):
        def __init__(self, net: nn.Module) -> None:
            super().__init__()
            self.net = net

        def forward(self, images: torch.Tensor, labels: torch.Tensor) -> Any:
            prediction = self.net(images)
            return labels, prediction, nn.functional.cross_entropy(prediction, labels)

    network = SmallNet()
    judge = Judge(network)
    model = Model(network, metrics={"accuracy", "loss"}, eval_network=judge, eval_indexes=[2, 1, 0])
    assert set(model.eval(batches(32))) == {"accuracy", "loss"}


class NormalNet(nn.Module):
    """With both kinds of normalization, and a constant that no layer owns."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.batch_norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.layer_norm, self.fc = nn.LayerNorm(144), nn.Linear(144, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        features = torch.relu(self.batch_norm(self.conv(images))) + torch.ones(1, device=images.device)
        return self.fc(self.layer_norm(features.flatten(1)))


FLOAT, HALF = torch.float32, torch.bfloat16
COMPUTED = {  # conv, batch_norm, layer_norm, fc
    ("O0", None): [FLOAT, FLOAT, FLOAT, FLOAT], ("O1", None): [HALF, HALF, FLOAT, HALF],
    ("auto", None): [HALF, HALF, FLOAT, HALF], ("O2", None): [HALF, FLOAT, FLOAT, HALF],
    ("O3", None): [HALF, HALF, HALF, HALF], ("O3", True): [HALF, FLOAT, FLOAT, HALF],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what Inductor imports
@pytest.mark.parametrize(("level", "kept", "is_compiled"), [
    *((*each, False) for each in COMPUTED), ("O2", None, True),
])  # fmt: skip
def test_level_decides_in_which_types_layers_compute(level: str, kept: bool | None, is_compiled: bool) -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()
    network, types, losses = NormalNet(), [], []
    for layer in (network.conv, network.batch_norm, network.layer_norm, network.fc):
        layer.register_forward_hook(lambda module, args, out: types.append(out.dtype))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    model = Model(
        network, nn.CrossEntropyLoss(), optimizer, {"accuracy"}, amp_level=level, keep_batchnorm_fp32=kept,
        is_compiled=is_compiled,
    )  # fmt: skip
    watching = LambdaCallback(on_train_step_end=lambda context: losses.append(context.original_args().net_outputs))
    model.train(3, batches(), callbacks=watching)
    assert types[:4] == COMPUTED[level, kept]
    assert {loss.dtype for loss in losses} == {FLOAT}
    assert all(each.dtype == FLOAT for each in network.state_dict().values() if each.is_floating_point())
    assert network.batch_norm.running_mean is not None
    assert network.batch_norm.running_mean.abs().min() > 0
    assert model.eval(batches())["accuracy"] > 0.5
    assert model.predict(torch.zeros(1, 1, 8, 8)).shape == (1, 10)
    assert network(torch.zeros(1, 1, 8, 8)).dtype == FLOAT


@pytest.mark.parametrize(("make", "error"), [
    (lambda: Model("net"), TypeError),
    (lambda: Model(SmallNet(), loss_fn=3), TypeError),
    (lambda: Model(SmallNet(), optimizer="Adam"), TypeError),
    (lambda: make_model(amp_level="O4"), ValueError),
    (lambda: make_model(amp_level="O2", keep_batchnorm_fp32=1), TypeError),
    (lambda: make_model(is_compiled="yes"), TypeError),
    (lambda: make_model(boost_level="O1"), ValueError),
    (lambda: make_model(metrics={"acuracy"}), KeyError),
    (lambda: make_model().train(0, batches()), ValueError),
    (lambda: make_model().train(1, 5), TypeError),
    (lambda: make_model().train(1, batches(), callbacks=[print]), TypeError),
    (lambda: make_model().train(1, batches(), dataset_sink_mode=1), TypeError),
    (lambda: make_model().train(2, batches(), initial_epoch=2), ValueError),
    (lambda: make_model().eval(batches()), ValueError),
    (lambda: Model(SmallNet()).train(1, batches()), ValueError),
    (lambda: make_model().fit(1, batches(), batches(), valid_frequency=0), ValueError),
])  # fmt: skip
def test_what_does_not_fit_is_refused_before_training(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="want"):
        make()


@pytest.mark.gpu
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_levels_train_on_a_gpu_in_float16(level: str) -> None:
    types: list[torch.dtype] = []
    torch.manual_seed(0)
    network = NormalNet()
    network.conv.register_forward_hook(lambda module, args, out: types.append(out.dtype))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, {"accuracy"}, amp_level=level, device="cuda")
    model.train(8, batches(shuffle=True))
    assert set(types) == {torch.float32 if level == "O0" else torch.float16}
    assert all(each.dtype == torch.float32 and each.is_cuda for each in network.parameters())
    assert model.eval(batches())["accuracy"] > 0.5
