# SPDX-License-Identifier: Apache-2.0
"""Finds which kernels of a trace run on tensor cores, and whether its devices have them."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.tables.kernels import TENSOR_CORE_CAPABILITY
from mindscope.table.columns import TextColumn, integers_of

TENSOR_CORE = "tensor_core"
_KERNEL_NAME = re.compile(
    r"[his]884|[hsci]1688|hmma|i?8?816|16816|xmma_\w*(gemm|fprop|dgrad|wgrad)|implicit_gemm|first_layer_wgrad|sm80_xmma|"
    r"sm90_xmma|wgmma|tensorop|nvjet",
    re.IGNORECASE,
)
_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"}
"""Categories of what a GPU runs; accelerators of other makers have categories of their own."""
_AMD_NAME = re.compile(r"AMD|Radeon|Instinct|gfx\d", re.IGNORECASE)
_AMD_WARP = 64
_HIP_CALL = re.compile(r"hip[A-Z]")


def cores_of(analysis: KinetoAnalysis, names: TextColumn) -> TextColumn | None:
    """Return ``tensor_core`` or empty for each kernel, by its name; None if the devices have no tensor cores, as AMD's.

    Where a trace doesn't say what its devices are, one kernel of such a name shows that they have them.
    """
    uses = names.is_any_of(lambda name: _KERNEL_NAME.search(name) is not None)
    if not _is_of_nvidia(analysis) or not (uses.any() or _capability(analysis) >= TENSOR_CORE_CAPABILITY):
        return None
    return TextColumn(uses.astype(np.uint32), ["", TENSOR_CORE])


def _is_of_nvidia(analysis: KinetoAnalysis) -> bool:
    """Return whether nothing says that the devices are of another maker."""
    trace = analysis.trace
    codes = trace.slices.category[analysis.device.slice]
    categories = {trace.categories[integer].lower() for integer in integers_of(np.unique(codes))}
    calls = analysis.calls
    launches = {trace.names[integer] for integer in integers_of(np.unique(calls.name[calls.role == SliceRole.LAUNCH]))}
    return (
        analysis.device_kind == "GPU"
        and not any(_is_of_amd(each) for each in _described(analysis))
        and not any(_HIP_CALL.match(launch) for launch in launches)
        and categories <= _CATEGORIES
    )


def _is_of_amd(device: dict[str, Any]) -> bool:
    return device.get("warpSize") == _AMD_WARP or _AMD_NAME.search(str(device.get("name", ""))) is not None


def _capability(analysis: KinetoAnalysis) -> int:
    """Return the greatest one; 0 if the trace doesn't say it."""
    majors = [each.get("computeMajor") for each in _described(analysis)]
    return max((major for major in majors if isinstance(major, int)), default=0)


def _described(analysis: KinetoAnalysis) -> list[dict[str, Any]]:
    found = analysis.trace.properties.get("deviceProperties")
    described = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("dict[str, Any]", each) for each in described if isinstance(each, dict)]
