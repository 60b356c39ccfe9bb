# SPDX-License-Identifier: Apache-2.0
"""The values that one parameter of a sweep can have: drawn by Optuna, drawn at random, or listed for a grid."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Protocol

_EDGE = 1e-9
"""Quantiles of normal distributions keep this distance from 0 and 1."""


class Trial(Protocol):
    """The methods of a trial of Optuna by which spaces draw."""

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any: ...
    def suggest_int(self, name: str, low: int, high: int) -> int: ...
    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float: ...


class Space(Protocol):
    """The values of a parameter.

    ``suggested_by`` asks a trial of Optuna; ``sample`` takes random numbers. ``grid`` lists pairs: what Optuna keeps,
    and the value. It is None for infinitely many.
    """

    def suggested_by(self, trial: Trial, name: str) -> Any: ...
    def sample(self, numbers: random.Random) -> Any: ...
    def grid(self) -> Sequence[tuple[Any, Any]] | None: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """Some of several values, with ``weights`` that sum up to 1 if they are not equally likely."""

    values: tuple[Any, ...]
    weights: tuple[float, ...] | None = None

    def suggested_by(self, trial: Trial, name: str) -> Any:
        """Ask for a value; weights are asked for as a quantile, since Optuna has none."""
        if self.weights is not None:
            return self._at(trial.suggest_float(name, 0.0, 1.0))
        labels = self._labels
        return self.values[labels.index(trial.suggest_categorical(name, labels))]

    def sample(self, numbers: random.Random) -> Any:
        """Return a random value."""
        return numbers.choices(self.values, self.weights)[0]

    def grid(self) -> Sequence[tuple[Any, Any]]:
        """Return all values, whatever their weights."""
        return list(zip(self._labels, self.values, strict=True))

    @property
    def _labels(self) -> list[Any]:
        """The values if Optuna can keep them and tell them apart, else their numbers as texts."""
        is_plain = all(type(value) in (int, float, str) for value in self.values)
        is_distinct = is_plain and len(set(self.values)) == len(self.values)
        return list(self.values) if is_distinct else [str(number) for number in range(len(self.values))]

    def _at(self, quantile: float) -> Any:
        total = 0.0
        for value, weight in zip(self.values, self.weights or (), strict=True):
            total += weight
            if quantile < total:
                return value
        return next(
            value for value, weight in zip(self.values[::-1], (self.weights or ())[::-1], strict=True) if weight
        )


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole multiples of ``step`` from ``low`` to ``high``, in steps. A float ``step`` gives floats."""

    low: int
    high: int
    step: float = 1

    def suggested_by(self, trial: Trial, name: str) -> float:
        """Ask for the multiple."""
        return self._value(trial.suggest_int(name, self.low, self.high))

    def sample(self, numbers: random.Random) -> float:
        """Return a random value."""
        return self._value(numbers.randint(self.low, self.high))

    def grid(self) -> Sequence[tuple[Any, Any]]:
        """Return all values."""
        return [(count, self._value(count)) for count in range(self.low, self.high + 1)]

    def _value(self, count: int) -> float:
        value = count * self.step
        return value if isinstance(self.step, int) else float(f"{value:.12g}")


@dataclass(frozen=True, slots=True)
class Real:
    """Numbers from ``low`` to ``high``, evenly or evenly in their logarithm, rounded to ``step`` if that is not 0."""

    low: float
    high: float
    is_log: bool = False
    step: float = 0.0

    def suggested_by(self, trial: Trial, name: str) -> float:
        """Ask for a number."""
        return _rounded(trial.suggest_float(name, self.low, self.high, log=self.is_log), self.step)

    def sample(self, numbers: random.Random) -> float:
        """Return a random number."""
        if self.is_log:
            return _rounded(math.exp(numbers.uniform(math.log(self.low), math.log(self.high))), self.step)
        return _rounded(numbers.uniform(self.low, self.high), self.step)

    def grid(self) -> None:
        """There are infinitely many."""
        return


@dataclass(frozen=True, slots=True)
class Normal:
    """Numbers of a normal distribution, or numbers whose logarithm has one."""

    mu: float
    sigma: float
    is_log: bool = False
    step: float = 0.0

    def suggested_by(self, trial: Trial, name: str) -> float:
        """Ask for a quantile, since Optuna has no normal distribution."""
        return self._at(trial.suggest_float(name, _EDGE, 1 - _EDGE))

    def sample(self, numbers: random.Random) -> float:
        """Return a random number."""
        return self._at(min(max(numbers.random(), _EDGE), 1 - _EDGE))

    def grid(self) -> None:
        """There are infinitely many."""
        return

    def _at(self, quantile: float) -> float:
        number = self.mu + self.sigma * NormalDist().inv_cdf(quantile)
        return _rounded(math.exp(number) if self.is_log else number, self.step)


def _rounded(number: float, step: float) -> float:
    return float(f"{round(number / step) * step:.12g}") if step else number
