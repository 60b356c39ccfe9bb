# SPDX-License-Identifier: Apache-2.0
"""Makes messages of the reasons why a profile lacks a part."""

from __future__ import annotations

from mindscope.profile.model.profile_data import Part
from mindscope.profile.texts import Missing
from mindscope.server.profiles.tables.schema import MissingEntry


def missing_entry(part: Part, missing: Missing) -> MissingEntry:
    """Return the message of a part that a profile lacks."""
    return MissingEntry(
        part=part.value,
        code=missing.code,
        values=dict(missing.values),
        reason=missing.reason,
        remedy=missing.remedy,
    )
