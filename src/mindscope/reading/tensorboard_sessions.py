# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters, lineage and results of a run as a session of TensorBoard's hparams plugin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mindscope.formats.kinds.tensorboard_plugins import (
    RUNNING,
    SUCCESS,
    experiment,
    session,
    session_end,
    session_start,
)
from mindscope.formats.tensorboard_values import number_tensor, plugin_metadata
from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.index import Row
from mindscope.reading.lineage_rows import row_alone
from mindscope.reading.run import Run
from mindscope.types import Kind, Message

_FINAL_LOSS = ColumnKey(Group.ALGORITHM, "loss")
_STATE = ColumnKey(Group.FACT, "state")
_NO_PARAMETERS = (Group.METRIC, Group.FACT, Group.SCALAR)
_MOST_EXACT = 1 << 53
"""A float64 holds all integers up to it."""


def merged_session(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the Summary.Values of an experiment, of the start of a session and of its end, from all that a run has.

    TensorBoard reads the first of each. It takes the experiment of one run for all, so that a run leaves out one that
    names only parameters: TensorBoard then finds those of every session.
    """
    experiments = [message["experiment"] for message in messages if "experiment" in message]
    starts = [message["session_start_info"] for message in messages if "session_start_info" in message]
    ends = [message["session_end_info"] for message in messages if "session_end_info" in message]
    infos = _by_name(experiments, "hparam_infos")
    metrics = _by_name(experiments, "metric_infos")
    if metrics or any(info.keys() & {"domain_discrete", "domain_interval", "description"} for info in infos):
        yield experiment({**experiments[-1], "hparam_infos": infos, "metric_infos": metrics})
    if starts:
        parameters = {name: value for start in starts for name, value in start.get("hparams", {}).items()}
        yield session({**starts[0], **starts[-1], "hparams": parameters})
    if ends:
        yield session_end(ends[-1].get("status", 0), ends[-1].get("end_time_secs"))


def _by_name(experiments: Iterable[Message], field: str) -> list[Message]:
    named = {repr(info.get("name")): info for content in experiments for info in content.get(field, ())}
    return list(named.values())


def lineage_session(run: Run) -> Iterator[Message]:
    """Yield the Summary.Values of the start and the end of a session, and its metrics as scalars.

    The parameters are those of lineage and of settings files; nothing is yielded without one and without a metric.
    """
    row = row_alone(run.store)
    metrics = {key.name: cell for key, cell in row.items() if key.group is Group.METRIC or key == _FINAL_LOSS}
    parameters = dict(_parameters(row))
    if not parameters and not metrics:
        return
    yield session_start(parameters, None, run.store.first_wall_time)
    if row.get(_STATE) in ("live", "finished"):
        is_over = row[_STATE] == "finished"
        yield session_end(SUCCESS if is_over else RUNNING, run.store.last_wall_time if is_over else None)
    scalars = set(run.tags(Kind.SCALAR))
    for name, cell in metrics.items():
        if name not in scalars and isinstance(cell, int | float):
            yield _metric(name, float(cell))


def _parameters(row: Row) -> Iterator[tuple[str, str | float]]:
    for key, cell in row.items():
        if key.group not in _NO_PARAMETERS and key != _FINAL_LOSS:
            yield key.id, _parameter(cell)


def _parameter(cell: Cell) -> str | float:
    """Return a text for what the plugin can't hold: lists, NaN, infinities, integers that float64 rounds."""
    if isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int | float) and abs(cell) <= _MOST_EXACT:
        return cell
    return cell if isinstance(cell, float) and math.isfinite(cell) else str(cell)


def _metric(name: str, number: float) -> Message:
    with np.errstate(over="ignore"):
        is_narrow = number != number or float(np.float32(number)) == number
    if is_narrow:
        return {"tag": name, "simple_value": number}
    return {"tag": name, "tensor": number_tensor(np.array(number)), "metadata": plugin_metadata("scalars")}
