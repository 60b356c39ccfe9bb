# SPDX-License-Identifier: Apache-2.0
"""Streams of a profile as messages."""

from __future__ import annotations

from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.texts import Missing
from mindscope.server.profiles.streams.schema import StreamEntry, StreamsAnswer
from mindscope.server.profiles.tables.missing import missing_entry


def streams_answer(profile: Profile, version: str, kernel_wait_us: int) -> StreamsAnswer:
    """Return the streams of a profile, or why it has none."""
    part = profile.part(Part.STREAMS)
    if isinstance(part, Missing):
        missing = missing_entry(Part.STREAMS, part)
        return StreamsAnswer(version=version, missing=missing, kernel_wait_us=kernel_wait_us, streams=[])
    rows = profile.streams_by(kernel_wait_us).rows()
    streams = [
        StreamEntry(
            device=row["device"], stream=row["stream"], kernels=row["kernels"], busy_ns=row["busy"],
            host_wait_ns=row["host_wait"], kernel_wait_ns=row["kernel_wait"], other_wait_ns=row["other_wait"],
            launches=row["launches"], short=row["short"], long_calls=row["long_calls"], late=row["late"],
            mean_delay_ns=row["mean_delay"], queue_peak=row["queue_peak"], queue_full_ns=row["queue_full"],
        )
        for row in rows
    ]  # fmt: skip
    return StreamsAnswer(version=version, missing=None, kernel_wait_us=kernel_wait_us, streams=streams)
