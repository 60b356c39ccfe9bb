# SPDX-License-Identifier: Apache-2.0
"""Trainings that are killed in their 23rd step: ``python killed.py DIRECTORY`` makes a run of each kind in it.

Each in a fork, so that PyTorch is imported once. The first that is not killed ends all with an exit code.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch
import torch._dynamo  # which each of them would import for its graph
from digits import SmallNet, batches, make_model
from torch import nn

from mindscope import SummaryRecord, flush_all
from mindscope.torch import Callback, ModelCheckpoint, RunContext, SummaryCollector, TrainLineage
from mindscope.torch.callbacks.checkpoint_config import CheckpointConfig

LAST_STEP = 23


class Killed(Callback):
    def step_end(self, run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == LAST_STEP:
            kill()


def kill() -> None:
    assert flush_all()
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_model(directory: Path) -> None:
    kept = {"collect_landscape": {"unit": "step", "intervals": [[1, 2, 3], [30, 31, 32]]}}
    collector = SummaryCollector(directory, collect_freq=4, collect_specified_data=kept)
    saving = ModelCheckpoint("net", directory / "ckpt", CheckpointConfig(save_checkpoint_steps=10))
    model, falling = make_model(0.05), torch.optim.lr_scheduler.ExponentialLR

    class Scheduled(Callback):
        def begin(self, run_context: RunContext) -> None:
            self.scheduler = falling(run_context.original_args().optimizer, 0.5)

        def step_end(self, run_context: RunContext) -> None:
            self.scheduler.step()

    model.train(9, batches(64), callbacks=[collector, Scheduled(), saving, Killed()])


def in_an_own_loop(directory: Path) -> None:
    network = SmallNet()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    with SummaryCollector(directory, collect_freq=4) as collector:
        for epoch in range(1, 10):
            for images, labels in batches(64):
                loss = nn.functional.cross_entropy(network(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                collector.step(loss, network=network, optimizer=optimizer, input_data=images, epoch=epoch)
                if epoch * 4 > LAST_STEP:
                    kill()


def with_the_old_callbacks(directory: Path) -> None:
    with SummaryRecord(directory) as record:
        make_model(0.05).train(9, batches(64), callbacks=[TrainLineage(record), Killed()])


TRAININGS = {"model": in_a_model, "own": in_an_own_loop, "legacy": with_the_old_callbacks}


def main(directory: Path) -> None:
    torch.set_num_threads(1)
    for name, train in TRAININGS.items():
        child = os.fork()
        if child == 0:
            train(directory / name)
            sys.exit(f"{name} was trained to its end")
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(f"{name} was not killed: {status}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
