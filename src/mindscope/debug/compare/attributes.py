# SPDX-License-Identifier: Apache-2.0
"""Compares the attributes of a tensor, and of its operator, in two dumps."""

from __future__ import annotations

from collections.abc import Mapping

from mindscope.debug.model.attributes import TensorAttributes
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics

REQUIRES_GRAD, PLAIN_VALUE, CHECKSUM = "requires_grad", "plain_value", "checksum"
"""Codes of ``difference_level``."""


def differing_attributes(
    sources: tuple[DebugSource, DebugSource],
    steps: tuple[StepStatistics, StepStatistics],
    rows: tuple[int, int],
    *,
    is_result: bool,
    has_elements: bool = False,
) -> tuple[str, ...]:
    """Return the codes of attributes that both dumps have and that differ; none of formats without attributes.

    Checksums and plain values of two frameworks don't compare: frameworks hash other bytes, and order arguments in
    another way.

    Args:
        sources: both dumps.
        steps: one of each.
        rows: of a tensor in both.
        is_result: whether the tensor is a result of its operator, whose plain values count too.
        has_elements: elements were compared, so that checksums say nothing more.
    """
    if not all(step.attributes for step in steps):
        return ()
    left, right = (step.attributes[row] for step, row in zip(steps, rows, strict=True))
    one, other = (source.tensors[int(step.tensor[row])]
                  for source, step, row in zip(sources, steps, rows, strict=True))  # fmt: skip
    is_same_framework = sources[0].framework == sources[1].framework
    checks = {
        REQUIRES_GRAD: None not in (left.requires_grad, right.requires_grad)
        and left.requires_grad != right.requires_grad,
        PLAIN_VALUE: is_result and is_same_framework and one.type == other.type
        and _differ(left.plain_values, right.plain_values),
        CHECKSUM: is_same_framework and not has_elements and _has_other_checksum(left, right),
    }  # fmt: skip
    return tuple([code for code, differs in checks.items() if differs])


def _differ(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    return any(left[key] != right[key] for key in left.keys() & right.keys())


def _has_other_checksum(left: TensorAttributes, right: TensorAttributes) -> bool:
    return len(left.checksum) == len(right.checksum) and left.checksum != right.checksum
