# SPDX-License-Identifier: Apache-2.0
"""The example of an agent finds the learning rate with which its training diverges."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope

pytestmark = pytest.mark.framework
EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_why_diverged.py"


def test_the_agent_finds_why_the_training_diverged(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLE), "--directory", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    loss = mindscope.open_run(tmp_path / "steep").scalars("loss")
    bad = mindscope.open_run(tmp_path / "steep").debug.first_bad()
    assert bad is not None
    step = int(loss.step[~(abs(loss.value) < float("inf"))][0])
    assert f"steep: the loss is NaN or infinite since step {step}." in lines
    assert f"steep: {bad.sentences()[0]}" in lines
    assert bad.step <= step
    assert lines[-1] == "learning_rate: 0.05 in steady, 25.0 in steep."
    assert not any(line.startswith("steady") for line in lines)
