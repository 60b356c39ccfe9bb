# SPDX-License-Identifier: Apache-2.0
"""``MindscopeLogger`` for engines of PyTorch Ignite."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mindscope.integrations.recording import TrainingRun, TrainingWriter

if TYPE_CHECKING:
    _Logger = object
else:
    from ignite.handlers.tensorboard_logger import TensorboardLogger as _Logger


class MindscopeLogger(_Logger):
    """A drop-in for ``TensorboardLogger`` of Ignite, whose methods and handlers all work, with the same tags and steps.

    It needs neither TensorBoard nor tensorboardX. Methods of ``SummaryWriter`` work on it too. Ignite tells loggers
    nothing of an engine that fails: use ``with MindscopeLogger(...) as logger:`` to end the run as failed at once; else
    it ends with the process.

    Args:
        log_dir: directory of the run.
        config: hyperparameters of the run.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/ignite", config: Mapping[str, Any] | None = None) -> None:
        self.run = TrainingRun(log_dir, has_end=False)
        self.run.start(lambda: config or {})

    @property
    def writer(self) -> TrainingWriter:
        """The writer of the run, which handlers write to."""
        return self.run.writer

    def close(self) -> None:
        """Write everything."""
        self.run.end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run.__exit__(kind, error, trace)
