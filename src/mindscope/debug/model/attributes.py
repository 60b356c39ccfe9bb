# SPDX-License-Identifier: Apache-2.0
"""Holds what a dump says of a tensor and its operator beside statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TensorAttributes:
    """Attributes of one tensor in one step."""

    requires_grad: bool | None = None
    """Whether it requires a gradient; None where it is not known."""
    checksum: str = ""
    """Checksum that the dump has; empty without one. Two are of the same kind only if their lengths are equal."""
    plain_values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Arguments and results of its operator that are no tensors, as JSON by part and slot: ``input_args.1``."""
