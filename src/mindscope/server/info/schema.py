# SPDX-License-Identifier: Apache-2.0
"""Messages about the viewer itself."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry


class ServerAnswer(Answer):
    """The viewer itself. ``reload_interval`` is in seconds, 0 loads logs once; ``started_at`` is a wall time.

    ``version`` is that of mindscope, ``api_version`` that of this API. ``allow_delete``: the page may delete event
    files of runs. ``refusal``: why this user may change nothing, else null. ``user`` is whom a trusted proxy names,
    else empty.
    """

    version: str
    api_version: str
    base_dir: str
    reload_interval: float
    started_at: float
    pid: int
    allow_delete: bool
    refusal: ReasonEntry | None
    user: str
