# SPDX-License-Identifier: Apache-2.0
"""Messages about hyper-parameters and results of runs."""

from __future__ import annotations

from pydantic import Field, StrictBool

from mindscope.analysis.parameter_table import ROLES, Role
from mindscope.server.http.schema import MAX_RUNS, Answer, Query


class HparamsQuery(Query):
    """Of which runs, and which columns? An unknown run has no row.

    Without metrics, and with columns that differ only, the table of 10,000 runs is small and quickly made.
    """

    runs: list[str] = Field(max_length=MAX_RUNS)
    roles: list[Role] = Field(default=[*ROLES], max_length=len(ROLES))
    only_differing: StrictBool = False


class HparamColumn(Answer):
    """A column; ``role`` is parameter, metric or custom. ``differs`` when not all rows have the same value."""

    name: str
    role: Role
    differs: bool


class HparamRun(Answer):
    """A row: one cell for each column; null where the run has none. A number that JSON has not is a text, as NaN."""

    run: str
    cells: list[float | bool | str | None]


class HparamsAnswer(Answer):
    """Only runs that have any column. Columns that differ come first.

    Of these and of the others, parameters come before metrics before custom ones, then those that most runs have.
    """

    columns: list[HparamColumn]
    rows: list[HparamRun]
