# SPDX-License-Identifier: Apache-2.0
"""The loss in what a network gives."""

from __future__ import annotations

import numbers
from typing import Any, cast

import torch
from torch import Tensor


def loss_of(outputs: Any) -> Tensor | None:
    """Return the mean of the first output, where it is; None if that is no number or tensor."""
    first: Any = outputs
    if isinstance(outputs, (list, tuple)) and outputs:
        first = cast("list[Any]", outputs)[0]
    if isinstance(first, Tensor):
        detached = first.detach()
        return (
            detached
            if detached.ndim == 0
            else (detached.float() if not detached.is_floating_point() else detached).mean()
        )
    if isinstance(first, numbers.Real):
        return torch.tensor(float(first), dtype=torch.float64)
    return None


def loss_number(outputs: Any) -> float | None:
    """Return the loss of ``loss_of`` as float; waits for the device."""
    loss = loss_of(outputs)
    return None if loss is None else float(loss)


def step_in_epoch(params: Any) -> int:
    """Return the number of the current step in its epoch, from 1."""
    step, batches = int(params["cur_step_num"]), params.get("batch_num")
    return (step - 1) % int(batches) + 1 if batches else int(params.get("cur_step_in_epoch", step))
