# SPDX-License-Identifier: Apache-2.0
"""Healthy trainings of many kinds have no bad number and no hit of a recommended watchpoint."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import mindscope
from mindscope.torch import Debugger

from .small_trainings import HEALTHY, steps_of

pytestmark = pytest.mark.framework


@pytest.mark.parametrize("kind", sorted(HEALTHY))
def test_a_healthy_training_is_quiet(kind: str, tmp_path: Path) -> None:
    for level in ("module", "operator"):
        torch.manual_seed(3)
        training = HEALTHY[kind]()
        ring = Debugger(tmp_path / f"{level}-ring", training.network, level=level, ring=2)
        with Debugger(tmp_path / level, training.network, level=level) as debugger, ring:
            for _, loss in steps_of(training):
                debugger.step(loss)
                ring.step(loss)
        debug = mindscope.open_run(tmp_path / level).debug
        assert len(debug.source.steps(0)) >= 6
        bad = debug.first_bad()
        assert bad is None, bad.text
        assert debug.watch().rows() == []
        assert not list((tmp_path / f"{level}-ring").iterdir())
