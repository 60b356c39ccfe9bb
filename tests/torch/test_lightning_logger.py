# SPDX-License-Identifier: Apache-2.0
"""MindscopeLogger in Lightning's Trainer, under both names of the package, beside Lightning's own CSV logger."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import SmallNet, batches
from torch import nn

import mindscope

pytest.importorskip("lightning")
from mindscope.torch.integrations.lightning import MindscopeLogger

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]
PACKAGES = ("lightning.pytorch", "pytorch_lightning")


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def trained(package: str, directory: Path, loggers: Any, is_failing: bool = False) -> dict[str, Any]:
    """The weights after two epochs of four steps."""
    lightning = import_module(package)

    class Digits(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self, rate: float = 0.1, layers: Any = None) -> None:
            super().__init__()
            self.save_hyperparameters()
            torch.manual_seed(0)
            self.net, self.example_input_array = SmallNet(), torch.zeros(2, 1, 8, 8)

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return self.net(images)

        def training_step(self, batch: Any, number: int) -> torch.Tensor:
            loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
            self.log("loss", loss)
            if isinstance(self.logger, MindscopeLogger):
                self.logger.experiment.add_histogram("images", batch[0], self.global_step)
            if is_failing and self.global_step == 3:
                raise RuntimeError("mine")
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=self.hparams["rate"])

    trainer = lightning.Trainer(
        max_epochs=2, logger=loggers, log_every_n_steps=1, enable_progress_bar=False, enable_model_summary=False,
        accelerator="cpu", callbacks=[lightning.callbacks.ModelCheckpoint(directory / "weights")],
    )  # fmt: skip
    module = Digits(layers={"size": [1, 2], "deep": {"rate": 0.5}})
    trainer.fit(module, batches(shuffle=True))
    return {name: value.clone() for name, value in module.state_dict().items()}


@pytest.mark.parametrize("package", PACKAGES)
def test_curves_are_those_of_the_csv_logger_and_weights_stay(tmp_path: Path, package: str) -> None:
    torch.manual_seed(1)
    ours, table = MindscopeLogger(tmp_path, log_graph=True), import_module(package).loggers.CSVLogger(tmp_path / "csv")
    weights = trained(package, tmp_path, [ours, table])
    torch.manual_seed(1)
    without = trained(package, tmp_path / "b", import_module(package).loggers.CSVLogger(tmp_path / "csv"))
    assert all(torch.equal(weights[name], without[name]) for name in weights)
    with Path(table.log_dir, "metrics.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["loss"]]
    run = mindscope.open_run(ours.log_dir)
    assert ours.log_dir == str(tmp_path / "lightning_logs" / "version_0")
    assert run.scalars("loss").step.tolist() == [int(row["step"]) for row in rows] == list(range(8))
    assert run.scalars("loss").value.tolist() == [float(np.float32(row["loss"])) for row in rows]
    assert run.scalars("epoch").value.tolist() == [0.0] * 4 + [1.0] * 4
    assert run.hparams == {"rate": 0.1, "layers.size": "[1, 2]", "layers.deep.rate": 0.5}
    assert {"images"} <= set(run.tags("histogram"))
    assert "checkpoint/text_summary" in run.tags()
    assert len(run.graphs()) == 1
    assert not run.damages
    assert MindscopeLogger(tmp_path).version == 1


def test_a_failed_training_is_written_and_its_error_stays(tmp_path: Path) -> None:
    ours = MindscopeLogger(tmp_path, version="mine", prefix="a")
    with pytest.raises(RuntimeError, match="mine"):
        trained("lightning.pytorch", tmp_path, ours, is_failing=True)
    assert mindscope.open_run(tmp_path / "lightning_logs" / "mine").scalars("a-loss").step.tolist() == [0, 1, 2]


def test_hostile_values_do_not_raise(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ours = MindscopeLogger(tmp_path)
    ours.log_hyperparams({"bad": Unprintable(), "lr": 0.1})
    ours.log_metrics({"bad": Unprintable(), "good": 1.5}, 2)
    ours.finalize("success")
    assert mindscope.open_run(ours.log_dir).scalars("good").value.tolist() == [1.5]
    assert mindscope.open_run(ours.log_dir).hparams == {"lr": 0.1}
    assert "hparams 'bad' was not recorded" in caplog.text


def test_other_ranks_record_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lightning_utilities.core.rank_zero import rank_zero_only

    monkeypatch.setattr(rank_zero_only, "rank", 1)
    ours = MindscopeLogger(tmp_path / "none")
    ours.log_metrics({"a": 1.0}, 1)
    ours.experiment.add_scalar("a", 1.0, 1)
    ours.finalize("success")
    assert not (tmp_path / "none").exists()
