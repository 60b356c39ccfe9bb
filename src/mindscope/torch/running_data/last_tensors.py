# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of a training at its end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.utils import _pytree as pytree

from mindscope.debug.model.fields import FIELDS, Field
from mindscope.torch.debugging.device_statistics import device_statistics
from mindscope.torch.debugging.element_types import ELEMENT_TYPES
from mindscope.torch.debugging.plain_tensors import NotSummarizedError, plain_tensor
from mindscope.torch.running_data.last_step import ModuleCall

_NUMBERS = [field for field in FIELDS if field not in (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE)]
COLUMNS = ("kind", "name", "dtype", "shape", *map(str, _NUMBERS), "problem")
"""Names of the columns of ``TensorSummary.row``."""


@dataclass(slots=True)
class LastTensor:
    """The statistics of a tensor."""

    kind: str
    """``batch``, ``output``, ``gradient``, ``parameter`` or ``buffer``."""
    name: str
    dtype: str
    shape: list[int]
    statistics: list[float]
    """The fields that ``COLUMNS`` names; empty if they are not known."""
    problem: str = ""
    """Reason why the statistics are not known; empty if they are."""

    @property
    def is_finite(self) -> bool | None:
        """Whether it has neither NaN nor infinities; None if that is not known."""
        bad = [_NUMBERS.index(field) for field in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)]
        return not any(self.statistics[index] for index in bad) if self.statistics else None

    @property
    def row(self) -> tuple[Any, ...]:
        """A row of a table: counts as whole numbers, unknown figures empty."""
        figures = [
            "" if math.isnan(statistic) else int(statistic) if statistic.is_integer() else statistic
            for statistic in self.statistics
        ]
        return (self.kind, self.name, self.dtype, str(self.shape), *(figures or [""] * len(_NUMBERS)), self.problem)


def summarize_tensors(
    batch: Any, calls: Iterable[ModuleCall], network: nn.Module, optimizers: Iterable[Any]
) -> Iterator[LastTensor]:
    """Yield the tensors in the order in which a step computes them: batch, outputs, gradients, parameters, buffers.

    It waits for the device, and a device that no longer answers is a ``problem`` of each tensor.
    """
    for path, value in pytree.tree_flatten_with_path(batch)[0]:
        if isinstance(value, Tensor):
            yield _summarized("batch", pytree.keystr(path), value)
    for call in calls:
        for name, output in call.outputs:
            yield _summarized("output", name, output)
    named = dict(network.named_parameters())
    groups: list[dict[str, Any]] = [
        group for optimizer in optimizers for group in getattr(optimizer, "param_groups", [])
    ]
    known = {id(each) for each in named.values()}
    named |= {
        f"group{number}.{index}": each
        for number, group in enumerate(groups)
        for index, each in enumerate(group["params"])
        if id(each) not in known
    }
    for name, parameter in reversed(named.items()):
        if parameter.grad is not None:
            yield _summarized("gradient", name, parameter.grad)
    for name, parameter in named.items():
        yield _summarized("parameter", name, parameter)
    for name, buffer in network.named_buffers():
        yield _summarized("buffer", name, buffer)


def _summarized(kind: str, name: str, tensor: Tensor) -> LastTensor:
    summary = LastTensor(kind, name, str(tensor.dtype).removeprefix("torch."), list(tensor.shape), [])
    try:
        plain = plain_tensor(tensor).contiguous()
        statistics, _ = device_statistics(plain, ELEMENT_TYPES[plain.dtype])
        summary.statistics = statistics.tolist()
    except NotSummarizedError as error:
        summary.problem = str(error)
    except RuntimeError as error:  # of a device that failed, or has no memory left
        summary.problem = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return summary
