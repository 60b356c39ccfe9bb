# SPDX-License-Identifier: Apache-2.0
"""A collector in Lightning's Trainer, under both names of the package, beside the same training in a Model."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from torch import Tensor, nn

import mindscope
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.torch import LandscapeCollector, ScalarSummary, SummaryCollector
from mindscope.torch.core.weight_files import read_weights

pytest.importorskip("lightning")
from mindscope.torch.integrations.lightning import CollectorCallback

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]
PACKAGES = ("lightning.pytorch", "pytorch_lightning")
COLLECTED = ("own", "loss/auto", "learning_rate/auto", "train_loss_step", "rows")
"""The curves with a point at each collected step."""


def module_of(package: str, **options: Any) -> Any:
    """A LightningModule of that package, over the network that the Model trains."""

    class Digits(import_module(package).LightningModule):  # type: ignore[misc]
        def __init__(self, is_failing: bool = False, is_manual: bool = False) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.net, self.loss_fn, self.is_failing = SmallNet(), nn.CrossEntropyLoss(), is_failing
            self.scalar, self.automatic_optimization = ScalarSummary(), not is_manual

        def forward(self, images: Tensor) -> Tensor:
            return self.net(images)

        def training_step(self, batch: Any, number: int) -> Tensor:
            loss = self.loss_fn(self(batch[0]), batch[1])
            self.scalar("own", loss)
            self.log("train_loss", loss, on_step=True, on_epoch=True)
            self.log("rows", 16.0)
            if self.is_failing and self.trainer.global_step == 2:
                raise RuntimeError("mine")
            if not self.automatic_optimization:
                optimizer = self.optimizers()
                optimizer.zero_grad()
                self.manual_backward(loss)
                optimizer.step()
            return loss

        def validation_step(self, batch: Any, number: int) -> None:
            scores = self(batch[0])
            self.scalar("own", scores.mean())
            self.log("val_accuracy", (scores.argmax(1) == batch[1]).float().mean())

        test_step = validation_step

        def on_train_epoch_end(self) -> None:
            self.log("epochs", self.current_epoch + 1.0)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    return Digits(**options)


def trainer_of(package: str, directory: Path, collector: SummaryCollector | LandscapeCollector, **options: Any) -> Any:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    options = {"enable_checkpointing": False, "default_root_dir": directory, "max_epochs": 2} | quiet | options
    return import_module(package).Trainer(callbacks=[CollectorCallback(collector)], **options)


def curves(directory: Path) -> dict[str, list[int]]:
    run = mindscope.open_run(directory)
    assert not run.damages
    return {tag: list(run.scalars(tag).step) for tag in run.tags("scalar")}


@pytest.mark.parametrize("package", PACKAGES)
def test_same_tags_and_steps_as_in_a_model(tmp_path: Path, package: str) -> None:
    collector = SummaryCollector(tmp_path / "theirs", collect_freq=2)
    trainer_of(package, tmp_path, collector).fit(module_of(package), batches(48), batches(32))
    model = make_model(metrics={"accuracy"})
    model.fit(2, batches(48), batches(32), callbacks=SummaryCollector(tmp_path / "ours", collect_freq=2))
    theirs, ours = (mindscope.open_run(tmp_path / name) for name in ("theirs", "ours"))
    assert curves(tmp_path / "theirs") == {
        **{tag: [1, 2, 4, 6] for tag in COLLECTED}, "val_accuracy": [3, 6],
        "train_loss_epoch": [3, 6], "epochs": [3, 6],
    }  # fmt: skip
    for tag, of_model in (("loss/auto", "loss/auto"), ("val_accuracy", "eval_accuracy/auto")):
        assert list(theirs.scalars(tag).step) == list(ours.scalars(of_model).step)
        assert list(theirs.scalars(tag).value) == pytest.approx(list(ours.scalars(of_model).value), rel=1e-5)
    assert list(theirs.tags("image")) == list(ours.tags("image")) == ["input_data/auto"]
    assert set(theirs.tags("histogram")) == {tag.replace("", "net.", 1) for tag in ours.tags("histogram")}
    assert theirs.dataset_graph is not None
    assert [node.op_type for node in theirs.dataset_graph.walk()] == ["Batch", "TensorDataset"]
    (graph,) = theirs.graphs().values()
    assert graph.name == "Digits"
    assert {"conv2d", "linear", "relu"} <= {node.op_type for node in graph.nodes}


def test_each_metric_keeps_the_name_that_the_module_gives_it(tmp_path: Path) -> None:
    import lightning

    evaluated = {"val/loss": 1.0, "val_loss": 2.0, "valid/loss": 3.0, "val_ema/loss": 4.0, "loss": 5.0, "late": 6.0}

    class Logging(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 1)

        def training_step(self, batch: Any, number: int) -> Tensor:
            self.log("loss", 7.0)
            self.log("train/loss", 8.0, on_step=False, on_epoch=True)
            return self.layer(batch[0]).square().mean()

        def validation_step(self, batch: Any, number: int) -> None:
            self.log_dict(evaluated)

        def on_train_epoch_end(self) -> None:
            self.log("late", 9.0)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    rows = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(4, 4)), batch_size=2)
    trainer = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path, collect_freq=1))
    trainer.fit(Logging(), rows, rows)
    run = mindscope.open_run(tmp_path)
    points = {tag: list(zip(run.scalars(tag).step, run.scalars(tag).value, strict=True)) for tag in run.tags("scalar")}
    evaluations = {name: value for name, value in evaluated.items() if name != "loss"} | {"eval_loss/auto": 5.0}
    assert {tag: points[tag] for tag in evaluations} == {
        tag: [(2, value), (4, value)] for tag, value in evaluations.items()
    }
    assert points["loss"] == [(step, 7.0) for step in (1, 2, 3, 4)]
    assert points["train/loss"] == [(2, 8.0), (4, 8.0)]
    assert points["train_late/auto"] == [(2, 9.0), (4, 9.0)]
    assert run.lineage.eval is not None
    assert run.lineage.eval.metric == evaluated


def test_weights_for_landscapes_are_kept_beside_what_is_recorded(tmp_path: Path) -> None:
    recorded = CollectorCallback(SummaryCollector(tmp_path, collect_freq=2))
    trainer = trainer_of(PACKAGES[0], tmp_path, LandscapeCollector(tmp_path, intervals=[[2, 3, 4], [4, 5, 6]]))
    trainer.callbacks.append(recorded)
    module = module_of(PACKAGES[0])
    trainer.fit(module, batches(48))
    file = read_landscape_file(tmp_path)
    assert (list(file.checkpoints), file.step_per_epoch) == ([2, 3, 4, 5, 6], 3)
    last = read_weights(file.checkpoint(6))
    assert set(last) == {name for name, _ in module.named_parameters()}
    assert all(torch.equal(last[name], each) for name, each in module.named_parameters())
    assert curves(tmp_path)["own"] == [1, 2, 4, 6]


def test_lineage_has_what_the_trainer_knows(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", custom_lineage_data={"note": "x"})
    trainer = trainer_of(PACKAGES[0], tmp_path, collector, enable_checkpointing=True)
    trainer.fit(module_of(PACKAGES[0]), batches(48), batches(32))
    lineage = mindscope.open_run(tmp_path / "run").lineage
    train = lineage.train
    assert train is not None
    assert (train.optimizer, train.loss_function, train.network) == ("SGD", "CrossEntropyLoss", "Digits")
    assert (train.epoch, train.batch_size, train.dataset_size, train.device_num) == (2, 16, 48, 1)
    assert train.learning_rate == pytest.approx(0.1)
    assert train.model_path == str(Path(trainer.checkpoint_callback.best_model_path).resolve())
    assert lineage.custom["note"] == "x"
    assert lineage.eval is not None
    assert (list(lineage.eval.metric or {}), lineage.eval.dataset_size) == (["val_accuracy"], 32)


def test_batches_that_accumulate_gradients_are_no_steps(tmp_path: Path) -> None:
    trainer = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path, collect_freq=1), accumulate_grad_batches=2)
    trainer.fit(module_of(PACKAGES[0]), batches(64))
    assert {tag: steps for tag, steps in curves(tmp_path).items() if tag in COLLECTED} == {
        tag: [1, 2, 3, 4] for tag in COLLECTED
    }


def test_steps_that_optimize_by_hand_are_counted(tmp_path: Path) -> None:
    trainer = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path, collect_freq=1), max_epochs=1)
    trainer.fit(module_of(PACKAGES[0], is_manual=True), batches(48))
    assert {tag: steps for tag, steps in curves(tmp_path).items() if tag in COLLECTED} == {
        tag: [1, 2, 3] for tag in COLLECTED
    }


def test_a_training_that_goes_on_from_a_checkpoint_counts_on(tmp_path: Path) -> None:
    trainer = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path / "a"), max_epochs=1)
    trainer.fit(module_of(PACKAGES[0]), batches(48))
    trainer.save_checkpoint(tmp_path / "last.ckpt")
    second = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path / "b", collect_freq=1))
    second.fit(module_of(PACKAGES[0]), batches(48), ckpt_path=tmp_path / "last.ckpt", weights_only=False)
    assert curves(tmp_path / "b")["loss/auto"] == [4, 5, 6]


def test_what_was_recorded_before_a_failure_is_readable(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_freq=1)
    trainer = trainer_of(PACKAGES[0], tmp_path, collector)
    with pytest.raises(RuntimeError, match="mine"):
        trainer.fit(module_of(PACKAGES[0], is_failing=True), batches(48))
    assert curves(tmp_path)["loss/auto"] == [1, 2]
    assert mindscope.open_run(tmp_path).lineage.train is not None
    with pytest.raises(RuntimeError, match="collector is not entered"):
        _ = collector.record


def test_an_evaluation_by_itself_is_lineage(tmp_path: Path) -> None:
    trainer = trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path))
    (result,) = trainer.test(module_of(PACKAGES[0]), batches(32), verbose=False)
    lineage = mindscope.open_run(tmp_path).lineage
    assert lineage.eval is not None
    assert lineage.eval.metric == pytest.approx(result)


def test_a_test_keeps_the_metrics_of_the_validation(tmp_path: Path) -> None:
    package = import_module(PACKAGES[0])

    class Evaluated(package.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 1)

        def training_step(self, batch: Any, number: int) -> Tensor:
            return self.net(batch).square().mean()

        def validation_step(self, batch: Any, number: int) -> None:
            self.log_dict({"score": batch.mean(), "val_rows": float(len(batch))})

        def test_step(self, batch: Any, number: int) -> None:
            self.log_dict({"score": batch.mean(), "test_rows": float(len(batch))})

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    def rows(count: int, value: float) -> Any:
        return torch.utils.data.DataLoader(torch.full((count, 4), value), 2)

    module, trainer = Evaluated(), trainer_of(PACKAGES[0], tmp_path, SummaryCollector(tmp_path / "run"), max_epochs=1)

    def metrics() -> Any:
        lineage = mindscope.open_run(tmp_path / "run").lineage.eval
        assert lineage is not None
        return lineage.metric

    trainer.fit(module, rows(4, 0.0), rows(2, 1.0))
    assert metrics() == {"score": 1.0, "val_rows": 2.0}
    trainer.test(module, rows(2, 3.0), verbose=False)
    assert metrics() == {"score": 1.0, "val_rows": 2.0, "test_score": 3.0, "test_rows": 2.0}
    trainer.validate(module, rows(2, 2.0), verbose=False)
    assert metrics() == {"score": 2.0, "val_rows": 2.0, "test_score": 3.0, "test_rows": 2.0}
    assert list(mindscope.open_run(tmp_path / "run").scalars("score").value) == [1.0]  # of the training only
    trainer.fit_loop.max_epochs = 2
    trainer.fit(module, rows(4, 0.0), rows(2, 5.0))
    assert metrics() == {"score": 5.0, "val_rows": 2.0}  # of weights that no test has seen


def test_two_collectors_are_refused(tmp_path: Path) -> None:
    callbacks = [CollectorCallback(SummaryCollector(tmp_path / name)) for name in "ab"]
    with pytest.raises(RuntimeError, match="more than one stateful callback of type `CollectorCallback`"):
        import_module(PACKAGES[0]).Trainer(callbacks=callbacks, accelerator="cpu", logger=False)
    with pytest.raises(TypeError, match="collector is str, want a SummaryCollector"):
        CollectorCallback("runs/a")  # type: ignore[arg-type]


@pytest.mark.parametrize("package", PACKAGES)
def test_values_that_a_module_logs_are_those_of_lightnings_own_logger(tmp_path: Path, package: str) -> None:
    logger = import_module(f"{package}.loggers").CSVLogger(tmp_path, name="theirs")
    collector = SummaryCollector(tmp_path / "ours", collect_freq=1)
    trainer_of(package, tmp_path, collector, logger=logger, log_every_n_steps=1).fit(
        module_of(package), batches(48), batches(32)
    )
    run = mindscope.open_run(tmp_path / "ours")
    with (Path(logger.log_dir) / "metrics.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in ("train_loss_step", "train_loss_epoch", "rows", "epochs"):
        theirs = [(int(row["step"]) + 1, float(row[name])) for row in rows if row[name]]  # it counts from 0
        ours = run.scalars(name)
        assert list(ours.step) == [step for step, _ in theirs], name
        assert list(ours.value) == pytest.approx([value for _, value in theirs], rel=1e-5), name


def test_hyper_parameters_that_a_module_saves_are_lineage(tmp_path: Path) -> None:
    package = import_module(PACKAGES[0])

    class Saved(package.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self, width: int, optimizer: dict[str, Any], network: nn.Module) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.net = network

        def training_step(self, batch: Any, number: int) -> Tensor:
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            first, second = self.net.conv1.parameters(), self.net.fc1.parameters()
            optimizer = torch.optim.SGD([{"params": first, "lr": 0.2}, {"params": second}], lr=0.1)
            return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]

    class Data(package.LightningDataModule):  # type: ignore[misc, name-defined]
        def __init__(self, rows: int) -> None:
            super().__init__()
            self.save_hyperparameters()

        def train_dataloader(self) -> Any:
            return batches(self.hparams["rows"])

    collector = SummaryCollector(tmp_path, collect_freq=2, custom_lineage_data={"width": 9})
    module = Saved(8, {"name": "sgd", "betas": [0.9, 0.99], "clip": None}, SmallNet())
    trainer_of(PACKAGES[0], tmp_path, collector).fit(module, datamodule=Data(32))
    run = mindscope.open_run(tmp_path)
    custom = run.lineage.custom
    assert custom["width"] == 9  # what a user says goes first
    assert (custom["optimizer.name"], custom["optimizer.betas"]) == ("sgd", "[0.9, 0.99]")
    assert (custom["optimizer.clip"], custom["rows"]) == ("None", 32)
    assert str(custom["network"]).startswith("SmallNet(")
    first, second = (run.scalars(f"learning_rate/group_{place}/auto") for place in (0, 1))
    assert list(first.value) == pytest.approx([0.2, 0.2, 0.1])
    assert list(second.value) == pytest.approx([0.1, 0.1, 0.05])
    assert run.lineage.train is not None
    assert run.lineage.train.learning_rate == pytest.approx(0.2)
