# SPDX-License-Identifier: Apache-2.0
"""``wandb.sweep`` and ``wandb.agent`` within one script: an agent calls a function with parameters of the sweep."""

from __future__ import annotations

import itertools
import logging
import math
import os
import random
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from mindscope.redirect import notes
from mindscope.redirect.ignored import error_class
from mindscope.redirect.modules.names import generate_id

_LOG = logging.getLogger("mindscope")
_SWEEPS: dict[str, Mapping[str, Any]] = {}
"""The sweeps that this process made, by id."""
_UNIFORM: dict[str, Callable[[Mapping[str, Any], float], float]] = {
    "uniform": lambda spec, unit: spec["min"] + unit * (spec["max"] - spec["min"]),
    "log_uniform_values": lambda spec, unit: math.exp(
        math.log(spec["min"]) + unit * (math.log(spec["max"]) - math.log(spec["min"]))
    ),
    "log_uniform": lambda spec, unit: math.exp(spec["min"] + unit * (spec["max"] - spec["min"])),
}  # fmt: skip
"""Distributions by their name without the ``q_`` of a rounded one."""


class Sweeps:
    """What the agent of this process runs; ``parameters`` are those of the current call."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.project: str | None = None
        self.parameters: dict[str, Any] = {}

    def sweep(self, sweep: Any, entity: Any = None, project: Any = None, prior_runs: Any = None) -> str:
        """Return the id of a new sweep: a dict, the path of a YAML file, or what returns a dict.

        Raises the UsageError of W&B for a sweep without parameters.
        """
        config: Any = sweep() if callable(sweep) else sweep
        if isinstance(config, (str, os.PathLike)):
            import yaml

            config = yaml.safe_load(Path(cast("str", config)).read_text("utf-8"))
        if not isinstance(config, Mapping) or not isinstance(cast(Any, config).get("parameters"), Mapping):
            raise error_class("wandb", "UsageError")("sweep has no parameters; give a dict with the key 'parameters'")
        given = cast("Mapping[str, Any]", config)
        id = generate_id()
        _SWEEPS[id] = {**given, "project": project or given.get("project")}
        return id

    def agent(
        self, finish: Callable[..., None], sweep_id: Any, function: Any = None, entity: Any = None,
        project: Any = None, count: Any = None,
    ) -> None:  # fmt: skip
        """Call ``function`` with the parameters of a sweep of this script, ``count`` times or as often as a grid needs.

        A random or Bayesian sweep without ``count`` is one call: both draw at random here. What the function raises
        ends its run as failed, and the next one begins.
        """
        sweep = _SWEEPS.get(str(sweep_id).rpartition("/")[2])
        if sweep is None or not callable(function):
            notes.ignore("wandb.agent", "it runs sweeps that this script made, by a function")
            return
        if str(sweep.get("method")) == "bayes":
            _LOG.warning("wandb.agent() draws the parameters of a Bayesian sweep at random")
        self.id, self.project = str(sweep_id), project or sweep["project"]
        try:
            for parameters in itertools.islice(_calls(sweep, count), None if count is None else int(count)):
                self.parameters = parameters
                self._call(function, finish)
        finally:
            self.id, self.project, self.parameters = None, None, {}

    def _call(self, function: Callable[[], Any], finish: Callable[..., None]) -> None:
        try:
            function()
        except Exception:  # as the agent of W&B: one call that fails is no end of a sweep
            traceback.print_exc()
            finish(1)
        else:
            finish(0)


def _calls(sweep: Mapping[str, Any], count: Any) -> Iterator[dict[str, Any]]:
    """Yield the parameters of calls: all of a grid, else random ones."""
    specs = cast("Mapping[str, Any]", sweep["parameters"])
    if sweep.get("method") == "grid":
        yield from _grid(specs)
        return
    numbers = random.Random()  # the script's own random numbers stay
    for _ in itertools.count() if count is not None else range(1):
        yield {name: _draw(name, spec, numbers) for name, spec in specs.items()}


def _grid(specs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    axes = [list(_choices(name, spec)) for name, spec in specs.items()]
    for values in itertools.product(*axes):
        yield dict(zip(specs, values, strict=True))


def _choices(name: str, spec: Mapping[str, Any]) -> Sequence[Any]:
    if "parameters" in spec:
        return list(_grid(spec["parameters"]))
    if "values" in spec:
        return spec["values"]
    if "value" in spec:
        return [spec["value"]]
    if isinstance(spec.get("min"), int) and isinstance(spec.get("max"), int):
        return range(spec["min"], spec["max"] + 1)
    raise error_class("wandb", "UsageError")(f"parameter {name!r} of a grid has no values")


def _draw(name: str, spec: Mapping[str, Any], numbers: random.Random) -> Any:
    """Return a value of a parameter. Raises the UsageError of W&B for an unknown distribution."""
    if "parameters" in spec:
        return {inner: _draw(inner, value, numbers) for inner, value in spec["parameters"].items()}
    if "values" in spec or "value" in spec:
        return numbers.choices(_choices(name, spec), spec.get("probabilities"))[0]
    is_whole = isinstance(spec.get("min"), int) and isinstance(spec.get("max"), int)
    wanted = str(spec.get("distribution", "int_uniform" if is_whole else "uniform"))
    plain = wanted.removeprefix("q_")
    if plain == "int_uniform":
        return numbers.randint(int(spec["min"]), int(spec["max"]))
    if plain in ("normal", "log_normal"):
        sample = numbers.gauss(float(spec.get("mu", 0.0)), float(spec.get("sigma", 1.0)))
        number = math.exp(sample) if plain == "log_normal" else sample
    elif plain in _UNIFORM and "min" in spec and "max" in spec:
        number = _UNIFORM[plain](spec, numbers.random())
    else:
        raise error_class("wandb", "UsageError")(
            f"parameter {name!r} has the distribution {wanted!r}; give min and max"
        )
    step = float(spec.get("q", 1))
    return round(number / step) * step if wanted.startswith("q_") else number
