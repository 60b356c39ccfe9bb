# SPDX-License-Identifier: Apache-2.0
"""Judges how serious the difference of an operator's tensors is, by the thresholds of msprobe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from mindscope.debug.tensor_difference import TensorDifference


class Level(str, Enum):
    """The severity of a difference."""

    OK = "ok"
    UNKNOWN = "unknown"
    """Nothing is known to be wrong, but a code needs elements of which only statistics were recorded."""
    WARNING = "warning"
    ERROR = "error"

    def __str__(self) -> str:
        return self.value


SEVERITY = {level: severity for severity, level in enumerate((Level.OK, Level.UNKNOWN, Level.WARNING, Level.ERROR))}
"""Rank of each level; a larger one is worse."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits of the preset; the defaults are those of msprobe."""

    near_input: float = 0.9
    near_output: float = 0.6
    """Error if the share of relative errors below 0.001 falls from above the first to below the second."""
    norm_input: float = 0.1
    norm_output: float = 0.5
    """Error if the norm error rises from below the first to above the second."""
    norm_growth: float = 10.0
    """Warning if the norm error of the output is this many times that of the inputs."""
    cosine_input: float = 0.9
    cosine_fall: float = 0.1
    """Warning if the cosine of the inputs is above the first and that of the output lower by more than the second."""
    least_norm_error: float = 1e-6
    """Norm errors below it are rounding: their growth is no warning."""
    guidance_cosine: float = 0.99
    """The smallest cosine of tensors that count as the same."""
    guidance_max_abs: float = 0.001
    """The largest absolute error of tensors that count as the same."""


def difference_level(
    output: TensorDifference,
    inputs: Sequence[TensorDifference] = (),
    limits: Thresholds | None = None,
    attributes: Sequence[str] = (),
) -> tuple[Level, tuple[str, ...]]:
    """Return the level of an output, beside the inputs of its operator, and the codes of what is wrong.

    Codes: ``shape``, ``dtype``, ``non_finite``, ``relative_error``, ``norm_error``, ``norm_growth``, ``cosine``. Those
    of the level ``unknown`` can't be decided.

    Args:
        output: of an operator.
        inputs: of the same operator.
        limits: those of msprobe by default.
        attributes: codes of attributes that differ, an error each, as of ``compare/attributes.py``.
    """
    limits = limits or Thresholds()
    errors = [*_errors(output, inputs, limits), *attributes]
    if errors:
        return Level.ERROR, tuple(errors)
    warnings = _warnings(output, inputs, limits)
    if warnings:
        return Level.WARNING, tuple(warnings)
    unknown = _unknown(output, inputs)
    return (Level.UNKNOWN if unknown else Level.OK), tuple(unknown)


def _unknown(output: TensorDifference, inputs: Sequence[TensorDifference]) -> list[str]:
    """Return codes that need the elements of a tensor whose statistics alone are known: their norms may be equal."""
    figures = {"relative_error": "share_within_1e3", "norm_error": "norm_error", "cosine": "cosine"}
    tensors = [each for each in (output, *inputs) if each.has_values]
    return [code for code, name in figures.items() if any(math.isnan(getattr(tensor, name)) for tensor in tensors)]


@dataclass(frozen=True, slots=True)
class Guidance:
    """One of msprobe's limits for tensors that count as the same; no level follows from it."""

    figure: str
    """Field of the difference."""
    value: float
    limit: float
    holds: bool


def guidance(found: TensorDifference, limits: Thresholds | None = None) -> tuple[Guidance, ...]:
    """Return whether two whole tensors are within the guidance. NaN is not."""
    limits = limits or Thresholds()
    cosine, max_abs = limits.guidance_cosine, limits.guidance_max_abs
    return (
        Guidance("cosine", found.cosine, cosine, found.cosine > cosine),
        Guidance("max_abs", found.max_abs, max_abs, found.max_abs < max_abs),
    )


def _errors(output: TensorDifference, inputs: Sequence[TensorDifference], limits: Thresholds) -> list[str]:
    near = min((each.share_within_1e3 for each in inputs), default=1.0)
    norm = max((each.norm_error for each in inputs), default=0.0)
    checks = {
        "shape": not output.is_shape_equal,
        "dtype": output.got_dtype != output.want_dtype,
        "non_finite": output.got_non_finite > 0 and output.want_non_finite == 0,
        "relative_error": near > limits.near_input and output.share_within_1e3 < limits.near_output,
        "norm_error": norm < limits.norm_input and output.norm_error > limits.norm_output,
    }
    return [code for code, is_wrong in checks.items() if is_wrong]


def _warnings(output: TensorDifference, inputs: Sequence[TensorDifference], limits: Thresholds) -> list[str]:
    norm = max((each.norm_error for each in inputs), default=0.0)
    cosine = min((each.cosine for each in inputs), default=1.0)
    is_grown = bool(inputs) and output.norm_error > limits.norm_growth * norm
    checks = {
        "norm_growth": is_grown and output.norm_error > limits.least_norm_error,
        "cosine": cosine > limits.cosine_input and output.cosine < cosine - limits.cosine_fall,
    }
    return [code for code, is_wrong in checks.items() if is_wrong]
