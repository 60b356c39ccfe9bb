# SPDX-License-Identifier: Apache-2.0
"""The callbacks that come with the package, each in a real training."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import batches, make_model
from rich.console import Console

from mindscope.torch import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)
from mindscope.torch.callbacks import checkpoint
from mindscope.torch.callbacks.checkpoint_retention import CheckpointRetention
from mindscope.torch.training.progress import Progress

pytestmark = pytest.mark.framework


def rate(model: Any) -> float:
    return model._parts.optimizer.param_groups[0]["lr"]


def test_loss_is_printed_each_so_many_steps(capsys: pytest.CaptureFixture[str]) -> None:
    make_model().train(2, batches(48), callbacks=LossMonitor(2))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", loss is ")[0] for line in lines] == [
        "epoch: 1 step: 2", "epoch: 2 step: 1", "epoch: 2 step: 3"
    ]  # fmt: skip


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_loss_that_is_no_number_ends_the_training(bad: float) -> None:
    class Spoil(Callback):
        def step_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            if params.cur_step_num == 2:
                params.net_outputs = torch.tensor(bad)

    with pytest.raises(ValueError, match=f"loss at epoch 1 step 2 is {bad}"):
        make_model().train(1, batches(48), callbacks=[Spoil(), LossMonitor(0)])


def test_metrics_of_fit_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    make_model(metrics={"accuracy"}).fit(1, batches(16), batches(16), callbacks=LossMonitor(0))
    assert capsys.readouterr().out.startswith("Eval result: epoch 1, metrics: {'accuracy': ")


def test_time_of_each_epoch_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    make_model().train(2, batches(32), callbacks=TimeMonitor(data_time=True))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("Train epoch time: ") and "per step time: " in line for line in lines)
    assert all("data time: " in line for line in lines)


def test_history_keeps_losses_and_metrics() -> None:
    history = History()
    make_model(metrics={"accuracy"}).fit(3, batches(32), batches(32), callbacks=history)
    assert history.epoch == {"epoch": [1, 2, 3]}
    assert [len(history.history[name]) for name in ("net_output", "accuracy")] == [3, 3]


def test_lambdas_are_called_at_their_turn() -> None:
    heard: list[int] = []
    callback = LambdaCallback(on_train_step_end=lambda context: heard.append(context.original_args().cur_step_num))
    make_model().train(1, batches(48), callbacks=callback)
    assert heard == [1, 2, 3]
    with pytest.raises(TypeError, match="on_train_end is int"):
        LambdaCallback(on_train_end=3)  # type: ignore[arg-type]


def test_learning_rate_follows_its_function() -> None:
    model = make_model(0.1)
    model.train(1, batches(48), callbacks=LearningRateScheduler(lambda now, step: now / 2 if step == 2 else now))
    assert rate(model) == pytest.approx(0.05)


def test_learning_rate_that_is_a_tensor_stays_the_same_tensor() -> None:
    model = make_model()
    kept = model._parts.optimizer.param_groups[0]["lr"] = torch.tensor(0.1)
    model.train(1, batches(16), callbacks=LearningRateScheduler(lambda now, step: 0.01))
    assert rate(model) is kept
    assert float(kept) == pytest.approx(0.01)


def test_plateau_lowers_the_rate_down_to_its_least() -> None:
    model = make_model(1e-30)
    plateau = ReduceLROnPlateau(monitor="loss", factor=0.5, patience=1, min_lr=3e-31)
    model.train(6, batches(32), callbacks=plateau)
    assert rate(model) == pytest.approx(3e-31)


def test_cooldown_counts_no_epoch() -> None:
    model = make_model(1e-30)
    model.train(6, batches(32), callbacks=ReduceLROnPlateau(monitor="loss", factor=0.5, patience=1, cooldown=3))
    assert rate(model) == pytest.approx(0.25e-30)


def test_early_stopping_ends_and_gives_the_best_weights_back(capsys: pytest.CaptureFixture[str]) -> None:
    class Worsen(Callback):
        def epoch_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            params.net_outputs = torch.tensor([0.5, 0.2, 0.3, 0.4, 0.1][params.cur_epoch_num - 1])
            if params.cur_epoch_num == 2:
                best.update({name: each.clone() for name, each in params.train_network.state_dict().items()})

    best: dict[str, torch.Tensor] = {}
    model = make_model()
    stopping = EarlyStopping(monitor="loss", patience=2, verbose=True, restore_best_weights=True)
    model.train(9, batches(32), callbacks=[Worsen(), stopping])
    assert stopping.stopped_epoch == 4
    assert "Epoch 00004: early stopping" in capsys.readouterr().out
    assert all(torch.equal(each, best[name]) for name, each in model.train_network.state_dict().items())


def test_a_training_that_gets_better_is_not_stopped_without_patience() -> None:
    stopping = EarlyStopping(monitor="eval_loss")
    make_model(0.01, metrics={"loss"}).fit(3, batches(), batches(), callbacks=stopping)
    assert stopping.stopped_epoch == 0


def test_checkpoints_are_named_by_epoch_and_step_and_the_newest_stay(tmp_path: Path) -> None:
    keeping = ModelCheckpoint("net", tmp_path, CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2))
    model = make_model()
    model.train(2, batches(48), callbacks=keeping)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["net-2_1.ckpt", "net-2_3.ckpt"]
    assert keeping.latest_ckpt_file_name == str(tmp_path / "net-2_3.ckpt")
    other = make_model().train_network
    load_checkpoint(keeping.latest_ckpt_file_name, other)
    for mine, want in zip(other.parameters(), model.train_network.parameters(), strict=True):
        assert torch.equal(mine, want)


def test_checkpoints_are_saved_by_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(Callback):
        """Lets each step take 0.4 s."""

        now = 0.0

        def monotonic(self) -> float:
            return self.now

        def step_begin(self, run_context: RunContext) -> None:
            self.now += 0.4

    clock = Clock()
    monkeypatch.setattr(checkpoint, "time", clock)
    config = CheckpointConfig(save_checkpoint_steps=None, save_checkpoint_seconds=1, keep_checkpoint_max=2)
    make_model().train(1, batches(160), callbacks=[ModelCheckpoint("net", tmp_path, config), clock])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["net-1_10.ckpt", "net-1_9.ckpt"]  # after 3, 6, 9, all


def test_last_step_is_saved_and_earlier_checkpoints_are_left_alone(tmp_path: Path) -> None:
    for _ in range(2):
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=True, append_info=["step_num", {"note": 7}])
        make_model().train(1, batches(48), callbacks=ModelCheckpoint(directory=tmp_path, config=config))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["CKP-1_3.ckpt", "CKP_1-1_3.ckpt"]
    entries = load_checkpoint(tmp_path / "CKP-1_3.ckpt")
    assert (entries["step_num"], entries["note"]) == (3, 7)
    missing, strange = load_param_into_net(make_model().train_network, entries)
    assert (missing, sorted(strange)) == ([], ["note", "step_num"])


def test_failed_training_leaves_a_checkpoint_where_wanted(tmp_path: Path) -> None:
    class Fail(Callback):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 2:
                raise RuntimeError("mine")

    config = CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    with pytest.raises(RuntimeError, match="mine"):
        make_model().train(1, batches(48), callbacks=[ModelCheckpoint("net", tmp_path, config), Fail()])
    assert [file.name for file in tmp_path.iterdir()] == ["net-1_2_breakpoint.ckpt"]


def test_name_and_directory_may_be_functions(tmp_path: Path) -> None:
    keeping = ModelCheckpoint(lambda p: f"at{p.cur_step_num}", lambda p: str(tmp_path / f"epoch{p.cur_epoch_num}"))
    make_model().train(1, batches(32), callbacks=keeping)
    assert sorted(file.name for file in tmp_path.glob("*/*")) == ["at1.ckpt", "at2.ckpt"]


def test_one_checkpoint_a_span_of_time_stays(tmp_path: Path) -> None:
    retention = CheckpointRetention(0, 1)
    for second in range(0, 150, 25):
        file = tmp_path / str(second)
        file.touch()
        retention.keep(file, second)
    assert sorted(int(file.name) for file in tmp_path.iterdir()) == [50, 125]


def test_documented_checkpoint_of_the_best_accuracy(tmp_path: Path) -> None:
    class SaveCallback(Callback):
        def __init__(self, eval_model: Any, ds_eval: Any) -> None:
            super().__init__()
            self.model, self.ds_eval, self.acc = eval_model, ds_eval, 0

        def step_end(self, run_context: RunContext) -> None:
            cb_params = run_context.original_args()
            result = self.model.eval(self.ds_eval)
            if result["accuracy"] > self.acc:
                self.acc = result["accuracy"]
                file_name = str(tmp_path / (str(self.acc) + ".ckpt"))
                save_checkpoint(save_obj=cb_params.train_network, ckpt_file_name=file_name)

    model = make_model(metrics={"accuracy"})
    saving = SaveCallback(model, batches(32))
    model.train(2, batches(32), callbacks=saving)
    assert (tmp_path / f"{saving.acc}.ckpt").exists()


def test_long_training_shows_how_far_it_is() -> None:
    screen = io.StringIO()
    params = {"batch_num": 5, "epoch_num": 4, "cur_epoch_num": 2, "cur_step_num": 7}
    with Progress(params, Console(file=screen, force_terminal=True, width=80), long_s=0) as progress:
        progress.show()
    assert "epoch 2" in screen.getvalue()
    assert "7/20" in screen.getvalue()


@pytest.mark.parametrize("make", [
    lambda: LossMonitor(-1), lambda: LossMonitor(True), lambda: TimeMonitor(data_size=0), lambda: TimeMonitor(None, 1),
    lambda: EarlyStopping(mode="best"), lambda: EarlyStopping(monitor=3), lambda: EarlyStopping(patience=-1),
    lambda: ReduceLROnPlateau(factor=1), lambda: LearningRateScheduler(0.1),
    lambda: CheckpointConfig(0, 0, 0, 0), lambda: CheckpointConfig(-1), lambda: CheckpointConfig(enc_key=b"x"),
    lambda: CheckpointConfig(append_info=["time"]), lambda: ModelCheckpoint("a/b"), lambda: ModelCheckpoint(config=5),
])  # fmt: skip
def test_what_does_not_fit_is_refused(make: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="want"):
        make()
