# SPDX-License-Identifier: Apache-2.0
"""MindInsight's conditions: one row each, with parameters, defaults and ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from mindscope.debug.model.tensor_kinds import TensorKind
from mindscope.debug.watchpoints.statistics import (
    ABS_MEAN,
    MAX,
    MAX_MIN,
    MEAN,
    MIN,
    NON_FINITE,
    OPERATOR_OVERFLOW,
    RANGE_PERCENTAGE,
    UNCHANGED,
    UPDATE_RATIO,
    ZERO_PERCENTAGE,
    Statistic,
)


class Comparison(str, Enum):
    """The comparison of the actual value with the set one."""

    ABOVE = ">"
    BELOW = "<"
    AT_LEAST = ">="

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a condition. Any enabled parameter with a statistic that holds is a hit."""

    name: str
    statistic: Statistic | None = None
    """Statistic that the set value is compared with; None for a parameter that only configures that of another."""
    comparison: Comparison = Comparison.ABOVE
    default: float | None = None
    """Value by default; None disables the parameter until it is set."""
    low: float = -math.inf
    high: float = math.inf
    is_low_excluded: bool = False

    def accepts(self, value: float) -> bool:
        """Return whether a value is in the range of the parameter."""
        is_above = value > self.low if self.is_low_excluded else value >= self.low
        return math.isfinite(value) and is_above and value <= self.high

    @property
    def range_text(self) -> str:
        """The range for messages: ``a number from 0 to 100``."""
        if self.low == -math.inf:
            return "a finite number"
        if self.high == math.inf:
            return f"a finite number {'above' if self.is_low_excluded else 'of at least'} {self.low:g}"
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, over tensors of one kind."""

    id: str
    abbreviation: str
    kind: TensorKind
    parameters: tuple[Parameter, ...] = ()
    statistic: Statistic | None = None
    """Statistic of a condition that compares no parameter: it holds where this is above 0."""
    takes_non_finite: bool = False
    """Whether a tensor with NaN or infinity is evaluated. All other conditions give it an error code."""
    is_of_first_step: bool = False

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of a name."""
        return next((each for each in self.parameters if each.name == name), None)

    @property
    def defaults(self) -> dict[str, float]:
        """The parameters that are set unless the user sets them."""
        return {parameter.name: parameter.default for parameter in self.parameters if parameter.default is not None}


def _percentage(name: str, statistic: Statistic, comparison: Comparison, default: float | None = None) -> Parameter:
    return Parameter(name, statistic, comparison, default, 0, 100)


def _magnitude(name: str, statistic: Statistic, comparison: Comparison, default: float | None = None) -> Parameter:
    return Parameter(name, statistic, comparison, default, 0)


_TOO_LARGE = (
    _magnitude("abs_mean_gt", ABS_MEAN, Comparison.ABOVE),
    Parameter("max_gt", MAX),
    Parameter("min_gt", MIN),
    Parameter("mean_gt", MEAN),
)
_TOO_SMALL = (
    _magnitude("abs_mean_lt", ABS_MEAN, Comparison.BELOW),
    Parameter("max_lt", MAX, Comparison.BELOW),
    Parameter("min_lt", MIN, Comparison.BELOW),
    Parameter("mean_lt", MEAN, Comparison.BELOW),
)
_RANGE = (
    Parameter("range_start_inclusive"),
    Parameter("range_end_inclusive"),
    _percentage("range_percentage_lt", RANGE_PERCENTAGE, Comparison.BELOW),
    _percentage("range_percentage_gt", RANGE_PERCENTAGE, Comparison.ABOVE),
    Parameter("max_min_lt", MAX_MIN, Comparison.BELOW, low=0, is_low_excluded=True),
    _magnitude("max_min_gt", MAX_MIN, Comparison.ABOVE),
)
_EPSILON = Parameter("epsilon", default=1e-9, low=0)
_ALL_ZERO = _percentage("zero_percentage_ge", ZERO_PERCENTAGE, Comparison.AT_LEAST, 100)
_WEIGHT, _GRADIENT, _TENSOR = TensorKind.WEIGHT, TensorKind.GRADIENT, TensorKind.TENSOR

_ALL = (
    Condition(
        "weight_initialization", "WI", _WEIGHT,
        (_ALL_ZERO, Parameter("max_gt", MAX), Parameter("min_lt", MIN, Comparison.BELOW)), is_of_first_step=True,
    ),
    Condition("weight_overflow", "WO", _WEIGHT, statistic=NON_FINITE, takes_non_finite=True),
    Condition("weight_too_large", "WL", _WEIGHT, _TOO_LARGE),
    Condition("weight_too_small", "WS", _WEIGHT, _TOO_SMALL),
    Condition(
        "weight_not_changed", "WNC", _WEIGHT,
        (Parameter("rtol", default=1e-5, low=0), Parameter("atol", default=1e-8, low=0)), UNCHANGED,
    ),
    Condition(
        "weight_change_too_large", "WCL", _WEIGHT,
        (_magnitude("abs_mean_update_ratio_gt", UPDATE_RATIO, Comparison.ABOVE, 0.1), _EPSILON),
    ),
    Condition(
        "weight_change_too_small", "WCS", _WEIGHT,
        (_magnitude("abs_mean_update_ratio_lt", UPDATE_RATIO, Comparison.BELOW, 1e-4), _EPSILON),
    ),
    Condition("gradient_vanishing", "GV", _GRADIENT, _TOO_SMALL),
    Condition("gradient_too_large", "GL", _GRADIENT, _TOO_LARGE),
    Condition("gradient_exploding", "GE", _GRADIENT, statistic=NON_FINITE, takes_non_finite=True),
    Condition("activation_range", "AR", TensorKind.ACTIVATION, _RANGE),
    Condition("tensor_overflow", "TO", _TENSOR, statistic=NON_FINITE, takes_non_finite=True),
    Condition("operator_overflow", "OO", _TENSOR, statistic=OPERATOR_OVERFLOW, takes_non_finite=True),
    Condition("tensor_too_large", "TL", _TENSOR, _TOO_LARGE),
    Condition("tensor_too_small", "TS", _TENSOR, _TOO_SMALL),
    Condition("tensor_all_zero", "TZ", _TENSOR, (_ALL_ZERO,)),
    Condition("tensor_range", "TR", _TENSOR, _RANGE),
)  # fmt: skip

CONDITIONS: Mapping[str, Condition] = {each.id: each for each in _ALL}
"""All conditions by id."""
ABBREVIATIONS: Mapping[str, Condition] = {each.abbreviation: each for each in _ALL}
