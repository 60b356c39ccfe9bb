# SPDX-License-Identifier: Apache-2.0
"""Real trainings by PyTorch, Lightning, Transformers and Accelerate, with and without ``mindscope run``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import mindscope
from tests.redirect.scripts import completed, plain_in, run_in, said

pytestmark = [pytest.mark.framework]

WRITERS = """
import random, sys
import numpy, torch
import torch.utils.tensorboard as package
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard._utils import make_grid
from torch.utils.tensorboard.writer import SummaryWriter as Same
import tensorboardX

assert Same is SummaryWriter and package.SummaryWriter is SummaryWriter
torch.manual_seed(0); random.seed(0); numpy.random.seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
writer, other = SummaryWriter(log_dir="logs/torch"), tensorboardX.SummaryWriter("logs/x", comment="ignored")
writer.add_graph(net, torch.zeros(1, 4))
for step in range(20):
    loss = net(torch.rand(8, 4)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    writer.add_scalar("loss", loss, step)
    writer.add_scalars("pair", {"a": step, "b": -step}, step)
    other.add_scalar("loss", loss.item(), step)
    if step % 10 == 0:
        writer.add_histogram("weight", net[0].weight, step)
        writer.add_image("image", torch.rand(3, 8, 8), step)
        writer.add_text("text", "hello", step)
    print(loss.item().hex())
writer.add_hparams({"lr": 0.1}, {"best": 0.5}, run_name="session")
writer.close(); other.close()
print(torch.rand(1).item().hex(), random.random().hex(), numpy.random.rand().hex())
"""


def test_writers_record_the_same_and_the_training_stays_the_same(tmp_path: Path) -> None:
    ours, plain = tmp_path / "ours", tmp_path / "plain"
    ours.mkdir()
    plain.mkdir()
    done, expected = run_in(ours, WRITERS), plain_in(plain, WRITERS)
    assert done.stdout == expected.stdout, done.stderr + expected.stderr
    assert len(done.stdout.splitlines()) == 21
    runs, oracle = mindscope.open_runs(ours / "logs"), mindscope.open_runs(plain / "logs")
    assert set(runs) == set(oracle)
    for name in oracle:
        for kind in ("scalar", "image", "histogram", "text"):
            assert runs[name].tags(kind) == oracle[name].tags(kind)
        for tag in oracle[name].tags("scalar"):
            assert np.array_equal(runs[name].scalars(tag).value, oracle[name].scalars(tag).value)
            assert np.array_equal(runs[name].scalars(tag).step, oracle[name].scalars(tag).step)
        assert runs[name].hparams == oracle[name].hparams
    assert said(done)[:3] == [
        "mindscope run: 2 runs",
        "  logs/torch  SummaryWriter: 61 scalars, 2 images, 2 histograms, 2 texts, 1 graph",
        "  logs/x  SummaryWriter: 20 scalars",
    ]


TRANSFORMERS = """
import json, random, sys
import numpy, torch, transformers
torch.manual_seed(0); random.seed(0); numpy.random.seed(0)
config = transformers.ViTConfig(
    image_size=8, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=16, num_labels=10,
)
model = transformers.ViTForImageClassification(config)
arguments = transformers.TrainingArguments(
    "out", num_train_epochs=1, per_device_train_batch_size=16, use_cpu=True, report_to=json.loads(sys.argv[1]),
    disable_tqdm=True, save_strategy="no", logging_steps=1, run_name="vit",
)
samples = [{"pixel_values": torch.rand(1, 8, 8), "labels": number % 10} for number in range(48)]
trainer = transformers.Trainer(model=model, args=arguments, train_dataset=samples)
trainer.train()
print("LOSSES", [row["loss"] for row in trainer.state.log_history if "loss" in row])
print("RANDOM", torch.rand(1).item(), random.random(), numpy.random.rand())
"""


def test_transformers_report_to_all_of_them(tmp_path: Path) -> None:
    libraries = '["wandb", "trackio", "swanlab", "tensorboard"]'
    done, plain = run_in(tmp_path, TRANSFORMERS, libraries), plain_in(tmp_path, TRANSFORMERS, "[]")
    ours, expected = ([line for line in each.stdout.splitlines() if line.isupper() or line[:6] in ("LOSSES", "RANDOM")]
                      for each in (done, plain))  # fmt: skip
    assert ours == expected, done.stderr
    losses = [float(np.float32(number)) for number in eval(ours[0].removeprefix("LOSSES "))]
    assert len(losses) == 3
    (written,) = (tmp_path / "out" / "runs").iterdir()
    for directory in ("runs/huggingface/vit", "runs/huggingface/vit-2", "runs/vit", written):
        run = mindscope.open_run(tmp_path / directory)
        assert run.scalars("train/loss").value.tolist() == losses
    wandb = mindscope.open_run(tmp_path / "runs" / "huggingface" / "vit")
    assert wandb.scalars("train/global_step").value.tolist() == [1.0, 2.0, 3.0, 3.0]
    assert wandb.hparams["hidden_size"] == 16
    assert said(done)[0] == "mindscope run: 4 runs"


LIGHTNING = """
import sys
import lightning, torch
from lightning.pytorch.loggers import TensorBoardLogger, WandbLogger
lightning.seed_everything(0, verbose=False)

class Module(lightning.LightningModule):
    def __init__(self, rate=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(4, 2)
    def training_step(self, batch, number):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        print("LOSS", loss.item())
        return loss
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.hparams.rate)

data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(32, 4)), batch_size=4, shuffle=True)
module = Module()
loggers = False
if len(sys.argv) > 1:
    loggers = [WandbLogger(project="lit", name="first", log_model="all"), TensorBoardLogger("logs")]
    loggers[0].watch(module)
    loggers[0].log_image("image", [torch.zeros(3, 8, 8)])
    loggers[0].log_table("table", columns=["a"], data=[[1]])
