# SPDX-License-Identifier: Apache-2.0
"""Detects addresses of object stores, which users must mount before reading."""

from __future__ import annotations

import re

from mindscope.reasons import Reason

MOUNTS = {"gs": "gcsfuse", "s3": "mount-s3", "s3a": "mount-s3", "az": "blobfuse2", "abfs": "blobfuse2", "obs": "obsfs"}
"""Programs that mount a remote store as a directory, by the scheme of its addresses."""


def remote_address(path: object) -> Reason | None:
    """Return why ``path`` can't be read, if it is an address such as gs://bucket/logs; None for a path."""
    address = str(path)
    scheme = re.match(r"([a-z][a-z0-9+.-]*)://", address, re.IGNORECASE | re.ASCII)
    if scheme is None:
        return None
    return Reason("address_not_read", address=address, tool=MOUNTS.get(scheme[1].lower(), "FUSE"))
