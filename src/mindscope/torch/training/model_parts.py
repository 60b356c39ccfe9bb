# SPDX-License-Identifier: Apache-2.0
"""The parts of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from mindscope.torch.core.arguments import check_flag
from mindscope.torch.core.context import CONTEXT
from mindscope.torch.core.devices import device_of
from mindscope.torch.metrics.collection import Metrics, check_metrics
from mindscope.torch.training.model_arguments import check_parts
from mindscope.torch.training.precision import Precision

LossFunction = Callable[[Any, Any], Any]


class ModelParts:
    """Network, loss function, optimizer and metrics on their device, as the arguments of ``Model`` choose them.

    Raises:
        TypeError, ValueError: arguments that can't be used.
    """

    def __init__(
        self,
        network: nn.Module,
        loss_fn: LossFunction | None,
        optimizer: Optimizer | None,
        metrics: Mapping[str, Any] | Iterable[str] | None,
        eval_network: nn.Module | None,
        eval_indexes: list[int] | None,
        amp_level: str,
        keep_batchnorm_fp32: bool | None,
        device: str | torch.device | None,
        is_compiled: bool,
    ) -> None:
        check_parts(network, loss_fn, optimizer)
        wanted = CONTEXT.device if device is None else torch.device(device)
        self.device = device_of(network) if wanted is None else wanted
        """Device to which batches are moved."""
        for each in (network, eval_network, loss_fn):
            if wanted is not None and isinstance(each, nn.Module):
                each.to(self.device)
        self.network, self.loss_fn, self.optimizer = network, loss_fn, optimizer
        self.own_eval_network = eval_network
        """Evaluates whole batches; None where the network does it."""
        self.metrics = Metrics(check_metrics(metrics), eval_indexes, self.device)
        self.precision = Precision(amp_level, self.device.type, keep_batchnorm_fp32)
        self.called: Callable[..., Any] = self.precision.wrap(network)
        """The network as it is called: in its precision, compiled if wanted."""
        if check_flag("is_compiled", is_compiled):
            self.called = torch.compile(self.called)

    @property
    def eval_network(self) -> nn.Module:
        """The network that evaluates."""
        return self.own_eval_network or self.network
