# SPDX-License-Identifier: Apache-2.0
"""What a collector leaves when a training goes wrong, and that it never goes wrong because of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from digits import batches, make_model

import mindscope
from mindscope.torch import Callback, LossMonitor, RunContext, SummaryCollector

pytestmark = pytest.mark.framework


def test_loss_that_is_no_number_is_recorded_before_it_ends_the_training(tmp_path: Path) -> None:
    class Spoil(Callback):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 3:
                run_context.original_args().net_outputs = torch.tensor(float("nan"))

    collector = SummaryCollector(tmp_path, collect_freq=1)
    with pytest.raises(ValueError, match="loss at epoch 1 step 3 is nan"):
        make_model().train(1, batches(64), callbacks=[Spoil(), collector, LossMonitor(0)])
    losses = mindscope.open_run(tmp_path).scalars("loss/auto")
    assert list(losses.step) == [1, 2, 3]
    assert np.isnan(losses.value[-1])


def test_directory_that_goes_away_does_not_disturb_the_training(tmp_path: Path) -> None:
    class Remove(Callback):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 2:
                shutil.rmtree(tmp_path / "run")

    model = make_model(metrics={"accuracy"})
    model.train(8, batches(), callbacks=[Remove(), SummaryCollector(tmp_path / "run", collect_freq=1)])
    assert model.eval(batches())["accuracy"] > 0.5


def test_directory_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory", "utf-8")
    with pytest.raises(OSError, match="file"):
        make_model().train(1, batches(16), callbacks=SummaryCollector(tmp_path / "file" / "run"))
