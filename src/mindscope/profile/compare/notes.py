# SPDX-License-Identifier: Apache-2.0
"""Says in words what two profiles do not let compare; the page translates it by its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mindscope.profile.compare.side import Side

NOTES: Mapping[str, str] = {
    "frameworks": "names of {before} and {after} differ: operators are aligned only where they are equal",
    "devices": "devices differ, {before} and {after}: so do times, whatever the code is",
    "device_times": "only one of the profiles has times of a device: times of the host are compared",
    "no_steps": "{profile} marks no steps: its whole time is compared as one step",
    "no_modules": "{profile} has no modules: operators are compared by name alone",
    "no_call_tree": "{profile} has no tree of calls: operators are compared by module and name",
    "few_steps": "{profile} has {steps} steps: noise is not known, small changes may be chance",
}


@dataclass(frozen=True, slots=True)
class Note:
    """``code`` is one of ``NOTES``; ``values`` fill its text."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict[str, "str | int"])

    @property
    def text(self) -> str:
        """The note in English."""
        return NOTES[self.code].format_map(dict(self.values))


def notes_of(before: Side, after: Side) -> Iterator[Note]:
    """List what can't be compared, the most important first."""
    one, other = before.profile.facts, after.profile.facts
    if one.framework != other.framework:
        yield Note("frameworks", {"before": one.framework or one.format, "after": other.framework or other.format})
    devices = [_devices(side) for side in (before, after)]
    if devices[0] != devices[1]:
        yield Note("devices", {"before": devices[0], "after": devices[1]})
    if before.has_device_times != after.has_device_times:
        yield Note("device_times")
    for side in (before, after):
        profile = {"profile": side.profile.name}
        if side.steps is None:
            yield Note("no_steps", profile)
        if side.profile.operators.module is None:
            yield Note("no_modules", profile)
        if side.tree is None:
            yield Note("no_call_tree", profile)
        elif side.steps is not None and len(side.steps) < 2:
            yield Note("few_steps", {**profile, "steps": len(side.steps)})


def _devices(side: Side) -> str:
    """Return the models of the devices that are no CPU, else the kinds of all."""
    devices = side.profile.devices
    names = {device.model or device.kind for device in devices if device.kind != "cpu"} or {
        device.kind for device in devices
    }
    return ", ".join(sorted(names)) or "CPU"
