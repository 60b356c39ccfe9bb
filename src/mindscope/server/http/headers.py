# SPDX-License-Identifier: Apache-2.0
"""Security headers: a page runs only files of the viewer, sends no referrer, and no other site frames it."""

from __future__ import annotations

from collections.abc import Sequence

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"
)
SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "SAMEORIGIN",
}


def security_headers(frames: Sequence[str]) -> dict[str, str]:
    """Return the headers of a viewer that pages of the origins ``frames`` may show in a frame."""
    if not frames:
        return SECURITY_HEADERS
    without = {
        name: value for name, value in SECURITY_HEADERS.items() if name != "x-frame-options"
    }  # it has no origins
    return without | {"content-security-policy": " ".join([POLICY, *frames])}
