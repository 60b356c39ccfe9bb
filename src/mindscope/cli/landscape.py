# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope landscape``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mindscope.torch
from mindscope import collector
from mindscope.cli.callables import CallableError, call, described, find_callable
from mindscope.cli.executors import ExecutorName, device_processes, executor_of
from mindscope.cli.interruption import exit_code, terminable
from mindscope.errors import LandscapeError, MindscopeError
from mindscope.torch import landscapes

if TYPE_CHECKING:
    from mindscope.collector.landscape_file import LandscapeFile
    from mindscope.landscape.computation import Progress
    from mindscope.torch import Sharpness
    from mindscope.types import Landscape


class Method(str, Enum):
    """Names of directions."""

    PCA = "pca"
    RANDOM = "random"
    HESSIAN = "hessian"
    THREE = "three"
    LINE = "line"


class Normalization(str, Enum):
    """Statistics of normalization layers."""

    AS_TRAINED = "as_trained"
    RE_ESTIMATED = "re_estimated"


def landscape(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Directory of a run whose collector kept weights. Several runs of one network get a common plane.",
        ),
    ],
    model: Annotated[
        str,
        typer.Option("--model", metavar="MODULE:FUNCTION", help="A function without arguments that makes the network."),
    ],
    data: Annotated[
        str,
        typer.Option(
            "--data",
            metavar="MODULE:FUNCTION",
            help="A function without arguments that makes the batches: a DataLoader.",
        ),
    ],
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="MODULE:FUNCTION",
            help="The loss function, called with output and label. Without it, the network returns its loss.",
        ),
    ] = None,
    method: Annotated[Method, typer.Option("--method", help="Directions of the plane.")] = Method.PCA,
    interval: Annotated[
        int | None,
        typer.Option("--interval", min=1, help="Only the checkpoints of this interval of the collector; default: all."),
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=3, max=256, help="Points on each side; default: as the collector said.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, help="Samples to compute losses with; default: as the collector said."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of random directions and of the choice of samples.")] = 0,
    normalization: Annotated[
        Normalization | None,
        typer.Option(
            "--normalization",
            help="Statistics of normalization layers: of the last checkpoint, which is the default of one run, or new "
            "at each point, which is that of several.",
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Compute every point. By default, points on smooth parts are interpolated.")
    ] = False,
    executor: Annotated[
        ExecutorName | None,
        typer.Option(
            "--executor", help="Compute in processes of this machine, or on a Ray or Dask cluster; default: here."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Number of workers; default: one for each core.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Write the event file here instead of into RUN; of several runs, into a directory here for each.",
        ),
    ] = None,
    sharpness: Annotated[
        bool, typer.Option("--sharpness", help="Also compute eigenvalues, trace and spectrum of the Hessian.")
    ] = False,
) -> None:
    """Compute the loss landscapes of a run from the weights that its collector kept, or of several on one plane.

    The functions are imported from the current directory or the installed packages. Ctrl-C and SIGTERM keep the
    losses that are computed; the same command continues.
    """
    if len(runs) > 1 and method is not Method.PCA:
        wanted = f"{method.value} takes one run; only pca has a plane of several"
        raise typer.BadParameter(wanted, param_hint="--method")
    make_network, make_batches = find_callable("--model", model), find_callable("--data", data)
    files = [collector.read_landscape_file(Path(run)) for run in runs]
    network, loss_fn, batches = _network(model, make_network), _loss_function(loss), _batches(data, make_batches)
    default = Normalization.AS_TRAINED if len(runs) == 1 else Normalization.RE_ESTIMATED
    given: dict[str, Any] = {
        "num_samples": samples or max(file.settings.num_samples for file in files), "seed": seed,
        "normalization": (normalization or default).value,
    }  # fmt: skip
    try:
        with terminable(), executor_of(executor, workers, device_processes) as pool, _progress() as show:
            results = (_of_one if len(runs) == 1 else _of_several)(
                files, method.value, output, (network if pool is None else make_network, loss_fn, batches),
                interval=interval, size=size or max(file.settings.landscape_size for file in files),
                executor=pool, full=full, on_progress=show, **given,
            )  # fmt: skip
        for result in results:
            _print(*result)
        for run, (_, _, directory) in zip(runs, results, strict=True) if sharpness else ():
            with terminable():
                _print_sharpness(mindscope.torch.sharpness(network, loss_fn, batches, run, output=directory, **given))
    except KeyboardInterrupt as interrupt:
        typer.echo("interrupted; the losses until now are kept, and the same command continues", err=True)
        raise typer.Exit(exit_code(interrupt)) from None
    except MindscopeError:
        raise
    except Exception as error:  # of the arguments or the user's network
        raise LandscapeError(described(error)) from error


_Result = tuple["Landscape", str, str]
"""A landscape, its tag, and the directory of its event file."""


