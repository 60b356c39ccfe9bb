# SPDX-License-Identifier: Apache-2.0
"""Rules about NPUs: msprof-analyze's advisor, whose thresholds they have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice, Span, TracePart, time_text
from mindscope.profile.model.ascend_limits import (
    ALIGNMENT,
    CALL_INTERVAL_NS,
    LONG_COLLECTION_NS,
    LONG_PAUSE_NS,
)
from mindscope.profile.model.optional_parts import part_of, slowest_steps, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn, integers_of

FREE_SHARE = 0.1
"""Share of a step in which the NPU neither computes nor communicates."""
LONG_TASK_NS = 20_000
"""Shorter tasks are not worth advice: of the AI CPU, and those that no unit bounds."""
UNIT_SHARE, CUBE_TRANSFER_SHARE, VECTOR_SHARE = 0.8, 0.95, 0.7
"""Shares of a kernel's time in which a unit works: any; transfers of a cube kernel; a unit of a vector kernel."""
FREQUENCY_DROP = 0.05
UNALIGNED_SHARE = 0.2
"""Share of transfers whose size is no multiple of ``ALIGNMENT``."""
SYNCHRONIZED_NORMS = 20
_NORM = re.compile(r"sync_?batch_?norm", re.IGNORECASE)
_UNITS = ("mac", "mte1", "mte2", "mte3", "fixpipe", "vec", "scalar", "vector_mte2", "vector_mte3", "vector_scalar")
UNIT_RATIO = "{}_ratio"
"""Name of the further column of kernels with the nanoseconds in which a unit worked."""


def free_time(profile: Profile) -> Iterator[Advice]:
    """The NPU has nothing to do, most often since the host launches too slowly."""
    steps = steps_of(profile)
    if steps is None or not _has_npu(profile) or steps.device_busy is not None:
        return
    whole = int(steps.duration.sum())
    share = int(steps.idle.sum()) / whole if whole else 0.0
    if share > FREE_SHARE:
        yield Advice(
            code="free_time", values={"share": share, "time": float(steps.idle.mean()), "threshold": FREE_SHARE},
            threshold=FREE_SHARE, part=Part.STEPS, rows=slowest_steps(profile, steps.idle), share=share,
        )  # fmt: skip


def slow_ai_cpu(profile: Profile) -> Iterator[Advice]:
    """Operators run on the AI CPU, most often since the AI core does not know their data type."""
    kernels = part_of(profile, Part.KERNELS, Kernels)
    if kernels is None or kernels.core is None:
        return
    means = np.divide(kernels.total, kernels.count, out=np.zeros(len(kernels)), where=kernels.count > 0)
    rows = np.flatnonzero(kernels.core.is_any_of(lambda core: core.upper() == "AI_CPU") & (means >= LONG_TASK_NS))
    if len(rows):
        yield _of_kernels("slow_ai_cpu", kernels, rows, LONG_TASK_NS, {"tasks": int(kernels.count[rows].sum())})


def unbound_kernels(profile: Profile) -> Iterator[Advice]:
    """Kernels in which no unit works for most of the time."""
    found = _with_units(profile)
    if found is not None:
        kernels, rows, shares = found
        best = np.max([shares[unit] for unit in shares], axis=0)
        own = rows[(best <= UNIT_SHARE)[rows]]
        if len(own):
            yield _of_kernels("unbound_kernels", kernels, own, UNIT_SHARE, {"kernels": len(own)})


def bound_kernels(profile: Profile) -> Iterator[Advice]:
    """Kernels of the cube that wait for transfers, and kernels that keep a unit for vectors busy."""
    found = _with_units(profile)
    if found is None:
        return
    kernels, rows, shares = found
    nothing = np.zeros(len(kernels))

    def share(*units: str) -> NDArray[np.float64]:
        return cast("NDArray[np.float64]", np.max([shares.get(unit, nothing) for unit in units], axis=0))

    is_cube = share("mac") > 0
    cube = rows[(is_cube & (share("mte2") > CUBE_TRANSFER_SHARE))[rows]]
    if len(cube):
        yield _of_kernels("cube_bound", kernels, cube, CUBE_TRANSFER_SHARE, {"kernels": len(cube)})
    busy = share("vec", "mte2", "mte3", "vector_mte2", "vector_mte3")
    vector = rows[(~is_cube & (busy > VECTOR_SHARE))[rows]]
    if len(vector):
        yield _of_kernels("vector_bound", kernels, vector, VECTOR_SHARE, {"kernels": len(vector)})


def frequency_drop(profile: Profile) -> Iterator[Advice]:
    """The AI core runs at a lower clock rate than it could."""
    figures = _figures(profile, "ai_core_frequency")
    highest, mean = figures.get("highest", 0.0), figures.get("mean", 0.0)
    drop = 1 - mean / highest if highest else 0.0
    if drop >= FREQUENCY_DROP:
        yield Advice(
            code="frequency_drop",
            values={"share": drop, "mhz": round(mean), "highest_mhz": round(highest), "threshold": FREQUENCY_DROP},
            threshold=FREQUENCY_DROP, part=TracePart.TIMELINE, rows=[], spans=_spans(figures),
        )  # fmt: skip


