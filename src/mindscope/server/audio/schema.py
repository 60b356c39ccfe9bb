# SPDX-License-Identifier: Apache-2.0
"""Messages about sounds."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry


class AudioAnswer(Answer):
    """What a sound is; null what neither the log nor the sound itself says. ``sample_rate`` is in Hz.

    The value holds ``clips`` sounds. The bytes of this one begin at byte ``offset`` of ``file``. ``damage`` says why it
    can't be played, or not to its end, where its bytes tell.
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
