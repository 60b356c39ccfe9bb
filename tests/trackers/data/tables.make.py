# SPDX-License-Identifier: Apache-2.0
"""Writes ``tables/`` with the loggers of several trainers, and what pandas reads there as ``tables.expected.json``.

Run ``python tables.make.py`` in an environment with them and pandas.
"""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
OUT = HERE / "tables"


def lightning() -> None:
    from lightning.pytorch.loggers import CSVLogger

    logger = CSVLogger(str(OUT / "lightning"), name="", version=0)
    logger.log_hyperparams({"lr": 0.1, "layers": 3})
    for step in range(10):
        logger.log_metrics({"train_loss": 1 / (step + 1), "epoch": step // 5}, step)
        if step % 5 == 4:
            logger.save()  # the file exists when other columns come
            logger.log_metrics({"val_loss": 2 / (step + 1), "epoch": step // 5}, step)
    logger.log_metrics({"val_loss": math.nan, "train_loss": math.inf}, 10)
    logger.save()


def keras() -> None:
    os.environ["KERAS_BACKEND"] = "torch"
    from keras.callbacks import CSVLogger

    (OUT / "keras").mkdir()
    logger = CSVLogger(str(OUT / "keras" / "training.log"))
    logger.on_train_begin()
    for epoch in range(5):
        logger.on_epoch_end(epoch, {"accuracy": epoch / 5, "loss": 1 / (epoch + 1), "val_loss": 0.1 + epoch})
    logger.on_train_end()


def baselines() -> None:
    from stable_baselines3.common.logger import configure

    logger = configure(str(OUT / "baselines"), ["csv"])
    for step in range(6):
        logger.record("time/total_timesteps", step * 2048)
        logger.record("time/time_elapsed", step * 3)
        logger.record("train/loss", 1 / (step + 1))
        if step > 2:
            logger.record("rollout/ep_rew_mean", step * 1.5)
        logger.dump(step)
    logger.close()


def ray() -> None:
    from ray.tune.logger import CSVLoggerCallback, JsonLoggerCallback

    config = {"lr": 0.01, "model": {"layers": [1, 2]}}
    folder = OUT / "ray" / "trial_0"
    folder.mkdir(parents=True)
    fields = {
        "config": config, "local_path": str(folder), "trial_id": "abc", "checkpoint": None,
        "init_local_path": lambda _: None,
    }  # fmt: skip
    trial = type("Trial", (), fields)()
    loggers = [JsonLoggerCallback(), CSVLoggerCallback()]
    for logger in loggers:
        logger.log_trial_start(trial)
    for step in range(1, 6):
        row = {
            "loss": 1 / step, "info": {"learner": {"kl": step / 10}}, "training_iteration": step, "done": step == 5,
            "timestamp": 1_700_000_000 + step, "time_total_s": step * 1.5, "hostname": "machine", "trial_id": "abc",
            "config": config, "date": "2024-01-01_12-00-00",
        }  # fmt: skip
        for logger in loggers:
            logger.log_trial_result(step, trial, row)
    for logger in loggers:
        logger.log_trial_end(trial)


def transformers() -> None:
    from transformers.trainer_callback import TrainerState

    state = TrainerState(max_steps=20, num_train_epochs=2, train_batch_size=8)
    for number in (10, 20):
        for step in range(number - 9, number + 1):
            state.log_history.append({"loss": 1 / step, "epoch": step / 10, "step": step})
        state.log_history.append({"eval_loss": 2 / number, "epoch": number / 10, "step": number})
        folder = OUT / "transformers" / f"checkpoint-{number}"
        folder.mkdir(parents=True)
        state.save_to_json(str(folder / "trainer_state.json"))


def ultralytics() -> None:
    """The header is padded as Ultralytics pads it."""
    (OUT / "ultralytics").mkdir()
    names = ["epoch", "time", "train/box_loss", "metrics/mAP50(B)"]
    rows = [[epoch, 2.5 * epoch, 1 / epoch, epoch / 10] for epoch in range(1, 5)]
    lines = [",".join(f"{name:>23}" for name in names), *(",".join(f"{cell:>23.5g}" for cell in row) for row in rows)]
    (OUT / "ultralytics" / "results.csv").write_text("\n".join(lines) + "\n")


def values(frame: pd.DataFrame, step: str) -> dict[str, list[list[object]]]:
    """Return steps and texts of the numbers in each column, as in ``checking.points``; a cell without text is none."""
    rows_of: dict[str, list[list[object]]] = {}
    for name in frame.columns:
        cells = frame[name]
        rows = [[int(frame[step][row]), repr(float(cell))] for row, cell in cells.items() if cell not in ("", "NA")]
        rows_of[name.strip()] = rows
    del rows_of[step.strip()]
    return rows_of


def frame_of(name: str) -> pd.DataFrame:
    return pd.read_csv(OUT / name, dtype=str, keep_default_na=False)


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    for make in (lightning, keras, baselines, ray, transformers, ultralytics):
        make()
    lines = (OUT / "ray" / "trial_0" / "result.json").read_text().splitlines()
    flat = pd.json_normalize([json.loads(line) for line in lines], sep="/")
    flat = flat[["loss", "info/learner/kl", "time_total_s", "training_iteration"]]
    history = pd.DataFrame(
        json.loads((OUT / "transformers/checkpoint-20/trainer_state.json").read_text())["log_history"]
    ).astype(object)
    expected = {
        "lightning/version_0": values(frame_of("lightning/version_0/metrics.csv"), "step"),
        "keras": values(frame_of("keras/training.log"), "epoch"),
        "baselines": values(frame_of("baselines/progress.csv"), "time/total_timesteps"),
        "ray/trial_0": values(flat, "training_iteration"),
        "transformers": values(history.where(history.notna(), ""), "step"),
        "ultralytics": values(frame_of("ultralytics/results.csv"), frame_of("ultralytics/results.csv").columns[0]),
    }
    (HERE / "tables.expected.json").write_text(json.dumps(expected, indent=1))


if __name__ == "__main__":
    main()
