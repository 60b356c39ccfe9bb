# SPDX-License-Identifier: Apache-2.0
"""Messages about videos."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry


class VideoAnswer(Answer):
    """What a video is by the blocks of its GIF; no pixel is decoded.

    ``durations_ms`` has an entry for each whole frame, 0 where the file says none. The bytes begin at byte ``offset``
    of ``file``. ``damage`` says why only the first frames, or none, can be shown.
    """

    width: int
    height: int
    durations_ms: list[int]
    size_bytes: int
    step: int
    file: str
    offset: int
    damage: ReasonEntry | None
