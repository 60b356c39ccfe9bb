# SPDX-License-Identifier: Apache-2.0
"""``collect_output``: what a training prints, in a loop of one's own, in Model, Lightning and Transformers."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from digits import batches, make_model
from torch import nn

from mindscope.torch import SummaryCollector
from mindscope.torch.callbacks.callback import Callback

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


class Talking(nn.Module):
    """A layer that prints, as C++ code does, past the streams of Python."""

    def forward(self, values: Any) -> Any:
        os.write(1, b"layer runs\n")
        return values


class TalkingCallback(Callback):
    def step_end(self, run_context: Any) -> None:
        os.write(1, b"layer runs\n")


def own_loop(collector: SummaryCollector, directory: Path) -> None:
    layer = Talking()
    with collector:
        for _ in range(3):
            collector.step(float(layer(1.0)))


def model(collector: SummaryCollector, directory: Path) -> None:
    make_model().train(1, batches(48), callbacks=[collector, TalkingCallback()])


def lightning(collector: SummaryCollector, directory: Path) -> None:
    pytest.importorskip("lightning")
    from test_lightning import module_of, trainer_of

    package = "lightning.pytorch"
    assert import_module(package)
    module = module_of(package)
    module.net = nn.Sequential(Talking(), module.net)
    trainer_of(package, directory, collector, max_epochs=1).fit(module, batches(48))


def transformers(collector: SummaryCollector, directory: Path) -> None:
    pytest.importorskip("transformers")
    from test_transformers import trainer_of

    trainer = trainer_of(directory, collector, num_train_epochs=1, eval_strategy="no")
    trainer.model.vit.layernorm = nn.Sequential(trainer.model.vit.layernorm, Talking())
    trainer.train()


@pytest.mark.parametrize("train", [own_loop, model, lightning, transformers])
def test_output_is_in_the_run(tmp_path: Path, train: Callable[[SummaryCollector, Path], None]) -> None:
    train(SummaryCollector(tmp_path / "run", collect_specified_data={"collect_output": True}), tmp_path)
    lines = (tmp_path / "run" / "output.log").read_text().splitlines()
    assert sum(line.endswith(" stdout F layer runs") for line in lines) >= 3
    os.write(1, b"after the training\n")
    assert "after the training" not in (tmp_path / "run" / "output.log").read_text()


def test_without_the_option_there_is_no_file(tmp_path: Path) -> None:
    own_loop(SummaryCollector(tmp_path / "run"), tmp_path)
    assert not (tmp_path / "run" / "output.log").exists()
