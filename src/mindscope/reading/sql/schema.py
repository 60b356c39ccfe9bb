# SPDX-License-Identifier: Apache-2.0
"""The tables that a query reads: their columns with the types of SQL, and the columns that divide them into parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mindscope.debug.model.fields import FIELDS

TEXT, WHOLE, NUMBER, FLAG, TIME = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMP"
TEXTS, TEXT_MAP = "VARCHAR[]", "MAP(VARCHAR, VARCHAR)"


class SqlTable(NamedTuple):
    """The columns of a table. Its parts have one value in each column of ``keys``; conditions on them choose parts."""

    columns: Mapping[str, str]
    keys: tuple[str, ...] = ("run",)


TABLES: Mapping[str, SqlTable] = {
    "runs": SqlTable(
        {
            **dict.fromkeys(("run", "name", "group"), TEXT),
            **{"tags": TEXTS, "state": TEXT, "started": TIME, "ended": TIME, "duration_s": NUMBER},
            **{"host": TEXT, "framework": TEXT, "params": TEXT_MAP},
        },
        (),
    ),
    "params": SqlTable({"run": TEXT, "name": TEXT, "text": TEXT, "number": NUMBER}, ()),
    "scalars": SqlTable(
        {"run": TEXT, "tag": TEXT, "step": WHOLE, "wall_time": NUMBER, "value": NUMBER, "is_overwritten": FLAG},
        ("run", "tag"),
    ),
    "metrics": SqlTable(
        {"run": TEXT, "tag": TEXT, "last": NUMBER, "min": NUMBER, "max": NUMBER, "best": NUMBER, "best_step": WHOLE},
        ("run", "tag"),
    ),
    "alerts": SqlTable(
        {
            **dict.fromkeys(("id", "rule", "run", "tag", "message"), TEXT),
            **{"step": WHOLE, "wall_time": NUMBER, "value": NUMBER, "last_step": WHOLE, "count": WHOLE},
            "is_active": FLAG,
        },
        (),
    ),
    "operators": SqlTable(
        {
            **dict.fromkeys("run profile name type device module phase shapes dtypes stack".split(), TEXT),
            **dict.fromkeys("step count host_total_ns host_self_ns device_total_ns device_self_ns".split(), WHOLE),
            **dict.fromkeys("max_ns flops memory_self_bytes".split(), WHOLE),
            "utilization": NUMBER,
        }
    ),
    "kernels": SqlTable(
        {
            **dict.fromkeys("run profile name kind device stream operator core shape".split(), TEXT),
            **dict.fromkeys("step count total_ns min_ns max_ns size_bytes".split(), WHOLE),
            **dict.fromkeys("occupancy blocks_per_sm".split(), NUMBER),
        }
    ),
    "tensor_statistics": SqlTable(
        {
            **{"run": TEXT, "rank": WHOLE, "step": WHOLE, "order": WHOLE},
            **dict.fromkeys("operator phase role slot dtype shape".split(), TEXT),
            **{str(field): NUMBER for field in FIELDS},
        }
    ),
    "logs": SqlTable(
        {
            **{"run": TEXT, "file": TEXT, "message": WHOLE, "wall_time": NUMBER, "severity": TEXT},
            **{"module": TEXT, "rank": WHOLE, "text": TEXT},
        }
    ),
}
