# SPDX-License-Identifier: Apache-2.0
"""Profiles of JAX and XLA: ``plugins/profile/TIME/HOST.xplane.pb``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.artifacts.format import Format, Progress, no_progress
from mindscope.errors import FormatError
from mindscope.formats.message_columns import ByteRanges, Messages
from mindscope.profile.formats.xplane.operations import own_parts
from mindscope.profile.formats.xplane.plane_reader import DevicePlane, PlaneReader
from mindscope.profile.formats.xplane.planes import Space, metadata_of, name_of, planes_of, texts_by_id
from mindscope.profile.formats.xplane.schemas import PLANE
from mindscope.profile.formats.xplane.scopes import hlo_paths
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.profile_parts import profile_of
from mindscope.profile.model.profile_data import Device, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.reasons import Reason

SUFFIX = ".xplane.pb"
_KINDS = {"GPU": "cuda", "TPU": "tpu"}
_EPOCH_FROM = 10**17
"""Stamps from here on count from 1970, lesser ones from the start of the profile."""


def is_xplane(path: Path) -> bool:
    """Return whether a file is named like one. Raises OSError."""
    return path.name.endswith(SUFFIX) and path.is_file()


def _read(path: Path, on_progress: Progress) -> Profile:
    paths, environment = _described(path)
    reader, space = PlaneReader(), Space()
    for plane in planes_of(path, space, on_progress):
        reader.read(plane.encoded, plane.begin, paths)
    reader.add_device_steps()
    if space.cut_at >= 0:
        reader.to.skip("truncated", 1, space.cut_at)
    begin = environment.get("profile_start_time")
    trace, arguments = reader.to.trace(0, {})
    epoch: int | None = 0
    if trace.origin_ns is not None and trace.origin_ns < _EPOCH_FROM:
        epoch = begin if isinstance(begin, int) and begin >= _EPOCH_FROM else None
    properties: dict[str, Any] = {
        "environment": environment, "errors": space.errors, "warnings": space.warnings, "hosts": space.hosts,
        "isWhole": space.cut_at < 0,
    }  # fmt: skip
    trace, arguments = reader.to.trace(epoch, properties)
    trace = replace(trace, arguments_format=XPLANE.name, arguments_path=str(path))
    kinds = {device.kind for device in reader.devices}
    name = path.name.removesuffix(SUFFIX)
    facts = ProfileFacts(
        name=name,
        path=str(path),
        format=XPLANE.name,
        framework="jax" if "jax_version" in environment else "",
        worker=name,
        devices=[Device("CPU", "cpu"), *_devices(reader.devices)],
        origin_ns=trace.origin_ns,
        properties=properties,
    )
    kind = next(iter(sorted(kinds)), "GPU")
    return profile_of(facts, KinetoAnalysis(trace, arguments, "xplane", kind), own_parts)


def _described(path: Path) -> tuple[dict[str, str], dict[str, int | str]]:
    """Return the paths of operations, and stats of planes without lines, which follow those that need them.

    Raises:
        FormatError: it is no XSpace.
        OSError: it can't be read.
    """
    paths: dict[str, str] = {}
    stats: dict[str, int | str] = {}
    count = 0
    for _, plane in planes_of(path, Space(), no_progress):
        count += 1
        if name_of(plane) in ("/host:metadata", "Task Environment"):
            paths |= _paths_of(plane)
            stats |= _stats_of(plane)
    if not count:
        raise FormatError(Reason("profile_without_planes", file=path.name))
    return paths, stats


def _paths_of(plane: bytes) -> dict[str, str]:
    events, _ = metadata_of(plane)
    _, stats = events.each_message("stats")
    encoded = stats.field_runs("bytes_value")
    found: dict[str, str] = {}
    for row in np.flatnonzero(encoded.stop > encoded.start).tolist():
        found |= hlo_paths(encoded.bytes_of(row))
    return found


def _stats_of(plane: bytes) -> dict[str, int | str]:
    """Return the stats of a plane itself."""
    messages = Messages.one(PLANE, plane)
    _, names = messages.each_message("stat_metadata")
    known = texts_by_id(names.messages("value"))
    _, stats = messages.each_message("stats")
    texts: ByteRanges = stats.field_runs("str_value")
    signed, unsigned = stats.numbers("int64_value"), stats.numbers("uint64_value")
    ids: list[int] = stats.numbers("metadata_id").tolist()
    return {
        known.get(id, str(id)): texts.text(row) or int(signed[row]) or int(unsigned[row]) for row, id in enumerate(ids)
    }  # fmt: skip


def _devices(planes: Sequence[DevicePlane]) -> list[Device]:
    return [
        Device(f"{plane.kind} {plane.number}", _KINDS.get(plane.kind, plane.kind.lower()))
        for plane in dict.fromkeys(planes)
    ]


XPLANE = Format("xplane", "XLA profile", is_xplane, _read)
