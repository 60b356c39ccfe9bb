# SPDX-License-Identifier: Apache-2.0
"""Reads the key ``parameters`` of a sweep of W&B: for files of sweeps, and for scripts that call ``wandb.sweep``."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, TypeAlias, cast

from mindscope.errors import SettingsError
from mindscope.sweep.spaces import Choice, Normal, Real, Space, Whole

Path: TypeAlias = tuple[str, ...]
Spaces: TypeAlias = Mapping[Path, Space]
"""The space of each parameter by its name; names of nested ones have several parts."""

KEYS = ("value", "values", "probabilities", "min", "max", "distribution", "mu", "sigma", "q", "parameters")
MOST_COMBINATIONS = 10_000
_OLD_KEYS = {"bounds": "min and max", "choice": "values", "type": "distribution"}
"""Keys of the optimizer of MindInsight, and what W&B has for them."""


class SweepKeyError(SettingsError):
    """A key of a sweep that can't be used; ``path`` leads to it."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path


def spaces_of(parameters: Any, path: Path = ("parameters",)) -> dict[Path, Space]:
    """Return the spaces of the value of a key ``parameters``. Raises SweepKeyError."""
    if not isinstance(parameters, Mapping) or not parameters:
        raise SweepKeyError(path, f"{_name(path)} is {_shown(parameters)}, want a mapping from names to spaces")
    spaces: dict[Path, Space] = {}
    for name, spec in cast("Mapping[Any, Any]", parameters).items():
        _check_name(str(name), (*path, str(name)))
        for inner, space in _spaces_of_one(spec, (*path, str(name))):
            spaces[(str(name), *inner)] = space
    return spaces


def sample(spaces: Spaces, numbers: random.Random) -> dict[str, Any]:
    """Return random values, nested as the parameters are."""
    return nested({path: space.sample(numbers) for path, space in spaces.items()})


def combinations(spaces: Spaces) -> Iterator[dict[Path, tuple[Any, Any]]]:
    """Yield all combinations of a grid, as pairs of what Optuna keeps and the value. Raises SweepKeyError."""
    axes = [_axis(path, space) for path, space in spaces.items()]
    if math.prod(map(len, axes)) > MOST_COMBINATIONS:
        text = f"the grid has {math.prod(map(len, axes)):,} combinations, want at most {MOST_COMBINATIONS:,}: "
        raise SweepKeyError(("parameters",), f"{text}give fewer values, or use method: random")
    for pairs in product(*axes):
        yield dict(zip(spaces, pairs, strict=True))


def nested(values: Mapping[Path, Any]) -> dict[str, Any]:
    """Return values by paths as nested dicts."""
    tree: dict[str, Any] = {}
    for path, value in values.items():
        branch = tree
        for part in path[:-1]:
            branch = branch.setdefault(part, {})
        branch[path[-1]] = value
    return tree


def _axis(path: Path, space: Space) -> Sequence[tuple[Any, Any]]:
    if isinstance(space, Whole) and space.high - space.low >= MOST_COMBINATIONS:
        raise SweepKeyError(
            ("parameters", *path), f"{'.'.join(path)} has more than {MOST_COMBINATIONS:,} values in a grid"
        )
    pairs = space.grid()
    if pairs is None:
        text = f"{'.'.join(path)} has infinitely many values, which a grid can't list: give values, or q_uniform with q"
        raise SweepKeyError(("parameters", *path), text)
    return pairs


def _check_name(name: str, path: Path) -> None:
    if not name or name[0] in "-." or any(letter in name for letter in "=\0\n\r"):
        raise SweepKeyError(
            path, f"the parameter {name!r} can't be an argument: leave out '-' or '.' at its begin, and '='"
        )


def _spaces_of_one(spec: Any, path: Path) -> Iterator[tuple[Path, Space]]:
    if not isinstance(spec, Mapping):
        raise SweepKeyError(path, f"{_name(path)} is {_shown(spec)}, want a mapping such as value: {_shown(spec)}")
    given = cast("Mapping[str, Any]", spec)
    for key in given:
        if key not in KEYS:
            raise SweepKeyError((*path, str(key)), unknown_key(str(key), KEYS, _OLD_KEYS))
    if "parameters" in given:
        if len(given) > 1:
            raise SweepKeyError(path, f"{_name(path)} has parameters and other keys: keep one of them")
        yield from spaces_of(given["parameters"], (*path, "parameters")).items()
    else:
        yield (), _space(given, path)


def unknown_key(key: str, keys: Sequence[str], old: Mapping[str, str]) -> str:
    """Return the text of a key that is not one of ``keys``; ``old`` says what is written in its place."""
    if key in old:
        return f"{key} is a key of the optimizer of MindInsight: write {old[key]}, see docs/moving.md"
    close = get_close_matches(key, keys, 1)
    remedy = f"did you mean {close[0]}?" if close else f"the keys are {', '.join(keys)}"
    return f"{key[:80]!r} is no key here: {remedy}"


