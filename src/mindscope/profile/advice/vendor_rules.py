# SPDX-License-Identifier: Apache-2.0
"""Findings of other advisors that a profile holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from mindscope.profile.advice.advice import Advice, shortened
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile


def vendor_findings(profile: Profile) -> Iterator[Advice]:
    """Repeat what MindSpore's advisor wrote beside the profile, as it wrote it."""
    listed = profile.facts.properties.get("recommendations")
    for each in cast("list[Any]", listed) if isinstance(listed, list) else []:
        values = {"model": str(each["model"]) or "msadvisor", "text": shortened(str(each["text"])), "threshold": 0}
        yield Advice(code="vendor_finding", values=values, threshold=0, part=Part.OPERATORS, rows=[])
