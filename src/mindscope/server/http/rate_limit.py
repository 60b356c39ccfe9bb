# SPDX-License-Identifier: Apache-2.0
"""Limits how often a client may do something. Memory is bounded by the number of clients that are remembered."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass

from mindscope.lru import LRU

MOST_CLIENTS = 10_000
"""Clients that are remembered; the one seen longest ago is forgotten first."""


@dataclass(slots=True)
class Bucket:
    """The requests that a client may still send: ``left`` at the time ``at``, in seconds."""

    left: float
    at: float


class RateLimit:
    """Each client may send ``burst`` requests at once, and ``per_second`` on average. For one thread."""

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._per_second = burst, per_second
        self._buckets: LRU[str, Bucket] = LRU(MOST_CLIENTS)

    def wait_s(self, client: str, now: float) -> int:
        """Return the whole seconds until a client may send a request; 0 if it may now."""
        left = self._bucket(client, now).left
        return 0 if left >= 1 else math.ceil((1 - left) / self._per_second)

    def take(self, client: str, now: float) -> int:
        """Count a request of a client if it may send one; returns ``wait_s``."""
        wait_s = self.wait_s(client, now)
        if wait_s == 0:
            self._bucket(client, now).left -= 1
        return wait_s

    def _bucket(self, client: str, now: float) -> Bucket:
        bucket = self._buckets.get_or_add(client, lambda: Bucket(self._burst, now))
        bucket.left = min(self._burst, bucket.left + self._per_second * max(0.0, now - bucket.at))
        bucket.at = now
        return bucket


def network_of(address: str) -> str:
    """Return what counts as one client: an address, of IPv6 the network of 64 bits that one customer has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((int(parsed), 64), strict=False))
