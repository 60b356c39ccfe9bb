# SPDX-License-Identifier: Apache-2.0
"""Prints the streams of devices for ``mindscope profile``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mindscope.profile.advice.advice import share_text, time_text
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.streams import Streams

_WAITS = ("host_wait", "kernel_wait", "other_wait")


def streams_json(profile: Profile, kernel_wait_us: int) -> dict[str, Any]:
    """Return the streams with their times in nanoseconds; none if the profile has no kernels."""
    part = profile.part(Part.STREAMS)
    rows = list(profile.streams_by(kernel_wait_us).rows()) if isinstance(part, Streams) else []
    return {"kernel_wait_us": kernel_wait_us, "streams": rows}


def stream_lines(profile: Profile, kernel_wait_us: int) -> Iterator[str]:
    """Yield a table of streams: shares of their time from the first kernel to the last, launches, queues."""
    found: list[dict[str, Any]] = streams_json(profile, kernel_wait_us)["streams"]
    if not found:
        return
    yield ""
    yield (
        f"{'streams':<24} {'busy':>8} {'host wait':>10} {'kernel wait':>12} {'other wait':>11} {'kernels':>8} "
        f"{'short':>8} {'call>50us':>10} {'delay>100us':>12} {'mean delay':>11} {'queue':>6}"
    )
    for row in found:
        whole = row["busy"] + sum(row[name] for name in _WAITS)
        shares = [share_text(row[name] / whole if whole else 0.0) for name in ("busy", *_WAITS)]
        yield (
            f"{row['device'] + ' ' + row['stream']:<24} {shares[0]:>8} {shares[1]:>10} {shares[2]:>12} {shares[3]:>11} "
            f"{row['kernels']:>8} {row['short']:>8} {row['long_calls']:>10} {row['late']:>12} "
            f"{time_text(row['mean_delay']):>11} {row['queue_peak']:>6}"
        )
    yield f"kernel wait: gaps shorter than {kernel_wait_us} us between kernels that were launched in time"