def garbage_collection(profile: Profile) -> Iterator[Advice]:
    """Python stops the host to collect garbage."""
    figures = _figures(profile, "garbage_collection")
    if figures.get("count", 0.0) > 0:
        yield Advice(
            code="garbage_collection",
            values={"runs": int(figures["count"]), "time": figures["time"], "threshold": LONG_COLLECTION_NS},
            threshold=LONG_COLLECTION_NS, part=TracePart.TIMELINE, rows=[], spans=_spans(figures),
        )  # fmt: skip


def quiet_host(profile: Profile) -> Iterator[Advice]:
    """The device waits for a host that calls nothing, as while Python collects garbage, which was not recorded."""
    figures = _figures(profile, "quiet_host")
    if figures.get("count", 0.0) > 0:
        yield Advice(
            code="quiet_host",
            values={"runs": int(figures["count"]), "time": figures["time"], "least": time_text(LONG_PAUSE_NS),
                    "interval": time_text(CALL_INTERVAL_NS), "threshold": LONG_PAUSE_NS},
            threshold=LONG_PAUSE_NS, part=TracePart.TIMELINE, rows=[], spans=_spans(figures),
        )  # fmt: skip


def unaligned_transfers(profile: Profile) -> Iterator[Advice]:
    """Sizes of transfers between devices are no multiples of what their links move at once."""
    figures = _figures(profile, "unaligned_transfers")
    share = figures["count"] / figures["all"] if figures.get("all", 0.0) else 0.0
    if share > UNALIGNED_SHARE:
        yield Advice(
            code="unaligned_transfers",
            values={
                "transfers": int(figures["count"]), "share": share, "bytes": ALIGNMENT, "threshold": UNALIGNED_SHARE,
            },
            threshold=UNALIGNED_SHARE, part=TracePart.TIMELINE, rows=[], spans=_spans(figures),
        )  # fmt: skip


def synchronized_norms(profile: Profile) -> Iterator[Advice]:
    """Many layers of SyncBatchNorm, each of which waits for all ranks."""
    operators = part_of(profile, Part.OPERATORS, Operators)
    if operators is None:
        return
    rows = np.flatnonzero(operators.name.is_any_of(lambda name: _NORM.search(name) is not None))
    calls = int(operators.count[rows].sum())
    if calls > SYNCHRONIZED_NORMS:
        own = operators.self_time
        share = int(own[rows].sum()) / max(int(own.sum()), 1)
        yield Advice(
            code="synchronized_norms", values={"calls": calls, "share": share, "threshold": SYNCHRONIZED_NORMS},
            threshold=SYNCHRONIZED_NORMS, part=Part.OPERATORS, rows=integers_of(rows), share=share,
        )  # fmt: skip


def _with_units(profile: Profile) -> tuple[Kernels, NDArray[np.int64], Mapping[str, NDArray[np.float64]]] | None:
    """Return kernels, the rows of long ones whose units were measured, and the share of each unit; None without any."""
    kernels = part_of(profile, Part.KERNELS, Kernels)
    if kernels is None:
        return None
    ratios = {unit: kernels.extra.get(UNIT_RATIO.format(unit)) for unit in _UNITS}
    shares = {unit: ratio for unit, ratio in ratios.items() if ratio is not None and not isinstance(ratio, TextColumn)}
    if not shares:
        return None
    is_measured = np.sum([shares[unit] for unit in shares], axis=0) > 0
    is_long = kernels.total >= LONG_TASK_NS * kernels.count
    is_compute = kernels.kind.is_any_of(lambda kind: kind == "compute")
    return kernels, np.flatnonzero(is_measured & is_long & is_compute), shares


def _of_kernels(
    code: str, kernels: Kernels, rows: NDArray[np.int64], threshold: float, values: Mapping[str, int]
) -> Advice:
    """Return advice on kernels, the greatest time first."""
    ordered = rows[np.argsort(-kernels.total[rows], kind="stable")]
    share = int(kernels.total[rows].sum()) / max(int(kernels.total.sum()), 1)
    return Advice(
        code=code, values={**values, "share": share, "name": kernels.name[int(ordered[0])], "threshold": threshold},
        threshold=threshold, part=Part.KERNELS, rows=integers_of(ordered), share=share,
    )  # fmt: skip


def _has_npu(profile: Profile) -> bool:
    return any(device.kind == "npu" for device in profile.devices)


def _figures(profile: Profile, name: str) -> Mapping[str, Any]:
    found: Any = profile.facts.properties.get(name)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _spans(figures: Mapping[str, Any]) -> list[Span]:
    return [(int(start), int(duration)) for start, duration in figures.get("spans", ())]