trainer = lightning.Trainer(
    logger=loggers, max_epochs=1, log_every_n_steps=1, enable_progress_bar=False, enable_model_summary=False,
    enable_checkpointing=len(sys.argv) > 1, accelerator="cpu",
)
trainer.fit(module, data)
print("LOSS", torch.rand(1).item())
"""


def test_loggers_of_lightning(tmp_path: Path) -> None:
    done, plain = run_in(tmp_path, LIGHTNING, "loggers"), plain_in(tmp_path, LIGHTNING)
    ours, expected = ([line for line in each.stdout.splitlines() if line.startswith("LOSS")] for each in (done, plain))
    assert ours == expected, done.stderr
    losses = [float(np.float32(line.split()[1])) for line in ours[:-1]]
    run = mindscope.open_run(tmp_path / "runs" / "lit" / "first")
    assert run.scalars("loss").value.tolist() == losses
    assert run.scalars("trainer/global_step").value.tolist() == [float(step) for step in range(8)]
    assert run.hparams["rate"] == 0.1
    assert (run.tags("image"), run.tags("table")) == (("image/0",), ("table",))
    run = mindscope.open_run(tmp_path / "logs" / "lightning_logs" / "version_0")
    assert run.scalars("loss").value.tolist() == losses
    assert run.hparams["rate"] == 0.1
    assert any("wandb.run.watch" in line and "wandb.Artifact" in line for line in said(done))


ACCELERATE = """
import os
from accelerate import Accelerator
accelerator = Accelerator(log_with=["wandb", "trackio", "swanlab"], cpu=True)
accelerator.init_trackers("project", config={"lr": 1, "net": {"depth": 2}}, init_kwargs={"wandb": {"name": "w"}})
for step in range(3):
    accelerator.log({"loss": 1 / (step + 1)}, step=step)
accelerator.end_training()
"""


def test_trackers_of_accelerate(tmp_path: Path) -> None:
    done = run_in(tmp_path, ACCELERATE)
    assert done.returncode == 0, done.stderr
    assert said(done)[0] == "mindscope run: 3 runs"
    runs = mindscope.open_runs(tmp_path / "runs")
    assert len(runs) == 3
    for run in runs.values():
        assert run.scalars("loss").step.tolist() == [0, 1, 2]
        assert run.hparams["net.depth"] == 2


RANKS = """
import torch, wandb
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
wandb.init(project="ranks", name="train")
total = torch.tensor([rank + 1.0])
torch.distributed.all_reduce(total)
wandb.log({"total": total.item(), "rank": rank})
torch.distributed.destroy_process_group()
"""


def test_torchrun_with_two_processes(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RANKS)
    options = ["--standalone", "--nproc-per-node", "2"]
    done = completed([sys.executable, "-m", "mindscope", "run", "torchrun", *options, "script.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert said(done)[0] == "mindscope run: 2 runs"
    inner = [sys.executable, "-m", "torch.distributed.run", *options, "-m", "mindscope", "run", "--dir", "inner"]
    done = completed([*inner, "script.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    for base in ("runs", "inner"):
        runs = mindscope.open_runs(tmp_path / base)
        assert sorted(run.scalars("rank").value.tolist() for run in runs.values()) == [[0.0], [1.0]]
        assert all(run.scalars("total").value.tolist() == [3.0] for run in runs.values())


CALLBACKS = """
import numpy as np
import lightgbm, xgboost, wandb
from wandb.integration.xgboost import WandbCallback
from wandb.integration.lightgbm import wandb_callback
import keras
from wandb.integration.keras import WandbMetricsLogger, WandbModelCheckpoint

random = np.random.default_rng(0)
x, y = random.random((64, 4)), random.random(64)
wandb.init(name="boosted")
data = xgboost.DMatrix(x, y)
callbacks = [WandbCallback(log_model=True)]
xgboost.train({"nthread": 1}, data, 3, evals=[(data, "train")], callbacks=callbacks, verbose_eval=False)
wandb.finish()
wandb.init(name="light")
rows = lightgbm.Dataset(x, y)
options = {"verbose": -1, "num_threads": 1, "metric": "l2"}
lightgbm.train(options, rows, 3, valid_sets=[rows], valid_names=["train"], callbacks=[wandb_callback()])
wandb.finish()
wandb.init(name="layers")
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, epochs=2, verbose=0, callbacks=[WandbMetricsLogger(log_freq=1), WandbModelCheckpoint("models")])
"""


def test_callbacks_of_wandb_integration(tmp_path: Path) -> None:
    done = run_in(tmp_path, CALLBACKS, KERAS_BACKEND="torch")
    assert done.returncode == 0, done.stderr
    runs = mindscope.open_runs(tmp_path / "runs")
    assert len(runs["boosted"].scalars("train/rmse").value) == 3
    assert len(runs["light"].scalars("train/l2").value) == 3
    assert len(runs["layers/train"].scalars("epoch_loss").value) == 2
    assert any(line.startswith("  runs/layers  wandb: ") and "scalars" in line for line in said(done))
