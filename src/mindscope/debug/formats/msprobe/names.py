# SPDX-License-Identifier: Apache-2.0
"""Names of operators in dumps of msprobe.

``Module.PATH.CLASS.forward.CALL``, ``Functional.API.CALL.forward``, ``Module.PATH.CLASS.parameters_grad.N``; a module
of MindSpore begins with ``Cell``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mindscope.debug.model.tensors import Phase

_MODULE = re.compile(
    r"(?:Module|Cell)\.(?:(?P<path>.+)\.)?(?P<class>[^.]+)\.(?P<phase>forward|backward|parameters_grad)(?:\.(?P<call>\d{1,18}))?",
    re.ASCII,
)
_API = re.compile(r"(?P<kind>[^.]+)\.(?P<api>.+)\.(?P<call>\d{1,18})\.(?P<phase>forward|backward)", re.ASCII)


class OperatorName(NamedTuple):
    """Facts that a name has about an operator."""

    module: str
    """Path of a module; empty for an operator, whose module is in ``construct.json``."""
    type: str
    phase: Phase
    call: int
    is_module: bool = False
    is_gradient: bool = False
    """Whether its tensors are gradients of the parameters of the module."""


def parse_operator(name: str) -> OperatorName:
    """Read the facts from a name; one of no known form is the type of an operator."""
    match = _MODULE.fullmatch(name)
    if match:
        is_gradient = match["phase"] == "parameters_grad"
        phase = Phase.FORWARD if match["phase"] == "forward" else Phase.BACKWARD
        return OperatorName(match["path"] or "", match["class"], phase, int(match["call"] or 0), True, is_gradient)
    match = _API.fullmatch(name)
    if match:
        phase = Phase.FORWARD if match["phase"] == "forward" else Phase.BACKWARD
        return OperatorName("", f"{match['kind']}.{match['api']}", phase, int(match["call"]))
    return OperatorName("", name, Phase.FORWARD, 0)
