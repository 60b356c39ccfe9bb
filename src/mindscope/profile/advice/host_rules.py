# SPDX-License-Identifier: Apache-2.0
"""Rules about the host of an NPU: calls of its runtime, packets, processors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import SMALL_MB, Communication
from mindscope.profile.tables.data_pipeline import DataPipeline
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.table import Table

MEMORY_CALLS_NS = 10_000_000
"""msprof-analyze: of all calls that allocate or free memory of the device."""
SYNCHRONIZATIONS = 0.5
"""msprof-analyze: for each launch."""
SMALL_PACKETS = 0.2
"""msprof-analyze: of the packets of a kind of link."""
SDMA_RATE, CONTENTION = 18.0, 0.8
"""msprof-analyze: GB/s of SDMA between devices of a server, and the part of it that is to be reached."""
RETRANSMISSION_NS = 4_000_000_000
"""msprof-analyze: a transfer over RDMA that takes longer was repeated."""
PROCESSOR_LOAD = 0.8
"""MindInsight: of all processors of the host."""
_API, _STATISTIC = "API Name", "api_statistic"
_MEMORY_CALL = re.compile(r"malloc|free_?physical", re.IGNORECASE)
_LINKS = {"sdma": "SDMA", "rdma": "RDMA"}


def memory_calls(profile: Profile) -> Iterator[Advice]:
    """Memory of the device is allocated and freed within steps."""
    table = profile.further_tables.get(_STATISTIC)
    calls = None if table is None else _calls(table, lambda name: _MEMORY_CALL.search(name) is not None)
    if calls is not None and calls.time > MEMORY_CALLS_NS:
        yield Advice(
            code="memory_calls",
            values={"calls": calls.calls, "time": calls.time, "threshold": MEMORY_CALLS_NS},
            threshold=MEMORY_CALLS_NS, part=Part.FURTHER_TABLES, table=_STATISTIC, rows=calls.rows,
        )  # fmt: skip


def stream_synchronization(profile: Profile) -> Iterator[Advice]:
    """The host waits for a stream nearly as often as it launches kernels."""
    table = profile.further_tables.get(_STATISTIC)
    waits = None if table is None else _calls(table, lambda name: "SynchronizeStream" in name)
    launches = None if table is None else _calls(table, lambda name: name == "launch")
    if waits is None or launches is None or not launches.calls:
        return
    ratio = waits.calls / launches.calls
    if ratio >= SYNCHRONIZATIONS:
        yield Advice(
            code="stream_synchronization",
            values={"calls": waits.calls, "launches": launches.calls, "share": ratio, "threshold": SYNCHRONIZATIONS},
            threshold=SYNCHRONIZATIONS, part=Part.FURTHER_TABLES, table=_STATISTIC, rows=[*waits.rows, *launches.rows],
        )  # fmt: skip


def small_packets(profile: Profile) -> Iterator[Advice]:
    """Ranks send many packets that are too small for the bandwidth of their links."""
    communication = part_of(profile, Part.COMMUNICATION, Communication)
    if communication is None:
        return
    for link, title in _LINKS.items():
        small, packets = (_numbers(communication, f"{name}_packets") for name in (f"small_{link}", link))
        if small is None or packets is None or not packets.sum():
            continue
        share = float(small.sum() / packets.sum())
        if share > SMALL_PACKETS:
            yield Advice(
                code="small_packets",
                values={"link": title, "packets": int(small.sum()), "share": share, "threshold": SMALL_PACKETS},
                threshold=SMALL_PACKETS, part=Part.COMMUNICATION, rows=integers_of(np.flatnonzero(small > 0)),
            )  # fmt: skip


def bandwidth_contention(profile: Profile) -> Iterator[Advice]:
    """Large transfers between devices are slow while kernels use the same memory."""
    communication = part_of(profile, Part.COMMUNICATION, Communication)
    if communication is None:
        return
    names = "sdma_size", "sdma_time", "computing"
    size, time, computing = (_numbers(communication, name) for name in names)
    if size is None or time is None or computing is None:
        return
    rate = np.divide(size, time, out=np.full(len(time), np.inf), where=time > 0)
    is_beside = 2 * computing > communication.duration
    rows = np.flatnonzero((rate < CONTENTION * SDMA_RATE) & is_beside & (size >= SMALL_MB["SDMA"] * 1e6))
    if len(rows):
        slowest = int(rows[np.argmin(rate[rows])])
        yield Advice(
            code="bandwidth_contention",
            values={"operations": len(rows), "name": communication.name[slowest], "rate": f"{rate[slowest]:.1f} GB/s",
                    "full": f"{SDMA_RATE:.0f} GB/s", "threshold": CONTENTION},
            threshold=CONTENTION, part=Part.COMMUNICATION, rows=integers_of(rows),
        )  # fmt: skip


def retransmission(profile: Profile) -> Iterator[Advice]:
    """A transfer between servers takes so long that it was repeated."""
    communication = part_of(profile, Part.COMMUNICATION, Communication)
    times = None if communication is None else _numbers(communication, "rdma_time")
    if communication is None or times is None:
        return
    rows = np.flatnonzero(times > RETRANSMISSION_NS)
    if len(rows):
        longest = int(rows[np.argmax(times[rows])])
        yield Advice(
            code="retransmission",
            values={"operations": len(rows), "name": communication.name[longest], "time": float(times[longest]),
                    "threshold": RETRANSMISSION_NS},
            threshold=RETRANSMISSION_NS, part=Part.COMMUNICATION, rows=integers_of(rows),
        )  # fmt: skip


def processor_load(profile: Profile) -> Iterator[Advice]:
    """The processors of the host are used up."""
    load = profile.facts.properties.get("processor_load")
    if isinstance(load, float) and load > PROCESSOR_LOAD:
        yield Advice(
            code="processor_load", values={"share": load, "threshold": PROCESSOR_LOAD}, threshold=PROCESSOR_LOAD,
            part=Part.DATA_PIPELINE, table="operations", rows=_busiest(profile),
        )  # fmt: skip


def _busiest(profile: Profile) -> list[int]:
    """Return the operations of the data pipeline that use processors, by how much."""
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    cpu = None if pipeline is None or pipeline.operations is None else pipeline.operations.cpu
    if cpu is None:
        return []
    used = np.nan_to_num(cpu)
    rows = np.argsort(-used, kind="stable")
    return integers_of(rows[used[rows] > 0])


class _Calls(NamedTuple):
    """Calls of functions of the runtime: how many, their nanoseconds, and their rows, the greatest time first."""

    calls: int
    time: float
    rows: list[int]


def _calls(table: Table, test: Callable[[str], bool]) -> _Calls | None:
    """Count the calls of the functions whose name passes; None without the columns."""
    columns = table.columns()
    names, counts, times = columns.get(_API), columns.get("Count"), columns.get("Time(us)")
    if not isinstance(names, TextColumn) or counts is None or times is None:
        return None
    if isinstance(counts, TextColumn) or isinstance(times, TextColumn):
        return None
    rows = np.flatnonzero(names.is_any_of(test))
    rows = rows[np.argsort(-np.nan_to_num(times[rows]), kind="stable")]
    return _Calls(int(np.nansum(counts[rows])), float(np.nansum(times[rows]) * 1000), integers_of(rows))


def _numbers(table: Table, name: str) -> NDArray[np.int64] | None:
    found = table.extra.get(name)
    return None if found is None or isinstance(found, TextColumn) else found
