# SPDX-License-Identifier: Apache-2.0
"""Limits above which the trace of an Ascend NPU is worth advice; readers count what is above."""

from __future__ import annotations

LONG_COLLECTION_NS = 1_000_000
"""A run of the garbage collector of Python."""
LONG_PAUSE_NS, CALL_INTERVAL_NS = 200_000_000, 10_000_000
"""A pause of the device, and the mean time between calls of the host above which it is quiet."""
ALIGNMENT = 512
"""Bytes of which the size of a transfer is to be a multiple."""
