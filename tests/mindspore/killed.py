# SPDX-License-Identifier: Apache-2.0
"""A training that is killed in its 7th step: ``python killed.py DIRECTORY``."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import trainings
from mindspore import nn
from mindspore.train import Callback, CheckpointConfig, Model, ModelCheckpoint
from trainings import Perceptron, digits, loss_function

import mindscope
from mindscope.mindspore import SummaryCollector


class Killed(Callback):
    def on_train_step_end(self, run_context: Any) -> None:
        if run_context.original_args()["cur_step_num"] == 7:
            assert mindscope.flush_all()
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    trainings.begin()
    directory = sys.argv[1]
    network = Perceptron()
    groups = [
        {"params": network.fc1.trainable_params(), "lr": nn.CosineDecayLR(0.0, 0.1, 8)},
        {"params": network.fc2.trainable_params()},
    ]
    optimizer = nn.Momentum(groups, [0.05 / (step + 1) for step in range(8)], 0.9)
    collector = SummaryCollector(directory, collect_freq=2)
    saving = ModelCheckpoint("net", f"{directory}/ckpt", CheckpointConfig(save_checkpoint_steps=3))
    Model(network, loss_function(), optimizer).train(
        2, digits(128, 32), callbacks=[collector, saving, Killed()], dataset_sink_mode=False
    )
