# SPDX-License-Identifier: Apache-2.0
"""Makes a timeline out of a trace and the file that it comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mindscope.profile.timeline.counters import counters_of, marks_of
from mindscope.profile.timeline.flows import flows_of
from mindscope.profile.timeline.launch_counters import launch_counters
from mindscope.profile.timeline.step_tracks import with_step_tracks
from mindscope.profile.timeline.timeline import Timeline, arrange, timeline_of
from mindscope.profile.trace.trace import Trace
from mindscope.store.mapped_columns import release_pages


def build_timeline(trace: Trace, path: Path) -> Timeline:
    """Return the timeline of a trace that was read from ``path``. Raises OSError if its arguments can't be read."""
    trace = with_step_tracks(trace)
    arranged = arrange(trace)
    counters, marks = counters_of(trace, path), marks_of(trace)
    release_pages()
    flows = flows_of(trace, arranged)
    release_pages()
    timeline = timeline_of(trace, arranged, counters, marks, flows)
    release_pages()
    return replace(timeline, counters=[*timeline.counters, *launch_counters(timeline, path)])
