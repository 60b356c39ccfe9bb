# SPDX-License-Identifier: Apache-2.0
"""What a training of MindSpore leaves that is killed: its lineage, its learning rates and the weights it kept."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope

pytest.importorskip("mindspore")
pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]


def test_killed_training_has_lineage_learning_rates_and_weights(tmp_path: Path) -> None:
    script = Path(__file__).with_name("killed.py")
    done = subprocess.run([sys.executable, str(script), str(tmp_path)], capture_output=True, timeout=500)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode("utf-8", "replace")[-2000:]
    run = mindscope.open_run(tmp_path)
    train = run.lineage.train
    assert train is not None
    assert (train.optimizer, train.network, train.epoch) == ("Momentum", "Perceptron", 2)
    assert (train.loss_function, train.batch_size, train.dataset_size) == ("SoftmaxCrossEntropyWithLogits", 32, 128)
    assert train.model_path == str(tmp_path / "ckpt" / "net-1_3.ckpt")  # that of step 6 came after the collector
    assert train.model_size == Path(train.model_path).stat().st_size
    assert train.loss is not None
    assert train.learning_rate == pytest.approx(0.1)
    steps = [1, 2, 4, 6]
    cosine, listed = (run.scalars(f"learning_rate/group_{group}/auto") for group in (0, 1))
    assert list(cosine.step) == list(listed.step) == steps
    assert list(cosine.value) == pytest.approx([0.05 * (1 + math.cos((step - 1) / 8 * math.pi)) for step in steps])
    assert list(listed.value) == pytest.approx([0.05 / step for step in steps])
    kept = json.loads((tmp_path / "ckpt_dir" / "train_metadata.json").read_text("utf-8"))
    assert list(kept["model_params_file_map"]) == ["1", "2", "3", "4", "5", "6", "7"]
