# SPDX-License-Identifier: Apache-2.0
"""The profile of a trace whose events are linked as PyTorch's are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.annotations import annotations_of
from mindscope.profile.kineto.batches import data_pipeline_of
from mindscope.profile.kineto.call_tree import call_tree_of
from mindscope.profile.kineto.communication import communication_of
from mindscope.profile.kineto.functions import functions_of
from mindscope.profile.kineto.kernels import kernels_of
from mindscope.profile.kineto.memory import memory_of
from mindscope.profile.kineto.operators import modules_of, operators_of
from mindscope.profile.kineto.step_selection import analysis_of_steps
from mindscope.profile.kineto.steps import steps_of
from mindscope.profile.kineto.streams import stream_gaps_of, streams_of
from mindscope.profile.model.profile_data import Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.texts import Missing

PartsOf = Callable[[KinetoAnalysis], Mapping[Part, Callable[[], Any]]]
"""Parts that a format computes otherwise."""


def profile_of(facts: ProfileFacts, analysis: KinetoAnalysis, own_parts: PartsOf = lambda _: {}) -> Profile:
    """Return a profile with all parts of a trace, which are computed on first use.

    Args:
        facts: about the profile.
        analysis: of its trace.
        own_parts: parts that replace those of PyTorch's traces.
    """

    def select_steps(first: int, last: int) -> Profile:
        return profile_of(facts, analysis_of_steps(analysis, first, last), own_parts)

    return Profile(facts, analysis.trace, {**_parts(analysis), **own_parts(analysis)}, select_steps)


def missing_parts(code: str) -> PartsOf:
    """Instead of all parts: why they are missing, of a trace of which only the timeline is right."""
    return lambda analysis: {part: lambda: Missing(code) for part in _parts(analysis)}


def _parts(analysis: KinetoAnalysis) -> dict[Part, Callable[[], Any]]:
    return {
        Part.STEPS: lambda: steps_of(analysis),
        Part.OPERATORS: lambda: operators_of(analysis),
        Part.KERNELS: lambda: kernels_of(analysis),
        Part.MODULES: lambda: modules_of(analysis),
        Part.MEMORY: lambda: memory_of(analysis),
        Part.DATA_PIPELINE: lambda: data_pipeline_of(analysis),
        Part.COMMUNICATION: lambda: communication_of(analysis),
        Part.ANNOTATIONS: lambda: annotations_of(analysis),
        Part.STREAMS: lambda: streams_of(analysis),
        Part.STREAM_GAPS: lambda: stream_gaps_of(analysis),
        Part.CALL_TREE: lambda: call_tree_of(analysis),
        Part.FUNCTIONS: lambda: functions_of(analysis),
    }
