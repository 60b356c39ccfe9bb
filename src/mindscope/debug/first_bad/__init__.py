# SPDX-License-Identifier: Apache-2.0
"""The first operator in time whose inputs are finite and whose outputs are not."""

from __future__ import annotations

from mindscope.debug.first_bad.finder import FirstBadSearch as FirstBadSearch
from mindscope.debug.first_bad.finder import find_first_bad as find_first_bad
from mindscope.debug.first_bad.last_step import UnfinishedStep as UnfinishedStep
from mindscope.debug.first_bad.last_step import unfinished_step as unfinished_step
from mindscope.debug.first_bad.result import Cause as Cause
from mindscope.debug.first_bad.result import FirstBad as FirstBad
from mindscope.debug.first_bad.result import FirstBadRows as FirstBadRows
from mindscope.debug.first_bad.result import Growth as Growth
from mindscope.debug.first_bad.result import OperatorKind as OperatorKind
from mindscope.debug.first_bad.result import OperatorRow as OperatorRow

__all__ = [
    "Cause",
    "FirstBad",
    "FirstBadRows",
    "FirstBadSearch",
    "Growth",
    "OperatorKind",
    "OperatorRow",
    "UnfinishedStep",
    "find_first_bad",
    "unfinished_step",
]
