# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope sweep``."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mindscope.cli.interruption import exit_code, terminable
from mindscope.cli.logs import printable
from mindscope.cli.ray_cluster import ray_cluster
from mindscope.errors import UsageError

if TYPE_CHECKING:
    from mindscope.sweep.config import SweepConfig
    from mindscope.sweep.directory import SweepStatus
    from mindscope.sweep.runner import RunnerOptions

FAILED = 3
MOST_WORKERS = 256


class SweepExecutor(str, Enum):
    """Where trials run."""

    LOCAL = "local"
    RAY = "ray"


def sweep(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The YAML file of the sweep, with the keys of W&B.")],
    directory: Annotated[
        str, typer.Option("--dir", metavar="DIR", help="Keep the sweep and its runs in a directory below this one.")
    ] = "runs",
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, max=MOST_WORKERS, help="Run this number of trials at a time.",
            show_default="one for each of --devices, or as many as fit into the Ray cluster, else 1",
        ),
    ] = None,
    devices: Annotated[
        str, typer.Option("--devices", metavar="0,1,...", help="Give each worker one of these GPUs or NPUs.")
    ] = "",
    max_failures: Annotated[
        int, typer.Option("--max-failures", metavar="N", min=1, help="Stop after N failed trials in a row.")
    ] = 5,
    executor: Annotated[
        SweepExecutor, typer.Option("--executor", help="Run trials as processes of this machine, or on a Ray cluster.")
    ] = SweepExecutor.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(
            "--address", metavar="ADDRESS", help="The address of the Ray cluster.",
            show_default="RAY_ADDRESS, else a cluster on this machine",
        ),
    ] = None,
    gpus: Annotated[
        float, typer.Option("--gpus", metavar="N", min=0, max=64, help="Give each trial on Ray this number of GPUs.")
    ] = 0.0,
) -> None:  # fmt: skip
    """Run a script many times with hyperparameters that a method of search chooses.

    The file has the keys of a sweep.yaml of W&B, and the script stays as it is: its runs record as under mindscope run.
    The command continues a sweep that was stopped or killed. Several commands, also on several machines with a shared
    directory, work on one sweep. Exit codes are 0, 3 (too many trials failed), 130 (Ctrl-C) and 143 (SIGTERM). See
    docs/sweeps.md. Needs the packages of mindscope[sweep].
    """
    from mindscope.redirect.process import script_environment
    from mindscope.sweep.config import read_config
    from mindscope.sweep.runner import RunnerOptions

    if executor is SweepExecutor.RAY and devices:
        raise UsageError("--devices are those of this machine: give --gpus to trials on Ray")
    if executor is SweepExecutor.LOCAL and (address or gpus):
        raise UsageError("--address and --gpus are for trials on Ray: add --executor ray")
    given = [device.strip() for device in devices.split(",")] if devices else []
    if any(not device or not device.replace("-", "").isalnum() for device in given):
        raise UsageError(f"--devices is {devices!r}, want numbers with commas, such as 0,1")
    config = read_config(Path(file))
    for note in config.notes:
        typer.echo(printable(note), err=True)
    options = RunnerOptions(
        Path(directory).absolute(), workers or len(given) or 1, given, max_failures, script_environment,
        lambda text: typer.echo("\n".join(map(printable, text.split("\n")))),
    )  # fmt: skip
    if executor is SweepExecutor.LOCAL:
        _run(config, options)
        return
    with ray_cluster(address, workers) as ray:
        _run(config, _on_ray(options, ray, workers, gpus))


def _on_ray(options: RunnerOptions, ray: Any, workers: int | None, gpus: float) -> RunnerOptions:
    from mindscope.sweep.ray_process import ray_starter

    resources = ray.cluster_resources()
    fit = [resources.get("CPU", 1.0), *([resources.get("GPU", 0.0) / gpus] if gpus else [])]
    if min(fit) < 1:
        raise UsageError(
            f"no trial fits into the Ray cluster, which has {resources.get('GPU', 0):g} GPUs: lower --gpus"
        )
    count = workers or min(int(min(fit)), MOST_WORKERS)
    return replace(options, workers=count, start=ray_starter(ray, gpus), executor="ray", gpus=gpus)


def _run(config: SweepConfig, options: RunnerOptions) -> None:
    from mindscope.sweep.runner import SweepFailedError, SweepRunner

    runner = SweepRunner(config, options)
    try:
        with terminable():
            status = runner.run()
    except SweepFailedError as error:
        options.say(f"mindscope sweep: {error}")
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt as interrupt:
        options.say("mindscope sweep: stopped; the same command continues it")
        raise typer.Exit(exit_code(interrupt)) from None
    options.say(_summary(status, runner.directory.path, runner.is_stopped))


def _summary(status: SweepStatus, path: Path, is_stopped: bool) -> str:
    ended = "stopped by the page" if is_stopped else "done"
    counts = f"{status.complete} complete, {status.pruned} pruned, {status.failed} failed"
    best = "" if status.best is None else f"; best {status.metric} {status.best:.6g} in {path / str(status.best_trial)}"
    return f"mindscope sweep: {ended}: {counts}{best}"
