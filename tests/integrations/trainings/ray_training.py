# SPDX-License-Identifier: Apache-2.0
"""Trials of Ray Tune, and a worker of Ray Train, in a cluster on this machine."""

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.update(
    RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled", RAY_DISABLE_IMPORT_WARNING="1", RAY_AIR_NEW_OUTPUT="0",
    RAY_TRAIN_V2_ENABLED="1", RAY_worker_niceness="0",
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1", RAY_TRAIN_ENABLE_STATE_TRACKING="0",
)  # fmt: skip
import ray
from ray import train, tune
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer
from ray.tune.logger import JsonLoggerCallback

from mindscope.integrations.ray import MindscopeCallback

NO_CLUSTER = 77
"""The exit status where Ray can't start."""


def trial(config: dict[str, Any]) -> None:
    value = config["start"]
    for step in range(3):
        value *= config["of"]["factor"]
        tune.report({"loss": value, "of": {"step": step}})
        if config["start"] == 3.0 and step == 1:
            raise ValueError("planted")


def worker(config: dict[str, Any]) -> None:
    import mindscope

    rank = train.get_context().get_world_rank()
    with mindscope.init(dir=config["directory"], name=f"rank_{rank}", config={"lr": config["lr"]}) as run:
        for step in range(3):
            run.log({"loss": config["lr"] * step})
            train.report({"loss": config["lr"] * step})


def tuned(directory: Path, callbacks: list[Any]) -> dict[str, Any]:
    space = {"start": tune.grid_search([1.0, 2.0, 3.0]), "of": {"factor": 0.5}}
    config = tune.RunConfig(
        name="mine", storage_path=str(directory), callbacks=[JsonLoggerCallback(), *callbacks], verbose=0,
        failure_config=tune.FailureConfig(max_failures=0),
    )  # fmt: skip
    results = tune.Tuner(trial, param_space=space, run_config=config).fit()
    return {
        str(result.config["start"]): {
            "losses": result.metrics_dataframe["loss"].tolist(),
            "path": Path(result.path).name,
            "failed": result.error is not None,
        }
        for result in results
    }


def start() -> None:
    """Start a cluster. Ray gives its processes 30 s for that, which a busy machine may need several times."""
    for _ in range(4):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20)
            return
        except Exception as error:
            print(error, file=sys.stderr)
            ray.shutdown()
    sys.exit(NO_CLUSTER)


if __name__ == "__main__":
    base = Path(sys.argv[1]).absolute()
    (base / "file").write_text("")
    start()
    callbacks = [MindscopeCallback(base / "file" / "below"), MindscopeCallback(base / "runs"), MindscopeCallback()]
    facts = {"ours": tuned(base / "ours", callbacks), "plain": tuned(base / "plain", [])}
    settings = {"lr": 0.5, "directory": str(base / "workers")}
    DataParallelTrainer(
        worker, train_loop_config=settings, scaling_config=train.ScalingConfig(num_workers=1),
        run_config=train.RunConfig(name="trained", storage_path=str(base / "train")),
    ).fit()  # fmt: skip
    print(json.dumps(facts), flush=True)
    ray.shutdown()