def _of_one(
    files: list[LandscapeFile], method: str, output: str | None, program: tuple[Any, Any, Any], **options: Any
) -> list[_Result]:
    """Return the landscape of a run."""
    (file,) = files
    found = mindscope.torch.landscape(*program, file.run, method=method, output=output, **options)
    of_interval = landscapes.of_run(file, landscapes.choose_interval(file, options["interval"]))
    checkpoints = landscapes.select_checkpoints(of_interval, method)
    return [(found, landscapes.tag_of(method, checkpoints), output or str(file.run))]


def _of_several(
    files: list[LandscapeFile], _method: str, output: str | None, program: tuple[Any, Any, Any], **options: Any
) -> list[_Result]:
    """Return the landscapes of several runs on one plane."""
    runs = [file.run for file in files]
    common_landscapes = mindscope.torch.common_landscapes(*program, runs, output=output, **options)
    directories = map(str, landscapes.event_directories(runs, output))
    return [
        (each, landscapes.common_tag(each), directory)
        for each, directory in zip(common_landscapes, directories, strict=True)
    ]  # fmt: skip


def _network(name: str, make: Callable[..., Any]) -> Any:
    """Return the network that ``--model`` makes. Raises CallableError."""
    from torch import nn

    made = call("--model", name, make)
    if not isinstance(made, nn.Module):
        raise CallableError(f"--model {name} returned {type(made).__name__}, want a torch.nn.Module")
    return made


def _batches(name: str, make: Callable[..., Any]) -> Any:
    """Return the batches that ``--data`` makes. Raises CallableError."""
    made = call("--data", name, make)
    if not hasattr(made, "__iter__"):
        raise CallableError(f"--data {name} returned {type(made).__name__}, want batches such as a DataLoader")
    return made


def _loss_function(name: str | None) -> Any:
    """Return a function, or what a class such as ``torch.nn:CrossEntropyLoss`` makes. Raises CallableError."""
    if name is None:
        return None
    found = find_callable("--loss", name)
    return call("--loss", name, found) if isinstance(found, type) else found


@contextmanager
def _progress() -> Generator[Callable[[Progress], None]]:
    """Yield a bar with the rest of the time, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"))
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("losses", total=None, left="")

        def show(progress: Progress) -> None:
            left = "" if progress.seconds_left is None else f"{_duration(progress.seconds_left)} left"
            bar.update(task, completed=progress.points_done, total=progress.points_total, left=left)

        yield show


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes}:{rest:02}"


def _print(found: Landscape, tag: str, directory: str) -> None:
    typer.echo("\n".join(_lines(found, tag, directory)))


def _lines(found: Landscape, tag: str, directory: str) -> Iterator[str]:
    """Describe a landscape in lines."""
    import numpy as np

    from mindscope.landscape.flatness import loss_rise

    facts, z = found.facts, np.asarray(found.z, np.float64)
    finite = z[np.isfinite(z)]
    yield f"{tag} written to {directory}"
    if finite.size:
        yield f"loss         {finite.min():.6g} to {finite.max():.6g} on {z.shape[1]} x {z.shape[0]} points"
    if finite.size < z.size:
        yield f"             {z.size - finite.size} are NaN or infinite"
    if facts is None:
        return
    yield f"computed     {facts.points_done} points in {facts.seconds:.1f} s by {facts.evaluation}, {facts.dtype}"
    yield f"data         {facts.num_samples} samples, normalization {facts.normalization}, seed {facts.seed}"
    if rise := loss_rise(found):
        mean, highest, share = (each[rise.near] for each in (rise.mean, rise.highest, rise.radius))
        yield f"flatness     at {share:.3g} of the weights' norm the loss rises by {mean:.3g}, at most {highest:.3g}"
    if len(found.path_intervals) < 2:  # there is no path that the plane could miss
        return
    if facts.explained_variance:
        shares = " + ".join(f"{share:.1%}" for share in facts.explained_variance)
        yield f"variance     {shares} of the path is in the plane"
    distances, lengths = facts.path_distances, facts.path_lengths
    if distances is not None and lengths is not None and len(distances):
        far = int(np.argmax(distances))
        number = found.path_intervals[far] if far < len(found.path_intervals) else far + 1
        share = f", {distances[far] / lengths[far]:.0%} of its way from the center" if lengths[far] else ""
        yield f"off plane    at most {distances[far]:.3g}, at {found.unit or 'checkpoint'} {number}{share}"


def _print_sharpness(found: Sharpness) -> None:
    values = ", ".join(f"{top_eigenvalue:.6g}" for top_eigenvalue in found.top_eigenvalues)
    typer.echo(f"eigenvalues  {values} of the Hessian at step {found.step}")
    typer.echo(f"trace        {found.trace.value:.6g}")
    typer.echo(f"worst loss   {found.worst_loss:.6g} within {found.rho:g}, {found.loss:.6g} at the weights")
