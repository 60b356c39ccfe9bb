# SPDX-License-Identifier: Apache-2.0
"""English texts about profiles, by code: why a part is missing. The page translates them by their codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class _MissingText(NamedTuple):
    reason: str
    """Which data are not there."""
    remedy: str
    """The line of code that records them; empty if none does."""


MISSING: Mapping[str, _MissingText] = {
    "not_in_format": _MissingText("{format} does not record {part}", ""),
    "no_events": _MissingText("the profile has no events", ""),
    "torch_steps": _MissingText("the trace marks no steps", "profiler.step()  # after each step"),
    "torch_operators": _MissingText("the trace has no operators", "activities=[ProfilerActivity.CPU]"),
    "torch_kernels": _MissingText(
        "the trace has no kernels", "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
    ),
    "torch_modules": _MissingText("the trace has no modules", "with_stack=True, with_modules=True"),
    "torch_memory": _MissingText("the trace has no memory events", "profile_memory=True"),
    "torch_data_pipeline": _MissingText(
        "the trace has no batch of a DataLoader", "for batch in torch.utils.data.DataLoader(dataset):"
    ),
    "torch_communication": _MissingText("the trace has no communication between ranks", ""),
}
"""Why a part of a profile is missing."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that a profile does not have: ``code`` is one of ``MISSING``, ``values`` are those of its text."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    @property
    def reason(self) -> str:
        """Which data are not there."""
        return MISSING[self.code].reason.format_map(self.values)

    @property
    def remedy(self) -> str:
        """The line of code that records them; empty if none does."""
        return MISSING[self.code].remedy.format_map(self.values)
