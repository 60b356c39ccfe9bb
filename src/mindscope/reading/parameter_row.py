# SPDX-License-Identifier: Apache-2.0
"""Parameters, metrics and custom fields of one run, from TensorBoard's hparams plugin and from lineage."""

from __future__ import annotations

import json
import math
from typing import Any

from mindscope.analysis.parameter_table import Cell, Role
from mindscope.reading.hparams_sessions import read_hparams
from mindscope.reading.run import Run
from mindscope.reading.whole_values import WholeValues
from mindscope.types import Kind

_METRIC = "metric/"
_CUSTOM = "custom/"
"""Prefixes of names in ``Lineage.row``."""


def recorded_fields(run: Run) -> dict[tuple[Role, str], Cell]:
    """The hyperparameters of a run, and its lineage."""
    row: dict[tuple[Role, str], Cell] = {("parameter", name): _cell(value) for name, value in run.hparams.items()}
    return row | {_key(name): _cell(value) for name, value in run.lineage.row().items()}


def metric_values(run: Run) -> dict[tuple[Role, str], Cell]:
    """The last values of the scalars that are metrics.

    These are the metrics of the plugin's experiment; without an experiment, all scalars of a run with hyperparameters.
    """
    if not run.tags(Kind.HPARAMS):
        return {}
    scalars = run.tags(Kind.SCALAR)
    named = [info.tag for info in read_hparams(WholeValues(run.store).all_of).metrics or ()]
    known = frozenset(scalars)
    return {("metric", tag): _last(run, tag) for tag in named or scalars if tag in known}


def _key(name: str) -> tuple[Role, str]:
    if name.startswith(_METRIC):
        return "metric", name.removeprefix(_METRIC)
    if name.startswith(_CUSTOM):
        return "custom", name.removeprefix(_CUSTOM)
    return ("metric", name) if name == "loss" else ("parameter", name)


def _last(run: Run, tag: str) -> Cell:
    values = run.scalars(tag).value
    return _cell(float(values[-1])) if len(values) else None


def _cell(value: Any) -> Cell:
    """Numbers as float64; texts of NaN, infinities and of integers beyond float64; other values as JSON."""
    if isinstance(value, bool | str) or value is None:
        return value
    if not isinstance(value, int | float):
        return json.dumps(value, default=str)
    try:
        number = float(value)
    except OverflowError:
        return str(value)
    return number if math.isfinite(number) else str(number).replace("nan", "NaN").replace("inf", "Infinity")
