# SPDX-License-Identifier: Apache-2.0
"""Tables of Ascend's databases whose rows are slices."""

from __future__ import annotations

from mindscope.profile.formats.sqlite_arguments import DetailTable, LookupTable, RowTables

NO_VALUE = 4294967295
FRAMEWORK_TABLES = ("PYTORCH_API", "MINDSPORE_API", "FRAMEWORK_API")
_STRINGS = LookupTable("STRING_IDS")
_TEXTS = (
    "name", "message", "tasktype", "optype", "opname", "groupname", "algtype", "opstate", "hf32eligible", "attrinfo",
    "inputformats", "inputdatatypes", "inputdtypes", "inputshapes", "outputformats", "outputdatatypes", "outputshapes",
    "domainid",
)  # fmt: skip

ROW_TABLES = RowTables(
    tables=(
        "TASK", "COMMUNICATION_OP", "CANN_API", *FRAMEWORK_TABLES, "MSTX_EVENTS", "GC_RECORD", "STEP_TIME",
    ),
    hidden=frozenset(("startns", "endns", "globalpid", "globaltid")),
    texts={
        **dict.fromkeys(_TEXTS, _STRINGS),
        "type": LookupTable("ENUM_API_TYPE", "name"),
        "eventtype": LookupTable("ENUM_MSTX_EVENT_TYPE", "name"),
        "datatype": LookupTable("ENUM_HCCL_DATA_TYPE", "name"),
        "linktype": LookupTable("ENUM_HCCL_LINK_TYPE", "name"),
        "transporttype": LookupTable("ENUM_HCCL_TRANSPORT_TYPE", "name"),
        "rdmatype": LookupTable("ENUM_HCCL_RDMA_TYPE", "name"),
    },
    details={
        "TASK": (
            DetailTable("COMPUTE_TASK_INFO", "globalTaskId"),
            DetailTable("COMMUNICATION_TASK_INFO", "globalTaskId"),
        ),
    },
    nothing=frozenset((NO_VALUE,)),
)  # fmt: skip
"""Names of columns are those of Ascend."""
