# SPDX-License-Identifier: Apache-2.0
"""Interface between a collector and the framework that trains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mindscope.collector.run_facts import Facts
from mindscope.graph.data.dataset import DatasetNode
from mindscope.lineage.model import EvalLineage, TrainLineage


class WeightCopy(Protocol):
    """The weights of a network at one step, in memory."""

    @property
    def size(self) -> int:
        """Size in bytes."""
        ...

    def write(self, file: Path) -> None:
        """Write the weights to a file that doesn't exist, on any thread. Raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class CheckpointFormat:
    """The names and the listing of the checkpoints of a framework."""

    suffix: str
    is_listed_by_absolute_path: bool


class Framework(Protocol):
    """One implementation a framework, thin: what is found out differently there, and nothing else.

    ``params`` is the state of the loop, as callbacks get it: a mapping with ``mode``, ``cur_step_num``,
    ``cur_epoch_num``, ``epoch_num``, ``batch_num``, ``dataset_sink_mode``, ``train_dataset_element``, ``metrics`` and
    ``eval_results`` where the loop knows them. The collector logs what they raise; the training continues.
    """

    checkpoint_format: CheckpointFormat

    def graph(self, params: Any) -> Any:
        """Return the network's graph in any form that ``add_value`` takes; None without one."""
        ...

    def dataset(self, params: Any) -> DatasetNode | None:
        """Return the data pipeline of a training; None without one."""
        ...

    def facts(self, params: Any) -> Facts:
        """Return functions that find the automatic fields of the lineage, by a name of ``collect_options.FACTS``."""
        ...

    def train_lineage(self, params: Any) -> TrainLineage:
        """Return the parts and the results of the training until now."""
        ...

    def learning_rate(self, params: Any) -> float | None:
        """Return the learning rate that the optimizer began with, else the present one; None without one."""
        ...

    def learning_rates(self, params: Any) -> Mapping[str, Any]:
        """Return the rates of this step by tag; None for one that its optimizer finds by itself."""
        ...

    def eval_lineage(self, params: Any) -> EvalLineage:
        """Return the results of the evaluation."""
        ...

    def loss(self, params: Any) -> Any:
        """Return the mean loss of the step, a number or tensor; None where the outputs hold none."""
        ...

    def some_images(self, batch: Any) -> Any:
        """Return the images of a batch that are collected: all, or as many as are cheap."""
        ...

    def parameters(self, params: Any) -> Mapping[str, Any]:
        """Return the trained parameters by name, in their order."""
        ...

    def take_values(self) -> Iterable[tuple[str, str, Any]]:
        """Return the values of summary operators of this step, as (plugin, name, value); the next step begins."""
        ...

    def discard_values(self) -> None:
        """Discard the step's values of summary operators."""
        ...

    def network_name(self, params: Any) -> str | None:
        """Return the class of the network whose weights make a landscape; None where the loop knows no network."""
        ...

    def copy_weights(self, params: Any, spare: WeightCopy | None) -> WeightCopy | None:
        """Return a copy of what is trained of that network, and of the statistics of its normalization layers.

        It may take the memory of ``spare``, a copy that was written. Returns as soon as the training may change the
        weights; None where another process keeps them. Raises FrameworkError where this process does not have all.
        """
        ...
