# SPDX-License-Identifier: Apache-2.0
"""Parts of a profile out of a database of Ascend: those of the trace, or those that Ascend's analysis computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mindscope.profile.formats.ascend.database_trace import CORE, SHAPES, TYPE
from mindscope.profile.formats.scope_names import by_time, mapped, module_of, phase_of, type_of
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.kernels import kernels_of
from mindscope.profile.kineto.operators import operators_of
from mindscope.profile.kineto.profile_parts import PartsOf
from mindscope.profile.kineto.steps import steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.texts import Missing
from mindscope.profile.trace.argument_columns import ArgumentNames
from mindscope.table.columns import TextColumn


def own_parts(computed: Mapping[Part, Any]) -> PartsOf:
    """Return the parts that a database computes otherwise than a trace of PyTorch.

    Args:
        computed: by Ascend's analysis. Its steps count where the trace has none, the others replace those of the trace.
    """

    def parts(analysis: KinetoAnalysis) -> Mapping[Part, Callable[[], Any]]:
        def steps() -> Any:
            found = steps_of(analysis)
            return computed.get(Part.STEPS, found) if isinstance(found, Missing) else found

        others = {part: _constant(found) for part, found in computed.items() if part is not Part.STEPS}
        return {
            Part.STEPS: steps,
            Part.OPERATORS: lambda: _operators_of(analysis),
            Part.KERNELS: lambda: _kernels_of(analysis),
            Part.MODULES: lambda: _modules_of(analysis),
            **others,
        }

    return parts


def _constant(found: Any) -> Callable[[], Any]:
    return lambda: found


def _kernels_of(analysis: KinetoAnalysis) -> Kernels | Missing:
    texts = analysis.source.of_slices(analysis.device.slice, ArgumentNames(texts=(CORE, SHAPES))).texts
    return kernels_of(analysis, core=texts[CORE], shape=texts[SHAPES])


def _operators_of(analysis: KinetoAnalysis) -> Operators | Missing:
    """Return calls of the framework; without them the kernels, which in graph mode have the names of operators."""
    operators = operators_of(analysis)
    work = analysis.device
    if not isinstance(operators, Missing) or not len(work):
        return operators
    names = TextColumn(work.name, analysis.trace.names)
    types = analysis.source.of_slices(work.slice, ArgumentNames(texts=(TYPE,))).texts[TYPE]
    runs = Operators(
        name=names,
        type=TextColumn.of(own or type_of(name) for own, name in zip(types, names, strict=True)),
        device=work.device,
        module=mapped(names, module_of),
        phase=mapped(names, phase_of),
        count=np.ones(len(work), np.int64),
        device_total=work.duration,
        device_self=work.duration,
        max=work.duration,
    )
    return by_time(runs.group_by("name", "device")) or analysis.missing("operators")


def _modules_of(analysis: KinetoAnalysis) -> Modules | Missing:
    operators = _operators_of(analysis)
    modules = None if isinstance(operators, Missing) else modules_of(operators)
    return analysis.missing("modules") if modules is None else modules
