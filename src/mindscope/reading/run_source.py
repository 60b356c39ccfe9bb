# SPDX-License-Identifier: Apache-2.0
"""A run source is the data in the files of a run for the lineage table."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey
from mindscope.lineage.config_files import NONE, ConfigFiles
from mindscope.lineage.index import Row
from mindscope.reading.hparams_sessions import HparamsData
from mindscope.reasons import Reason
from mindscope.store import RunStore


@dataclass(frozen=True, slots=True, eq=False)
class RunSource:
    """The data in the files of a run. A change makes a new object.

    ``failure`` is set if the run can't be read; the other fields are then empty.
    """

    store: RunStore
    fields: Row = field(default_factory=dict[ColumnKey, Cell])
    hparams: HparamsData = field(default_factory=HparamsData)
    config: ConfigFiles = NONE
    failure: Reason | None = None
