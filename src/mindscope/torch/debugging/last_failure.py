# SPDX-License-Identifier: Apache-2.0
"""Finds facts of the debuggers of this process about a training that just failed, for other recorders."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from torch import nn

from mindscope.debug.model.fields import Field
from mindscope.torch.debugging.recording import DebuggingSession
from mindscope.torch.debugging.step_collector import CollectedStep

_NOT_FINITE = (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)


def failed_operator(error: BaseException, network: nn.Module) -> dict[str, Any] | None:
    """Return name, module, phase and inputs of the operator of ATen that failed; None if no debugger saw it."""
    errors: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in errors:
        errors.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    failed_operators = [each.followed.failed_operator for each in _newest_first(network)]
    return next((facts for number, facts in filter(None, failed_operators) if number in errors), None)


def first_not_finite(network: nn.Module) -> dict[str, Any] | None:
    """Return step, operator and source line of the first tensor with a NaN or an infinity of the last steps.

    It returns None without one.

    Waits for the device.
    """
    for recording in _newest_first(network):
        for step in recording.last_steps:
            found = _first_of(recording, step)
            if found is not None:
                return found
    return None


def _newest_first(network: nn.Module) -> Iterable[DebuggingSession]:
    return sorted((each for each in DebuggingSession.known if each.is_of(network)), key=lambda each: -each.number)


def _first_of(recording: DebuggingSession, step: CollectedStep) -> dict[str, Any] | None:
    columns = step.fetch()
    bad = np.flatnonzero(sum(columns.statistics[field.value] for field in _NOT_FINITE) > 0)
    if not bad.size:
        return None
    tensor = recording.tensors.tensors(0)[int(columns.tensor[bad[np.argmin(columns.order[bad])]])]
    facts: dict[str, Any] = {
        "step": step.step, "operator": tensor.operator, "phase": str(tensor.phase), "role": str(tensor.role),
        "slot": tensor.slot, "dtype": tensor.dtype, "shape": None if tensor.shape is None else list(tensor.shape),
        "lines": list(tensor.stack),
    }  # fmt: skip
    return {name: value for name, value in facts.items() if value not in (None, "", [])}
