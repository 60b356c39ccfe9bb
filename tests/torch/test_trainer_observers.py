# SPDX-License-Identifier: Apache-2.0
"""Several observers of one training in ``MindscopeCallback``, in the trainers of Lightning and Transformers."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import batches
from dumps import config, iterations
from test_debugger_trainers import failing_trainer, fit, lightning_module, source_of
from test_running_data import latest

import mindscope
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.debug.model.fields import Field
from mindscope.torch import Debugger, Dump, LandscapeCollector, Profiler, RunningDataObserver, SummaryCollector
from mindscope.training import Step, Training, TrainingObserver

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _running_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ENABLE", "1"), ("MODE", "2"), ("PATH", str(tmp_path / "last"))):
        monkeypatch.setenv(f"MS_RDR_{name}", value)


class Losses(TrainingObserver):
    """Of a user: keeps steps, epochs and losses; raises at each of them."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self.losses: list[float] = []

    def begin(self, training: Training) -> None:
        self.steps.append((training.steps, training.epoch))

    def step_end(self, step: Step) -> None:
        self.steps.append((step.number, step.epoch))
        self.losses.append(float(step.loss))
        raise RuntimeError("mine")


def observers(directory: Path) -> dict[str, Any]:
    return {
        "user": Losses(),
        "collector": SummaryCollector(directory / "run", collect_freq=1),
        "landscape": LandscapeCollector(directory / "run", intervals=[[1, 2, 3]]),
        "debugger": Debugger(directory / "run"),
        "dump": Dump(config=config("1|2"), path=directory / "dump"),
        "running data": RunningDataObserver(),
        "profiler": Profiler(output_path=directory / "run", start_profile=False),
    }


def profiled(file: Path) -> list[int]:
    return list(json.loads(file.read_text("utf-8"))["mindscope"]["steps"].values())


def check(directory: Path, given: dict[str, Any], want: list[float]) -> None:
    """All of them have the same steps and losses."""
    steps = list(range(1, len(want) + 1))
    run = mindscope.open_run(directory / "run")
    assert [step for step, _ in given["user"].steps] == [0, *steps]
    assert given["user"].losses == pytest.approx(want, rel=1e-6)
    assert list(run.scalars("loss/auto").step) == steps
    assert list(run.scalars("loss/auto").value) == pytest.approx(want, rel=1e-6)
    assert list(read_landscape_file(directory / "run").checkpoints) == [1, 2, 3]
    source = source_of(directory / "run")
    assert source.steps(0) == steps
    losses = [number for number, each in enumerate(source.tensors) if each.type == "loss"]
    assert source.history(losses, Field.SUM, 0)[1][:, 0].tolist() == pytest.approx(want, rel=1e-6)
    assert iterations(directory / "dump") == [1, 2]
    state = json.loads(latest(directory / "last" / "rank_0" / "rdr", "state.json").read_text("utf-8"))
    assert state["cur_step_num"] == len(want)
    (file,) = given["profiler"].files
    assert profiled(file) == steps


def test_lightning(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from mindscope.torch.integrations.lightning import MindscopeCallback

    alone, module, given = lightning_module(), lightning_module(), observers(tmp_path)
    want = fit(alone, [])
    assert fit(module, [MindscopeCallback(*given.values())]) == want
    check(tmp_path, given, want)
    assert given["user"].steps == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]
    assert all(torch.equal(*pair) for pair in zip(alone.parameters(), module.parameters(), strict=True))
    assert not any(each._forward_hooks for each in module.modules())


