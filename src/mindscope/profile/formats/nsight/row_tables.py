# SPDX-License-Identifier: Apache-2.0
"""Tables of Nsight Systems whose rows are slices."""

from __future__ import annotations

from mindscope.profile.formats.sqlite_arguments import LookupTable, RowTables

COPIES = (
    "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH",
    "UVM DtoD",
)  # fmt: skip
MEMORIES = ("Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown")
SYNCHRONIZATIONS = {1: "Event Sync", 2: "Stream Wait Event", 3: "Stream Sync", 4: "Context Sync"}
_STRINGS = LookupTable("StringIds")
_MEMORY = LookupTable("ENUM_CUDA_MEM_KIND", "label", dict(enumerate(MEMORIES)))

ROW_TABLES = RowTables(
    tables=(
        "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_RUNTIME",
        "NVTX_EVENTS", "OSRT_API", "CUBLAS_EVENTS", "CUDNN_EVENTS",
    ),
    hidden=frozenset(("start", "end", "globalpid", "globaltid", "endglobaltid")),
    texts={
        **dict.fromkeys(("demangledname", "shortname", "mangledname", "nameid", "textid", "jsontextid"), _STRINGS),
        **dict.fromkeys(("srckind", "dstkind", "memkind"), _MEMORY),
        "copykind": LookupTable("ENUM_CUDA_MEMCPY_OPER", "label", dict(enumerate(COPIES))),
        "synctype": LookupTable("ENUM_CUPTI_SYNC_TYPE", "label", SYNCHRONIZATIONS),
        "launchtype": LookupTable("ENUM_CUDA_KERNEL_LAUNCH_TYPE", "label"),
        "eventtype": LookupTable("ENUM_NSYS_EVENT_TYPE", "label"),
    },
    groups={"grid": ("gridx", "gridy", "gridz"), "block": ("blockx", "blocky", "blockz")},
)  # fmt: skip
"""Names of columns are those of Nsight."""
