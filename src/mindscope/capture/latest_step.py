# SPDX-License-Identifier: Apache-2.0
"""The newest step of the training in this process, so that a profile numbers its steps as the curves do."""

from __future__ import annotations


class LatestStep:
    """Written at each step by recorders and collectors, without a lock: any thread may read a value late."""

    __slots__ = ("step",)

    def __init__(self) -> None:
        self.step: int | None = None
        """None before the first one."""


LATEST = LatestStep()
