# SPDX-License-Identifier: Apache-2.0
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from harness import Planted, curve, digest, run
from ignite.engine import Engine, Events
from ignite.handlers import global_step_from_engine
from ignite.handlers.tensorboard_logger import WeightsHistHandler
from torch import nn

from mindscope.integrations.ignite import MindscopeLogger


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    network = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses: list[float] = []

    def step(engine: Engine, batch: torch.Tensor) -> float:
        if fails and engine.state.iteration == 4:
            raise Planted
        optimizer.zero_grad()
        loss = network(batch).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        return loss.item()

    def evaluate(engine: Engine, batch: torch.Tensor) -> None:
        engine.state.metrics = {"total": float(batch.sum()), "nested": {"a": 1, "b": [2.0, 3.0]}}

    trainer, evaluator = Engine(step), Engine(evaluate)
    data = [torch.arange(6.0).reshape(2, 3) / 6, torch.ones(2, 3)]
    trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda engine: evaluator.run(data[:1]) and None)
    with nullcontext() if log_dir is None else MindscopeLogger(log_dir, {"lr": 0.1, "net": {"width": 2}}) as logger:
        if logger is not None:
            logger.attach_output_handler(
                trainer, Events.ITERATION_COMPLETED, tag="training", output_transform=lambda loss: {"loss": loss}
            )
            logger.attach_output_handler(
                evaluator, Events.EPOCH_COMPLETED, tag="validation", metric_names="all",
                global_step_transform=global_step_from_engine(trainer),
            )  # fmt: skip
            logger.attach_opt_params_handler(trainer, Events.ITERATION_STARTED, optimizer=optimizer)
            logger.attach(trainer, WeightsHistHandler(network), Events.EPOCH_COMPLETED)
        trainer.run(data, max_epochs=3)
    return {
        "digest": digest(*(value.detach().numpy() for value in network.parameters())),
        "curves": {
            "training/loss": curve(range(1, 7), losses),
            "validation/total": curve([1, 2, 3], [float(data[0].sum())] * 3),
            "validation/nested/b/1": curve([1, 2, 3], [3.0] * 3),
            "lr/group_0": curve(range(1, 7), [0.1] * 6),
        },
    }


if __name__ == "__main__":
    run(train)
