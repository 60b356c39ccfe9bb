# SPDX-License-Identifier: Apache-2.0
"""JSON traces of any program, in the format of Chrome: only a timeline."""

from __future__ import annotations

import re
from pathlib import Path

from mindscope.profile.formats.json_file import bare_name, json_head
from mindscope.profile.formats.profile_format import ProfileFormat, Progress
from mindscope.profile.json_trace import read_json_trace
from mindscope.profile.profile import Profile, ProfileFacts

_EVENT = re.compile(rb'\[\s*(\{[^{}]*"(ph|ts|pid)"\s*:|\]\s*$)')
"""A list of events, or an empty one."""
_OF_XLA = ("trace.json.gz",)


def is_chrome_trace(path: Path) -> bool:
    """Whether a file is a list of events, or an object with ``traceEvents``. Raises OSError.

    What JAX writes beside a profile of XLA holds the same events, at most a million of them.
    """
    if path.name.endswith(_OF_XLA) and next(path.parent.glob("*.xplane.pb"), None) is not None:
        return False
    head = json_head(path)
    return b'"traceEvents"' in head or _EVENT.match(head) is not None


def _read(path: Path, on_progress: Progress) -> Profile:
    trace = read_json_trace(path, on_progress)
    facts = ProfileFacts(
        name=bare_name(path), path=str(path), format=CHROME_TRACE.name, origin_ns=trace.origin_ns,
        properties=trace.properties,
    )  # fmt: skip
    return Profile(facts, trace, {})


CHROME_TRACE = ProfileFormat("chrome_trace", "Chrome trace", is_chrome_trace, _read)