def test_each_of_several_records_what_it_records_alone(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    lightning = import_module("mindscope.torch.integrations.lightning")

    def left(callbacks: list[Any], directory: Path) -> Any:
        fit(lightning_module(), callbacks, accumulate_grad_batches=2)
        run, source = mindscope.open_run(directory / "run"), source_of(directory / "debugged")
        curves = {tag: (list(run.scalars(tag).step), list(run.scalars(tag).value)) for tag in run.tags("scalar")}
        kinds = {kind: list(run.tags(kind)) for kind in ("histogram", "image", "graph")}
        digests = {step: np.sort(source.at(step, 0).digest).tolist() for step in source.steps(0)}
        dumped = sorted(each.name.split(".")[1] for each in (directory / "dump").rglob("*.npy"))
        return curves, kinds, digests, dumped

    def tools(directory: Path) -> tuple[SummaryCollector, Debugger, Dump]:
        return (
            SummaryCollector(directory / "run", collect_freq=1), Debugger(directory / "debugged"),
            Dump(config=config("1"), path=directory / "dump"),
        )  # fmt: skip

    collector, debugger, dump = tools(tmp_path / "alone")
    former = [
        lightning.CollectorCallback(collector),
        lightning.DebuggerCallback(debugger),
        lightning.DumpCallback(dump),
    ]
    want = left(former, tmp_path / "alone")
    assert left([lightning.MindscopeCallback(*tools(tmp_path / "both"))], tmp_path / "both") == want
    assert list(want[2]) == [1, 2]
    assert want[3]


def test_a_training_of_lightning_that_fails_reaches_all(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from mindscope.torch.integrations.lightning import MindscopeCallback

    given = observers(tmp_path)
    with pytest.raises(RuntimeError, match="broken"):
        fit(lightning_module(0.0), [MindscopeCallback(*given.values())])
    assert list(mindscope.open_run(tmp_path / "run").scalars("loss/auto").step) == [1, 2]
    assert source_of(tmp_path / "run").steps(0) == [1, 2]
    assert iterations(tmp_path / "dump") == [1]
    assert latest(tmp_path / "last" / "rank_0" / "rdr", "culprit.json").exists()
    (file,) = given["profiler"].files
    assert profiled(file) == [1, 2]


def test_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from test_transformers import trainer_of

    from mindscope.torch.integrations.transformers import CollectorCallback, MindscopeCallback

    def trained(directory: Path, *tools: Any) -> Any:
        trainer = trainer_of(directory, LandscapeCollector(directory / "not"), gradient_accumulation_steps=2, count=64)
        trainer.remove_callback(CollectorCallback)
        trainer.add_callback(MindscopeCallback(*tools))
        trainer.train()
        return trainer

    user, given = Losses(), observers(tmp_path)
    alone = trained(tmp_path / "alone", user)
    trainer = trained(tmp_path / "out", *given.values())
    check(tmp_path, given, user.losses)
    assert given["user"].steps == user.steps == [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2)]
    assert all(torch.equal(*pair) for pair in zip(alone.model.parameters(), trainer.model.parameters(), strict=True))
    assert not any(each._forward_hooks for each in trainer.model.modules())
    assert {"eval_loss/auto", "eval_accuracy/auto"} <= set(mindscope.open_run(tmp_path / "run").tags("scalar"))


def test_a_training_of_transformers_that_fails_reaches_all(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from mindscope.torch.integrations.transformers import MindscopeCallback

    given = observers(tmp_path)
    callback = MindscopeCallback(*given.values())
    with pytest.raises(RuntimeError, match="shapes"), callback:
        failing_trainer(tmp_path / "out", callback).train()
    assert list(mindscope.open_run(tmp_path / "run").scalars("learning_rate/group_0/auto").step) == [1, 2]
    assert iterations(tmp_path / "dump") == [1, 2]
    assert latest(tmp_path / "last" / "rank_0" / "rdr", "culprit.json").exists()
    (file,) = given["profiler"].files
    assert profiled(file) == [1, 2]
    with pytest.raises(RuntimeError, match="collector is not entered"):
        _ = given["collector"].record


def test_a_profiler_alone_sets_no_hook_on_the_model(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from mindscope.torch.integrations.transformers import MindscopeCallback

    class Hooks(TrainingObserver):
        needs_losses = False
        hooks = -1

        def __init__(self) -> None:
            self.model: Any = None

        def begin(self, training: Training) -> None:
            self.model = training.network

        def step_end(self, step: Step) -> None:
            self.hooks = len(self.model._forward_hooks)
            assert step.loss is None

    hooks = Hooks()
    callback = MindscopeCallback(hooks, Profiler(output_path=tmp_path, start_profile=False))
    with pytest.raises(RuntimeError, match="shapes"), callback:
        failing_trainer(tmp_path / "out", callback).train()
    assert hooks.hooks == 0


@pytest.mark.parametrize("trainer", ["lightning", "transformers"])
def test_what_observes_no_training_is_refused(tmp_path: Path, trainer: str) -> None:
    pytest.importorskip(trainer)
    callback = import_module(f"mindscope.torch.integrations.{trainer}").MindscopeCallback
    with pytest.raises(TypeError, match="observer is DataLoader, want a TrainingObserver or a SummaryCollector, "):
        callback(SummaryCollector(tmp_path), batches())

    class Mine(SummaryCollector):
        pass

    callback(Mine(tmp_path))
