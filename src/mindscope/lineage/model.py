# SPDX-License-Identifier: Apache-2.0
"""The lineage of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

CustomValue = bool | int | float | str

Part = TypeVar("Part", "TrainLineage", "EvalLineage")


@dataclass(frozen=True, slots=True)
class TrainLineage:
    """The parts and the results of a training; a field is None if no file has it.

    ``learning_rate`` and ``loss`` are widened float32. ``dataset_size`` counts samples. ``model_path`` is the last
    checkpoint, ``model_size`` its size in bytes. ``model_paths`` holds the whole JSON of the file (``{"ckpt": ...}``).
    """

    optimizer: str | None = None
    learning_rate: float | None = None
    loss_function: str | None = None
    epoch: int | None = None
    parallel_mode: str | None = None
    device_num: int | None = None
    batch_size: int | None = None
    dataset_path: str | None = None
    dataset_size: int | None = None
    network: str | None = None
    loss: float | None = None
    model_path: str | None = None
    model_paths: Mapping[str, Any] | None = None
    model_size: int | None = None


@dataclass(frozen=True, slots=True)
class EvalLineage:
    """Results of an evaluation; ``metric`` is the parsed JSON, None if the file has none."""

    metric: Mapping[str, Any] | None = None
    dataset_path: str | None = None
    dataset_size: int | None = None


@dataclass(frozen=True, slots=True)
class Lineage:
    """The merged lineage of all files of a run; newer values win. Parts that no file has are None."""

    train: TrainLineage | None = None
    eval: EvalLineage | None = None
    custom: Mapping[str, CustomValue] = field(default_factory=dict[str, CustomValue])

    def __bool__(self) -> bool:
        """Return whether there is any lineage."""
        return self.train is not None or self.eval is not None or bool(self.custom)

    def row(self) -> dict[str, Any]:
        """Return one flat table row; metrics are columns ``metric/NAME``, user-defined fields ``custom/NAME``.

        Unknown values have no column.
        """
        row = _known(self.train, "model_paths")
        row |= {f"eval_{name}": value for name, value in _known(self.eval, "metric").items()}
        row |= {f"metric/{name}": value for name, value in ((self.eval and self.eval.metric) or {}).items()}
        return row | {f"custom/{name}": value for name, value in self.custom.items()}


def merge(older: Part | None, newer: Part) -> Part:
    """Return the merged lineage of two files; ``newer`` wins if both have a value."""
    if older is None:
        return newer
    return type(newer)(**(_known(older) | _known(newer)))


def _known(part: TrainLineage | EvalLineage | None, *but: str) -> dict[str, Any]:
    if part is None:
        return {}
    values = {each.name: getattr(part, each.name) for each in fields(part) if each.name not in but}
    return {name: value for name, value in values.items() if value is not None}
