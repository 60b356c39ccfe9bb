# SPDX-License-Identifier: Apache-2.0
"""Messages about hyperparameters and results of runs."""

from __future__ import annotations

from pydantic import Field, StrictBool

from mindscope.analysis.parameter_table import ROLES, Role
from mindscope.server.http.schema import MAX_RUNS, Answer, Query


class HparamsQuery(Query):
    """Runs, and roles of columns. An unknown run has no row.

    Without metrics and with ``only_differing``, the table of 10,000 runs is small and fast.
    """

    runs: list[str] = Field(max_length=MAX_RUNS)
    roles: list[Role] = Field(default=[*ROLES], max_length=len(ROLES))
    only_differing: StrictBool = False


class HparamColumn(Answer):
    """A column; ``role`` is parameter, metric or custom. ``differs`` if two rows have different values."""

    name: str
    role: Role
    differs: bool


class HparamRun(Answer):
    """A row: one cell per column, null if the run has none. NaN and infinities are texts."""

    run: str
    cells: list[float | bool | str | None]


class HparamsAnswer(Answer):
    """Runs with at least one cell. Columns that differ come first.

    Each of both parts has parameters, then metrics, then custom fields; those of most runs first.
    """

    columns: list[HparamColumn]
    rows: list[HparamRun]
