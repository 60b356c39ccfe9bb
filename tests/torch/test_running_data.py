# SPDX-License-Identifier: Apache-2.0
"""The running data recorder of a Model: when it writes, where, and what."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model

from mindscope.graph import read_graph_file
from mindscope.torch import Callback, RunContext, RunningDataRecorder, set_context
from mindscope.torch.core.context import CONTEXT

pytestmark = pytest.mark.framework
FILES = ["exec_order.csv", "graph_0.pb", "memory.json", "state.json"]


@pytest.fixture(autouse=True)
def _nothing_configured() -> Iterator[None]:
    yield
    CONTEXT.running_data = None


class Fail(Callback):
    def step_end(self, run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == 3:
            raise RuntimeError("mine")


def configure(directory: Path, mode: int, is_enabled: bool = True) -> Path:
    file = directory / "mindspore_config.json"
    file.write_text(json.dumps({"rdr": {"enable": is_enabled, "mode": mode, "path": str(directory)}}), "utf-8")
    set_context(env_config_path=file)
    return directory / "rank_0" / "rdr"


def train(callbacks: Any = None) -> None:
    make_model().train(2, batches(32), callbacks=callbacks)


def test_failed_training_leaves_what_it_did_last(tmp_path: Path) -> None:
    directory = configure(tmp_path, 1)
    train()
    assert not directory.exists()
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())
    assert sorted(file.name for file in directory.iterdir()) == sorted(["exception.txt", *FILES])
    assert (directory / "exception.txt").read_text("utf-8").endswith("RuntimeError: mine\n")
    state = json.loads((directory / "state.json").read_text("utf-8"))
    assert (state["cur_epoch_num"], state["cur_step_num"], state["mode"]) == (2, 3, "train")
    assert state["train_dataset_element"][0] == "torch.float32 [16, 1, 8, 8] cpu"
    rows = list(csv.reader((directory / "exec_order.csv").read_text("utf-8").splitlines()))
    assert [row[1:3] for row in rows[1:]] == [["conv1", "Conv2d"], ["fc1", "Linear"], ["", "SmallNet"]]
    assert rows[2][3] == "torch.float32 [16, 10] cpu"
    memory = json.loads((directory / "memory.json").read_text("utf-8"))
    parameters = 4 * (2 * 9 + 2 + 72 * 10 + 10)
    assert memory["host_peak_bytes"] > 1 << 20
    assert [memory[f"{name}_bytes"] for name in ("parameters", "gradients", "optimizer")] == [parameters] * 3
    assert "conv2d" in {node.op_type for node in read_graph_file(directory / "graph_0.pb").operations}


def test_mode_2_writes_at_every_end(tmp_path: Path) -> None:
    directory = configure(tmp_path, 2)
    train()
    assert sorted(file.name for file in directory.iterdir()) == FILES


def test_file_goes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"MS_RDR_ENABLE": "1", "MS_RDR_MODE": "2", "MS_RDR_PATH": str(tmp_path / "env"), "RANK_ID": "5"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    train()
    assert sorted(file.name for file in (tmp_path / "env" / "rank_5" / "rdr").iterdir()) == FILES
    configure(tmp_path, 1, is_enabled=False)
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())
    assert not (tmp_path / "rank_5").exists()


def test_no_trace_stays_in_the_network(tmp_path: Path) -> None:
    configure(tmp_path, 2)
    model = make_model()
    model.train(1, batches(16))
    assert not any(module._forward_hooks for module in model.train_network.modules())
    assert not make_model().train_network._forward_hooks


def test_directory_that_can_not_be_made_hides_no_error(tmp_path: Path) -> None:
    configure(tmp_path, 1)
    (tmp_path / "rank_0").write_text("a file", "utf-8")
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())


@pytest.mark.parametrize("mode", [1, 2])
def test_loop_of_ones_own(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "mindspore_config.json"
    file.write_text(json.dumps({"rdr": {"enable": True, "mode": mode, "path": str(tmp_path)}}), "utf-8")
    directory, network = tmp_path / "rank_0" / "rdr", SmallNet()

    def loop(wrong: Any) -> None:
        with RunningDataRecorder(network, torch.optim.SGD(network.parameters(), lr=0.1), file) as recorder:
            for images in (torch.ones(2, 1, 8, 8), wrong):
                recorder.step(images, epoch=1)
                network(images)

    loop(torch.ones(3, 1, 8, 8))
    assert directory.exists() is (mode == 2)
    with pytest.raises(RuntimeError):
        loop(torch.ones(2, 7, 8, 8))
    state = json.loads((directory / "state.json").read_text("utf-8"))
    assert (state["cur_step_num"], state["cur_epoch_num"]) == (2, 1)
    assert state["train_dataset_element"] == "torch.float32 [2, 7, 8, 8] cpu"
    assert "RuntimeError" in (directory / "exception.txt").read_text("utf-8")
    assert not any(module._forward_hooks for module in network.modules())
    with pytest.raises(TypeError, match="network is str"):
        RunningDataRecorder("net")  # type: ignore[arg-type]
