# SPDX-License-Identifier: Apache-2.0
"""The first operator in time whose inputs are finite and whose outputs are not."""

from __future__ import annotations

from mindscope.debug.first_bad.finder import find_first_bad as find_first_bad
from mindscope.debug.first_bad.result import Cause as Cause
from mindscope.debug.first_bad.result import FirstBad as FirstBad
from mindscope.debug.first_bad.result import Growth as Growth

__all__ = ["Cause", "FirstBad", "Growth", "find_first_bad"]
