# SPDX-License-Identifier: Apache-2.0
"""``MindscopeLogger`` for the ``Trainer`` of ``lightning`` or ``pytorch_lightning``."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lightning_utilities.core.rank_zero import rank_zero_only

from mindscope.integrations.recording import TrainingRun, TrainingWriter, guarded
from mindscope.torch.integrations.lightning_packages import classes_of

if TYPE_CHECKING:
    from lightning.pytorch.loggers import Logger as _Logger
else:
    _Logger = type("_Logger", classes_of("Logger", ".loggers"), {})

_VERSION = "version_"


class MindscopeLogger(_Logger):
    """Records what modules log, in the directories and by the names that ``TensorBoardLogger`` uses.

    ``self.logger.experiment`` is a ``mindscope.SummaryWriter``. Hyperparameters belong to the run itself, nested ones
    as ``outer.inner``; the newest checkpoint is the text ``checkpoint``. Only the process of rank 0 records.

    Args:
        save_dir: directory of the experiments.
        name: directory of this experiment in it.
        version: number or name of the run; by default the next number.
        log_graph: record the graph of the module if it has an ``example_input_array``.
        prefix: beginning of the names of all metrics.
    """

    def __init__(
        self, save_dir: str | PathLike[str] = "runs", name: str | None = "lightning_logs",
        version: int | str | None = None, log_graph: bool = False, prefix: str = "",
    ) -> None:  # fmt: skip
        super().__init__()
        self._save_dir, self._name, self._version = fspath(save_dir), name or "", version
        self._log_graph, self._prefix = log_graph, prefix
        self._run: TrainingRun | None = None
        self._checkpoint = ""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_run": None}

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self._name

    @property
    def version(self) -> int | str:
        """The number or name of the run."""
        if self._version is None:
            names = [path.name.removeprefix(_VERSION) for path in Path(self.root_dir).glob(f"{_VERSION}*")]
            self._version = max((int(name) for name in names if name.isdecimal()), default=-1) + 1
        return self._version

    @property
    def save_dir(self) -> str:
        """The directory of the experiments."""
        return self._save_dir

    @property
    def root_dir(self) -> str:
        """The directory of this experiment."""
        return str(Path(self._save_dir) / self._name)

    @property
    def log_dir(self) -> str:
        """The directory of the run."""
        version = self.version
        return str(Path(self.root_dir) / (version if isinstance(version, str) else f"{_VERSION}{version}"))

    @property
    def experiment(self) -> TrainingWriter:
        """The writer of the run; on other ranks than 0 one that records nothing."""
        if self._run is None:
            self._run = TrainingRun(self.log_dir, False, write_to_disk=cast(Any, rank_zero_only).rank == 0)
        return self._run.writer

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers at a step, as ``prefix-name`` if there is a prefix."""
        named = {f"{self._prefix}-{name}": value for name, value in metrics.items()} if self._prefix else metrics
        self.experiment.add_values(named, step)

    @rank_zero_only
    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """Record hyperparameters: a dict, or what argparse gives."""
        self.experiment.add_settings(vars(params) if isinstance(params, Namespace) else params or {})

    @rank_zero_only
    @guarded
    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Record the graph of a module, traced from a copy in another process."""
        example = getattr(model, "example_input_array", None) if input_array is None else input_array
        if self._log_graph and example is not None:
            self.experiment.add_graph(model, example)

    @rank_zero_only
    @guarded
    def after_save_checkpoint(self, checkpoint_callback: Any) -> None:
        """Record the path of the newest checkpoint."""
        path = str(checkpoint_callback.best_model_path or getattr(checkpoint_callback, "last_model_path", ""))
        if path and path != self._checkpoint:
            self._checkpoint = path
            step = getattr(checkpoint_callback, "_last_global_step_saved", None)
            self.experiment.add_text("checkpoint", path, step)

    @rank_zero_only
    @guarded
    def save(self) -> None:
        """Wait until everything recorded so far is in the files."""
        self.experiment.flush()

    @rank_zero_only
    def finalize(self, status: str) -> None:
        """Write everything, as a training is over or failed."""
        if self._run is None:
            return
        if status == "failed":
            self._run.error(RuntimeError("the training failed"))
        else:
            self._run.end()
