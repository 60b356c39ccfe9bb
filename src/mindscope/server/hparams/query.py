# SPDX-License-Identifier: Apache-2.0
"""The table of parameters, metrics and custom fields of runs, as a message."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from mindscope.analysis.parameter_table import ROLES, ParameterRow, Role, parameter_columns
from mindscope.ingest import Catalog
from mindscope.server.hparams.schema import HparamColumn, HparamRun, HparamsAnswer, HparamsQuery
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.run_cache import RunCache
from mindscope.store import RunStore
from mindscope.types import Kind

if TYPE_CHECKING:
    from mindscope.reading import Run

log = logging.getLogger(__name__)

CELL_BYTES = 16
FIELD_KINDS = (Kind.HPARAMS, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE)
"""The kinds that ``recorded_fields`` reads."""


class HparamTables:
    """Tables over the runs of a catalog, with a cache of their rows. For any thread."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._fields = RunCache(_read_fields, kinds=FIELD_KINDS)
        self._metrics = RunCache(_read_metrics)

    def table(self, query: HparamsQuery) -> HparamsAnswer:
        """The table of the runs of a query."""
        stores = {id: store for id in while_connected(query.runs) if (store := self._catalog.runs.get(id)) is not None}
        rows = {id: self._row(store, query.roles) for id, store in stores.items()}
        return _answer({id: row for id, row in rows.items() if row}, query.only_differing)

    def _row(self, store: RunStore, roles: Collection[Role]) -> ParameterRow:
        """Empty if reading fails, so that the rows of the other runs are shown."""
        try:
            fields = self._fields.get(store)
            if len(roles) < len(ROLES):
                fields = {key: cell for key, cell in fields.items() if key[0] in roles}
            return {**fields, **self._metrics.get(store)} if "metric" in roles else fields
        except Exception:
            log.exception("parameters of run %s could not be read", store.id)
            return {}


def _answer(rows: Mapping[str, ParameterRow], only_differing: bool) -> HparamsAnswer:
    columns = parameter_columns(rows, only_differing)
    check_size(len(columns) * len(rows) * CELL_BYTES)
    return HparamsAnswer(
        columns=[HparamColumn(name=column.name, role=column.role, differs=column.differs) for column in columns],
        rows=[
            HparamRun(run=id, cells=[row.get((column.role, column.name)) for column in columns])
            for id, row in rows.items()
        ],
    )


def _read_fields(run: Run) -> ParameterRow:
    from mindscope.reading.parameter_row import recorded_fields  # imports lineage: not before the first response

    return recorded_fields(run)


def _read_metrics(run: Run) -> ParameterRow:
    from mindscope.reading.parameter_row import metric_values

    return metric_values(run)
