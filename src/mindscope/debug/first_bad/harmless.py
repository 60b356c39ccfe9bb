# SPDX-License-Identifier: Apache-2.0
"""NaN and infinity in steps that they did not damage, such as those of a mask or in an unused part of a buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mindscope.debug.model.damage import non_finite_kinds
from mindscope.debug.model.step_statistics import StepStatistics


@dataclass(slots=True)
class HarmlessValues:
    """Numbers that are not finite in the undamaged steps of a rank so far."""

    _kinds: dict[int, int] = field(default_factory=dict[int, int])
    _since: dict[int, int] = field(default_factory=dict[int, int])
    """First step since which a tensor is never finite, of those that are not finite in the last of these steps."""
    _since_of_digest: dict[int, int] = field(default_factory=dict[int, int])
    """The same first step by the bytes that the tensors have in the last step."""

    @property
    def kinds(self) -> Mapping[int, int]:
        """The kinds of each tensor that was not finite in any of these steps, as ``non_finite_kinds``."""
        return self._kinds

    def add(self, recorded: StepStatistics) -> None:
        """Take in an undamaged step."""
        kinds = non_finite_kinds(recorded)
        since, digests = dict(self._since), dict[int, int]()
        for tensor in recorded.tensor[kinds == 0].tolist() if since else ():
            since.pop(tensor, None)
        for row in np.flatnonzero(kinds).tolist():
            tensor, digest = int(recorded.tensor[row]), int(recorded.digest[row])
            begin = self.since(recorded, row)
            self._kinds[tensor] = self._kinds.get(tensor, 0) | int(kinds[row])
            since[tensor] = min(begin, since.get(tensor, begin))
            if digest:
                digests[digest] = min(begin, digests.get(digest, begin))
        self._since, self._since_of_digest = since, digests

    def since(self, recorded: StepStatistics, row: int) -> int:
        """Return the first step from which a non-finite tensor, or one with the same bytes, is never finite."""
        step = recorded.step
        of_digest = self._since_of_digest.get(int(recorded.digest[row]), step)
        return min(self._since.get(int(recorded.tensor[row]), step), of_digest)
