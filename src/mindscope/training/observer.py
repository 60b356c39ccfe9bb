# SPDX-License-Identifier: Apache-2.0
"""``TrainingObserver``: the events of a training, and what a trainer reports with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict


class TrainingFacts(TypedDict, total=False):
    """Facts of a trainer for the lineage of a run, by the names of ``CallbackParams``; None if it doesn't know."""

    loss_fn: Any
    train_dataset: Any
    epoch_num: int | None  # of the training
    batch_num: int | None  # steps of an epoch
    scheduler: Any  # of the learning rate: one, or a list
    precision_level: str | None  # the argument of the trainer that sets mixed precision
    hyper_parameters: Callable[[], Mapping[str, Any]]  # by name; called once
    logged_values: Callable[[], Mapping[str, Any]]  # of the present step, by the tag of the curve


@dataclass
class Training:
    """A training that runs. The trainer may change ``optimizers`` and ``checkpoint`` while it runs."""

    network: Any
    """The network, with the wrappers that the trainer calls."""
    optimizers: Sequence[Any]
    steps: int = 0
    """The number of steps before this training, as from a checkpoint."""
    epoch: int = 1
    """The number of the epoch in which it begins, from 1."""
    facts: Callable[[], TrainingFacts] = TrainingFacts
    """Called only by observers that record facts."""
    observers: Sequence[TrainingObserver] = ()
    """All observers of this training; those of one callback if empty."""
    checkpoint: str | None = None
    """The newest file of weights."""


@dataclass
class Step:
    """A step: the batches between two changes of the weights."""

    number: int
    """The number of the step, from 1; it counts on after a checkpoint."""
    epoch: int
    """The number of its epoch, from 1."""
    batch: Any = None
    """The present batch; None where the trainer doesn't give it."""
    loss: Any = None
    """The detached loss of the step, when the step is over: a number, or a tensor on its device."""
    learning_rates: Mapping[str, Any] | None = None
    """The rates of this step by tag; None if they are still those of the optimizers when the step ends."""
    is_over: bool = False
    """Whether the optimizer changed the weights; else the batch only accumulated gradients."""
    is_next: bool = True
    """Whether the next step follows at once, without an evaluation or another pause before it."""


class TrainingObserver:
    """Observes a training. Override what you need: these methods do nothing.

    Events come in this order: ``begin``; for each step ``step_begin``, for each of its batches ``batch_begin`` and
    ``batch_end``, then ``step_end``; at last ``end`` or ``error``. An observer must not change the training: it doesn't
    call the network, and draws no random numbers. What it raises is logged, except in ``begin``.
    """

    needs_losses = True
    """Whether it reads the loss of steps. Some trainers set a hook on the network to get it."""
    needs_metrics = False
    """Whether it reads checkpoints, learning rates, ``log`` and ``evaluated``, which cost some trainers time."""

    def begin(self, training: Training) -> None:
        """A training begins: the network is on its device, the optimizers exist. An error ends the training."""

    def step_begin(self, step: Step) -> None:
        """A step begins, before the first of its batches goes through the network."""

    def batch_begin(self, step: Step) -> None:
        """A batch of the step begins. A trainer that doesn't report each batch reports the first only."""

    def batch_end(self, step: Step) -> None:
        """A batch ends, before the trainer or another callback does anything else; ``step.is_over`` for the last."""

    def step_end(self, step: Step) -> None:
        """A step is over, with all that the trainer does for it."""

    def pause(self) -> None:
        """Begin a pause, whose events belong to no step, such as an evaluation.

        The next ``batch_begin`` ends the pause.
        """

    def epoch_end(self) -> None:
        """An epoch is over, after its last ``step_end``."""

    def log(self, values: Mapping[str, Any], step: int) -> None:
        """The trainer logs values, by the tag of their curve; ``step`` is the last step that is over."""

    def evaluated(self, metrics: dict[str, Any], curves: dict[str, Any], dataset: Any) -> None:
        """An evaluation is over, inside or outside of a training.

        Args:
            metrics: all that evaluations of this training gave, by name.
            curves: the values of this evaluation, by the tag of their curve.
            dataset: the data that were evaluated; None if unknown.
        """

    def end(self) -> None:
        """The training is over."""

    def error(self, error: BaseException) -> None:
        """The training failed, or a ``begin`` did, perhaps this one's. By default this is an ``end``."""
        self.end()
