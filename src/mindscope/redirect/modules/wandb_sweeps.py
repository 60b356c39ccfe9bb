# SPDX-License-Identifier: Apache-2.0
"""``wandb.sweep`` and ``wandb.agent`` within one script: an agent calls a function with parameters of the sweep."""

from __future__ import annotations

import itertools
import logging
import os
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.yaml_text import parse_yaml
from mindscope.errors import SettingsError
from mindscope.redirect import notes
from mindscope.redirect.ignored import error_class
from mindscope.redirect.modules.names import generate_id
from mindscope.sweep.parameters import Spaces, combinations, nested, sample, spaces_of

_LOG = logging.getLogger("mindscope")
_SWEEPS: dict[str, _Sweep] = {}
"""The sweeps that this process made, by id."""


@dataclass(frozen=True, slots=True)
class _Sweep:
    method: str
    spaces: Spaces
    project: str | None


class Sweeps:
    """What the agent of this process runs; ``parameters`` are those of the current call."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.project: str | None = None
        self.parameters: dict[str, Any] = {}

    def sweep(self, sweep: Any, entity: Any = None, project: Any = None, prior_runs: Any = None) -> str:
        """Return the id of a new sweep: a dict, the path of a YAML file, or what returns a dict.

        Raises the UsageError of W&B for parameters that can't be used.
        """
        config: Any = sweep() if callable(sweep) else sweep
        if isinstance(config, (str, os.PathLike)):
            config = parse_yaml(Path(cast("str", config)).read_text("utf-8"))
        if not isinstance(config, Mapping):
            raise error_class("wandb", "UsageError")("sweep has no parameters; give a dict with the key 'parameters'")
        given = cast("Mapping[str, Any]", config)
        try:
            spaces = spaces_of(given.get("parameters"))
            if given.get("method") == "grid":
                next(combinations(spaces))
        except SettingsError as error:
            raise error_class("wandb", "UsageError")(str(error)) from None
        id = generate_id()
        _SWEEPS[id] = _Sweep(str(given.get("method")), spaces, project or given.get("project"))
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
        if sweep.method == "bayes":
            _LOG.warning("wandb.agent() draws the parameters of a Bayesian sweep at random")
        self.id, self.project = str(sweep_id), project or sweep.project
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


def _calls(sweep: _Sweep, count: Any) -> Iterator[dict[str, Any]]:
    """Yield the parameters of calls: all of a grid, else random ones."""
    if sweep.method == "grid":
        for pairs in combinations(sweep.spaces):
            yield nested({path: value for path, (_, value) in pairs.items()})
        return
    numbers = random.Random()  # the script's own random numbers stay
    for _ in itertools.count() if count is not None else range(1):
        yield sample(sweep.spaces, numbers)