def _space(spec: Mapping[str, Any], path: Path) -> Space:
    if "value" in spec:
        return Choice((spec["value"],))
    if "values" in spec:
        return _choice(spec, path)
    is_whole = all(type(spec.get(key)) is int for key in ("min", "max"))
    named = spec.get("distribution", "int_uniform" if is_whole else "uniform")
    make = _DISTRIBUTIONS.get(str(named).removeprefix("q_"))
    if make is None:
        names = ", ".join(_DISTRIBUTIONS)
        raise SweepKeyError(
            (*path, "distribution"), f"the distribution {_shown(named)} is none of {names}, or q_ and one"
        )
    step = _number(spec, "q", path, 1.0) if str(named).startswith("q_") else 0.0
    if step < 0 or (step == 0 and str(named).startswith("q_")):
        raise SweepKeyError((*path, "q"), f"q is {step:g}, want more than 0")
    return make(spec, path, step)


def _choice(spec: Mapping[str, Any], path: Path) -> Choice:
    values, weights = spec["values"], spec.get("probabilities")
    if not isinstance(values, (list, tuple)) or not values:
        raise SweepKeyError((*path, "values"), f"values is {_shown(values)}, want a list of at least one value")
    if weights is None:
        return Choice(tuple(cast("list[Any]", values)))
    where = (*path, "probabilities")
    if not isinstance(weights, (list, tuple)) or len(cast("list[Any]", weights)) != len(cast("list[Any]", values)):
        raise SweepKeyError(where, f"probabilities is {_shown(weights)}, want a number for each of the values")
    numbers = [_number({"probabilities": one}, "probabilities", path) for one in cast("list[Any]", weights)]
    if min(numbers) < 0 or abs(sum(numbers) - 1) > 1e-6:
        raise SweepKeyError(where, f"probabilities sum up to {sum(numbers):g}, want 1, and none below 0")
    return Choice(tuple(cast("list[Any]", values)), tuple(numbers))


def _uniform(spec: Mapping[str, Any], path: Path, step: float) -> Space:
    low, high = _bounds(spec, path)
    if not step:
        return Real(low, high)
    is_whole = all(type(spec.get(key, 1)) is int for key in ("min", "max", "q"))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if first > last:
        raise SweepKeyError((*path, "q"), f"no multiple of {step:g} lies from {low:g} to {high:g}: give a smaller q")
    return Whole(first, last, int(step) if is_whole else step)


def _int_uniform(spec: Mapping[str, Any], path: Path, step: float) -> Space:
    low, high = _bounds(spec, path)
    if low % 1 or high % 1:
        raise SweepKeyError((*path, "min"), f"int_uniform has the bounds {low:g} and {high:g}, want whole numbers")
    return Whole(int(low), int(high))


def _log_values(spec: Mapping[str, Any], path: Path, step: float) -> Space:
    low, high = _bounds(spec, path)
    if low <= 0:
        raise SweepKeyError((*path, "min"), f"min is {low:g}, want more than 0 for a logarithm")
    return Real(low, high, is_log=True, step=step)


def _log_exponents(sign: int) -> Callable[[Mapping[str, Any], Path, float], Space]:
    def space(spec: Mapping[str, Any], path: Path, step: float) -> Space:
        low, high = sorted(sign * bound for bound in _bounds(spec, path))
        if low < -700 or high > 700:
            text = f"min and max are exponents of e here, and e to {high:g} is no number: write log_uniform_values"
            raise SweepKeyError((*path, "max"), text)
        return Real(math.exp(low), math.exp(high), is_log=True, step=step)

    return space


def _normal(is_log: bool) -> Callable[[Mapping[str, Any], Path, float], Space]:
    def space(spec: Mapping[str, Any], path: Path, step: float) -> Space:
        mu, sigma = _number(spec, "mu", path, 0.0), _number(spec, "sigma", path, 1.0)
        if sigma < 0 or (is_log and mu + 7 * sigma > 700):
            raise SweepKeyError((*path, "sigma"), f"sigma is {sigma:g}, want 0 or more, and no number beyond floats")
        return Normal(mu, sigma, is_log, step)

    return space


_DISTRIBUTIONS: dict[str, Callable[[Mapping[str, Any], Path, float], Space]] = {
    "constant": lambda spec, path, step: _missing(path, "value"),
    "categorical": lambda spec, path, step: _missing(path, "values"),
    "int_uniform": _int_uniform,
    "uniform": _uniform,
    "log_uniform_values": _log_values,
    "inv_log_uniform_values": _log_values,  # uniform in the logarithm of 1/x is uniform in that of x
    "log_uniform": _log_exponents(1),
    "inv_log_uniform": _log_exponents(-1),
    "normal": _normal(is_log=False),
    "log_normal": _normal(is_log=True),
}  # fmt: skip
"""The distributions of W&B without the ``q_`` of rounded ones; beta is missing, which Optuna has not."""


def _missing(path: Path, key: str) -> Space:
    raise SweepKeyError(path, f"{_name(path)} has no {key}: give it")


def _bounds(spec: Mapping[str, Any], path: Path) -> tuple[float, float]:
    low, high = _number(spec, "min", path), _number(spec, "max", path)
    if low > high:
        raise SweepKeyError((*path, "min"), f"min is {low:g} and max is {high:g}: exchange them")
    return low, high


def _number(spec: Mapping[str, Any], key: str, path: Path, default: float | None = None) -> float:
    value = spec.get(key, default)
    if value is None:
        raise SweepKeyError(path, f"{_name(path)} has no {key}: give value, values, or min and max")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        raise SweepKeyError((*path, key), f"{key} is {_shown(value)}, want a number")
    return float(value)


def _name(path: Path) -> str:
    return ".".join(part for part in path if part != "parameters") or "parameters"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
