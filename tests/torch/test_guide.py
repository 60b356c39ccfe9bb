# SPDX-License-Identifier: Apache-2.0
"""The guide: its code runs from top to bottom, and records what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.torch.core.context import CONTEXT

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]
GUIDE = Path(__file__).parents[2] / "docs" / "pytorch.md"


def test_code_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {"__name__": "guide"}
    try:
        for block in blocks:
            exec(compile(block, str(GUIDE), "exec"), names)
    finally:
        CONTEXT.device, CONTEXT.running_data = None, {}
    for name in ("model", "own", "lightning", "transformers", "recorded"):
        run = mindscope.open_run(Path("runs") / name)
        assert not run.damages
        assert run.scalars("loss/auto").step[0] == 1
        assert run.lineage.train is not None
        assert len(run.graphs()) == 1
    model = mindscope.open_run("runs/model")
    assert list(model.tags("image")) == ["input_data/auto"]
    assert {"eval_loss/auto", "eval_accuracy/auto"} <= set(model.tags("scalar"))
    own = mindscope.open_run("runs/own")
    assert len(own.scalars("eval_accuracy/auto").step) == 2
    assert own.lineage.eval is not None
    assert list(read_landscape_file(Path("runs/model")).checkpoints) == [1, 2, 3]
    assert list(read_landscape_file(Path("runs/own")).checkpoints) == [1, 5, 10, 20]
    assert "largest" in mindscope.open_run("runs/recorded").tags("scalar")
    assert (tmp_path / "runs" / "graphs" / "ms_output_joint.pb").exists()
