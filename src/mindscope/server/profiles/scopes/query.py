# SPDX-License-Identifier: Apache-2.0
"""Times and memory of the modules that scopes of a graph are aligned with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.compare.graph_join import align_scopes
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.server.profiles.scopes.schema import OperatorTime, ScopesQuery, ScopeTimes

MOST_TYPES = 50


def scope_times(profile: Profile, query: ScopesQuery) -> tuple[bool, int, list[ScopeTimes]]:
    """Return whether times are those of a device, the number of steps, and the scopes that have a module."""
    modules, steps = part_of(profile, Part.MODULES, Modules), part_of(profile, Part.STEPS, Steps)
    count = max(1, 0 if steps is None else len(steps))
    if modules is None:
        return False, count, []
    is_on_device = modules.device_total is not None
    forward = modules.device_total if is_on_device else modules.host_total
    operators = _operators(profile, count, is_on_device)

    def of_step(column: Any, row: int) -> float | None:
        return None if column is None else float(column[row]) / count

    found: list[ScopeTimes] = []
    for scope, row in enumerate(align_scopes(query.labels, _parents(query), modules).tolist()):
        if row >= 0:
            path = modules.path[row]
            found.append(
                ScopeTimes(
                    scope=scope,
                    module=path,
                    calls=float(modules.count[row]) / count,
                    forward_ns=of_step(forward, row),
                    backward_ns=of_step(modules.backward, row),
                    memory_bytes=of_step(modules.memory, row),
                    operators=operators.get(path, []),
                )
            )
    return is_on_device, count, found


def _parents(query: ScopesQuery) -> NDArray[np.int64]:
    """Return for each label the row of an earlier one, or -1."""
    given = [*query.parents[: len(query.labels)], *[-1] * (len(query.labels) - len(query.parents))]
    return np.array([up if 0 <= up < row else -1 for row, up in enumerate(given)], np.int64)


def _operators(profile: Profile, steps: int, is_on_device: bool) -> dict[str, list[OperatorTime]]:
    """Return the types of the operators of each module in the forward pass, the greatest time first."""
    operators = part_of(profile, Part.OPERATORS, Operators)
    if operators is None or operators.module is None:
        return {}
    if operators.phase is not None:
        operators = operators.select(operators.phase.is_any_of(lambda text: text != "backward"))
    table = operators.group_by("module", "type")
    assert table.module is not None
    recorded = table.device_total if is_on_device else table.host_total
    times = table.total_time if recorded is None else recorded
    found: dict[str, list[OperatorTime]] = {}
    for row in np.argsort(-times, kind="stable").tolist():
        rows = found.setdefault(table.module[row], [])
        if len(rows) < MOST_TYPES:
            rows.append(
                OperatorTime(
                    type=table.type[row], time_ns=float(times[row]) / steps, count=float(table.count[row]) / steps
                )
            )
    return found
