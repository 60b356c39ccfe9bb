# SPDX-License-Identifier: Apache-2.0
"""Profiler over MindSpore's own, on the CPU, and the reader on what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.framework
HERE = Path(__file__).parent


def test_profiles_of_a_training(tmp_path: Path) -> None:
    command = [sys.executable, str(HERE / "profiled.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stderr[-3000:]
    shown, _, rest = done.stdout.partition("====\n")
    found = json.loads(rest.splitlines()[-1])
    assert len(found["scheduled"]) == 2
    assert found["found"] == found["scheduled"], "the viewer finds them beside the run"
    assert [facts["steps"] for facts in found["facts"]] == [[3, 4], [7, 8]]
    lines = [line for line in shown.splitlines() if line.startswith("optype_name")]
    assert len(lines) == 1
    assert "MatMul" in shown
    ((*operators,),) = found["operators"]
    matmul = [row for row in operators if row["type"] == "MatMul"]
    assert matmul
    assert all(row["count"] == 8 and row["host_self"] > 0 and row["device"] == "CPU" for row in matmul)
    assert {row["phase"] for row in operators} >= {"forward", "backward"}
    assert any(path.endswith("fc1-Dense") for path in found["paths"][0])
    assert sum(row["count"] for row in operators) > 8
    assert found["slices"][0] > 8
    assert found["problems"] == [{}]
    assert {"steps", "kernels", "memory", "data_pipeline"} <= set(found["missing"])
    assert [row["count"] for row in found["named"]["MatMul"]] == [8] * len(matmul)
    for name in ("cnn", "transformer"):
        compared = found[name]
        assert dict(compared["types"]) == pytest.approx(compared["raw_types"], rel=1e-5)
        assert compared["types"][0][0] == max(compared["raw_types"], key=compared["raw_types"].get)
        assert [row[:2] for row in compared["ours"]] == [row[:2] for row in compared["raw"]]
        assert [row[2] for row in compared["ours"]] == pytest.approx([row[2] for row in compared["raw"]], rel=1e-5)
        assert {"steps", "memory", "data_pipeline"} <= set(compared["missing"]), (
            "on a CPU MindSpore records none of these"
        )
    assert found["cnn"]["types"][0][0] == "Conv2D"
    assert "does not run; stop() has no effect" in done.stderr
    assert list((tmp_path / "run").glob("*summary*")), "the collector records beside it"
