# SPDX-License-Identifier: Apache-2.0
"""A collector in the Trainer of Transformers, on models built from a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from digits import digits
from torch.utils.data import Dataset

import mindscope
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.torch import LandscapeCollector, SummaryCollector
from mindscope.torch.core.weight_files import read_weights

transformers = pytest.importorskip("transformers")
from mindscope.torch.integrations.transformers import CollectorCallback  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]

RATES = ("learning_rate/group_0/auto", "learning_rate/group_1/auto")
"""The trainer makes a group of parameters with weight decay, and one without."""


class Pictures(Dataset[Any]):
    """Digits as the Trainer wants them: samples that are dicts."""

    def __init__(self, count: int) -> None:
        self.samples = digits(count)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, place: int) -> dict[str, Any]:
        image, label = self.samples[place]
        return {"pixel_values": image, "labels": label}


def vision_model() -> Any:
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        image_size=8, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=10,
    )  # fmt: skip
    return transformers.ViTForImageClassification(config)


def accuracy(given: Any) -> dict[str, float]:
    return {"accuracy": float((given.predictions.argmax(1) == given.label_ids).mean())}


def trainer_of(
    directory: Path, collector: SummaryCollector | LandscapeCollector, count: int = 48, **options: Any
) -> Any:
    arguments = transformers.TrainingArguments(
        **{
            "output_dir": str(directory / "out"), "per_device_train_batch_size": 16, "num_train_epochs": 2,
            "use_cpu": True, "report_to": [], "disable_tqdm": True, "eval_strategy": "epoch", "save_strategy": "no",
            "logging_steps": 4, **options,
        }
    )  # fmt: skip
    return transformers.Trainer(
        model=vision_model(), args=arguments, train_dataset=Pictures(count), eval_dataset=Pictures(32),
        compute_metrics=accuracy, callbacks=[CollectorCallback(collector)],
    )  # fmt: skip


def curves(directory: Path) -> dict[str, list[int]]:
    run = mindscope.open_run(directory)
    assert not run.damages
    return {tag: list(run.scalars(tag).step) for tag in run.tags("scalar")}


def collected(directory: Path) -> dict[str, list[int]]:
    """The curves that a collector gives by itself."""
    return {tag: steps for tag, steps in curves(directory).items() if tag.endswith("/auto")}


def test_same_tags_and_steps_as_in_a_model(tmp_path: Path) -> None:
    trainer_of(tmp_path, SummaryCollector(tmp_path / "run", collect_freq=2), save_strategy="epoch").train()
    run = mindscope.open_run(tmp_path / "run")
    assert collected(tmp_path / "run") == {
        **{tag: [1, 2, 4, 6] for tag in ("loss/auto", *RATES)}, "eval_loss/auto": [3, 6], "eval_accuracy/auto": [3, 6],
    }  # fmt: skip
    assert list(run.tags("image")) == ["input_data/auto"]
    assert len(run.tags("histogram")) == 5
    assert run.dataset_graph is not None
    (graph,) = run.graphs().values()
    assert "linear" in {node.op_type for node in graph.nodes}
    train = run.lineage.train
    assert train is not None
    assert (train.optimizer, train.network, train.epoch) == ("AdamW", "ViTForImageClassification", 2)
    assert (train.batch_size, train.dataset_size, train.device_num) == (16, 48, 1)
    assert train.learning_rate == pytest.approx(5e-5)
    assert train.model_path is not None
    assert train.model_path.endswith("checkpoint-6/model.safetensors")
    assert run.lineage.eval is not None
    assert set(run.lineage.eval.metric or {}) == {"eval_loss", "eval_accuracy"}


def test_arguments_and_configuration_are_lineage(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", collect_freq=3)
    options = {"weight_decay": 0.25, "max_steps": 1, "hub_token": "secret", "eval_strategy": "no", "bf16": False}
    trainer_of(tmp_path, collector, **options).train()
    row = mindscope.open_runs(tmp_path).lineage().to_pandas().iloc[0]
    assert (row["args.weight_decay"], row["args.per_device_train_batch_size"], row["args.max_steps"]) == (0.25, 16, 1)
    assert (bool(row["args.bf16"]), row["args.lr_scheduler_type"]) == (False, "linear")
    assert (row["model/config.hidden_size"], row["model/config.model_type"]) == (16, "vit")
    assert not [name for name in row.index if "id2label" in name or name.endswith("_token") or row[name] == "None"]
    assert "secret" not in str(row.to_dict())


def test_weights_for_landscapes_are_kept(tmp_path: Path) -> None:
    collector = LandscapeCollector(tmp_path / "run", unit="epoch", intervals=[[1, 2, 3]])
    trainer = trainer_of(tmp_path, collector, num_train_epochs=3, eval_strategy="no")
    trainer.train()
    file = read_landscape_file(tmp_path / "run")
    assert (list(file.checkpoints), file.step_per_epoch) == ([1, 2, 3], 3)
    assert file.checkpoint(3).name == "ViTForImageClassification_3_epoch.safetensors"
    last = read_weights(file.checkpoint(3))
    assert set(last) == {name for name, _ in trainer.model.named_parameters()}
    assert all(torch.equal(last[name], each) for name, each in trainer.model.named_parameters())


def test_loss_is_the_one_that_the_trainer_logs(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", collect_freq=1)
    trainer = trainer_of(tmp_path, collector, logging_steps=1, gradient_accumulation_steps=2, count=64)
    trainer.train()
    logged = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    got = mindscope.open_run(tmp_path / "run").scalars("loss/auto")
    assert list(got.step) == [1, 2, 3, 4]
    assert list(got.value) == pytest.approx(logged, rel=1e-3)


def test_loss_that_the_trainer_computes_is_taken_when_it_logs(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", collect_freq=1)
    trainer_of(tmp_path, collector, label_smoothing_factor=0.1, logging_steps=2, eval_strategy="no").train()
    assert collected(tmp_path / "run") == {
        "loss/auto": [2, 4, 6], **{tag: [1, 2, 3, 4, 5, 6] for tag in RATES},
    }  # fmt: skip


def test_compiled_model_gives_its_losses(tmp_path: Path) -> None:
    torch._dynamo.reset()
    collector = SummaryCollector(tmp_path / "run", collect_freq=1)
    options = {"torch_compile": True, "torch_compile_backend": "eager", "eval_strategy": "no"}
    trainer_of(tmp_path, collector, **options).train()
    assert curves(tmp_path / "run")["loss/auto"] == [1, 2, 3, 4, 5, 6]


def test_evaluation_by_itself_is_lineage(tmp_path: Path) -> None:
    trainer_of(tmp_path, SummaryCollector(tmp_path / "run")).evaluate()
    run = mindscope.open_run(tmp_path / "run")
    assert run.lineage.eval is not None
    assert set(run.lineage.eval.metric or {}) == {"eval_loss", "eval_accuracy"}
    assert not run.tags("scalar")


def test_evaluations_of_several_data_sets_are_kept_apart(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, SummaryCollector(tmp_path / "run"))
    for prefix in ("eval", "eval_other", "test"):
        trainer.evaluate(metric_key_prefix=prefix)
    evaluated = mindscope.open_run(tmp_path / "run").lineage.eval
    assert evaluated is not None
    names = {f"{prefix}_{name}" for prefix in ("eval", "eval_other", "test") for name in ("loss", "accuracy")}
    assert set(evaluated.metric or {}) == names


def test_what_was_recorded_before_a_failure_is_readable(tmp_path: Path) -> None:
    class Fail(transformers.TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step == 3:
                raise RuntimeError("mine")

    collector = SummaryCollector(tmp_path / "run", collect_freq=1)
    trainer = trainer_of(tmp_path, collector)
    trainer.add_callback(Fail())
    with pytest.raises(RuntimeError, match="mine"):
        trainer.train()
    collector.record.flush()
    assert curves(tmp_path / "run")["loss/auto"] == [1, 2, 3]
    trainer.pop_callback(Fail)
    trainer.train()
    with pytest.raises(RuntimeError, match="collector is not entered"):
        _ = collector.record
    assert curves(tmp_path / "run")["loss/auto"] == [1, 2, 3, 4, 5, 6]


def test_every_number_that_the_trainer_logs_is_a_curve(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", collect_freq=1)
    trainer = trainer_of(tmp_path, collector, logging_steps=2, include_num_input_tokens_seen="no", learning_rate=0.01)

    class Own(transformers.TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step == 5:
                trainer.log({"own": 0.25, "text": "no number"})

    trainer.add_callback(Own())
    trainer.train()
    run = mindscope.open_run(tmp_path / "run")
    logged: dict[str, list[tuple[int, float]]] = {}
    for entry in trainer.state.log_history:
        for name, value in entry.items():
            if name not in ("step", "text", "eval_loss", "eval_accuracy"):
                tag = name.replace("eval_", "eval/", 1) if name.startswith("eval_") else f"train/{name}"
                logged.setdefault(tag, []).append((entry["step"], value))
    assert {"train/loss", "train/grad_norm", "train/learning_rate", "train/own", "train/train_runtime"} <= set(logged)
    for tag, points in logged.items():
        got, newest = run.scalars(tag), dict(points)  # of values of one step the newest
        assert list(got.step) == list(newest), tag
        assert list(got.value) == pytest.approx(list(newest.values()), rel=1e-5), tag
    assert "train/text" not in run.tags("scalar")
    for tag in RATES:  # with which each step was made
        assert list(run.scalars(tag).value) == pytest.approx([0.01 * (1 - step / 6) for step in range(6)])
    assert run.lineage.train is not None
    assert run.lineage.train.learning_rate == pytest.approx(0.01)


def test_without_metrics_nothing_that_the_trainer_logs_is_recorded(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path / "run", keep_default_action=False, collect_freq=1)
    trainer_of(tmp_path, collector, logging_steps=1).train()
    with pytest.raises(FileNotFoundError):
        mindscope.open_run(tmp_path / "run")
