# SPDX-License-Identifier: Apache-2.0
"""Messages about audio."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry


class AudioAnswer(Answer):
    """A clip; a field is null if neither the log nor the header of the clip has it. ``sample_rate`` is in Hz.

    The value has ``clips`` clips. The bytes of this one begin at byte ``offset`` of ``file``. ``damage`` says why a
    browser can't play it, or only its start.
    """

    media_type: str | None
    sample_rate: float | None
    channels: int | None
    frames: int | None
    duration_s: float | None
    size_bytes: int
    clips: int
    step: int
    file: str
    offset: int
    damage: ReasonEntry | None
