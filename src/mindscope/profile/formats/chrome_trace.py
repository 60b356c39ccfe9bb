# SPDX-License-Identifier: Apache-2.0
"""JSON traces of any program, in the format of Chrome: only a timeline."""

from __future__ import annotations

from pathlib import Path

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.formats.json_trace_files import TraceKind, bare_name, trace_kind
from mindscope.profile.model.profile_data import ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.time_unit import time_unit_problem


def is_chrome_trace(path: Path) -> bool:
    """Return whether a file is a trace of another program than PyTorch. Raises OSError."""
    return trace_kind(path) is TraceKind.CHROME


def _read(path: Path, on_progress: Progress) -> Profile:
    trace = read_json_trace(path, on_progress)
    problems, unit = Problems(), time_unit_problem(trace, path)
    if unit is not None:
        problems.note(path.name, unit)
    facts = ProfileFacts(
        name=bare_name(path), path=str(path), format=CHROME_TRACE.name, origin_ns=trace.origin_ns,
        properties={**trace.properties, "problems": problems},
    )  # fmt: skip
    return Profile(facts, trace, {})


CHROME_TRACE = Format("chrome_trace", "Chrome trace", is_chrome_trace, _read)
