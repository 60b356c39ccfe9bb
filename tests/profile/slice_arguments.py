# SPDX-License-Identifier: Apache-2.0
"""The arguments of slices, as the details of the timeline show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mindscope.profile.open_arguments import open_arguments
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline


def all_arguments(profile: Profile, path: Path, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of each slice, by a timeline that was saved and opened again."""
    assert profile.trace is not None
    save_timeline(build_timeline(profile.trace, path), folder / "saved", "key")
    timeline = open_timeline(folder / "saved", "key")
    assert timeline is not None
    return arguments_of_timeline(timeline, path)


def arguments_of_timeline(timeline: Timeline, path: Path) -> list[tuple[str, dict[str, Any]]]:
    order = np.argsort(timeline.args_offset, kind="stable").tolist()
    places = [(int(timeline.args_offset[place]), int(timeline.args_size[place])) for place in order]
    names = [timeline.names[int(timeline.name[place])] for place in order]
    together = list(open_arguments(path, timeline).read_all(places))
    reader = open_arguments(path, timeline)
    assert [reader.read(*place) for place in places] == together
    return list(zip(names, together, strict=True))
