# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope start``."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from mindscope.archive.names import archive_of
from mindscope.errors import UsageError
from mindscope.named_bases import NamedBase, are_several, base_text, linked_bases, parse_bases
from mindscope.server.process.background import start_in_background
from mindscope.server.process.registry import RunningViewer, viewer_here
from mindscope.server.process.tokens import with_random_tokens
from mindscope.server.process.workspace import workspace_warning
from mindscope.settings import Settings, flag_of, load_settings, require_base_dir, secret_variables, settings_table
from mindscope.storage.addresses import RemoteAddress


def start(
    directories: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DIR ...]",
            help="Show the runs below this directory or archive; of several directories under names: a=DIR b=DIR.",
            show_default=False,
        ),
    ] = None,
    *,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Run in the terminal until Ctrl-C, not in the background.")
    ] = False,
    **flags: Any,
) -> None:
    """Start the viewer in the background.

    DIR is short for --summary-base-dir. For each option that is not given, the viewer looks in the environment
    (MINDSCOPE_PORT, ... then MINDINSIGHT_PORT, ...) and then in the configuration.
    """
    if directories and flags["summary_base_dir"] is not None:
        raise typer.BadParameter("give DIR or --summary-base-dir, not both")
    base = base_directory(directories or (), flags) or flags["summary_base_dir"]
    settings = load_settings(flags | {"summary_base_dir": base})
    if foreground:
        _run_in_foreground(settings)
    else:
        _start_in_background(settings)


def base_directory(directories: Sequence[str], flags: Mapping[str, Any]) -> str | None:
    """Return the base directory of the arguments: of several, the one that links to them; None without any.

    Raises UsageError, SettingsError for what can't be shown.
    """
    if not are_several(directories):
        return next(iter(directories), None)
    bases: dict[str, NamedBase] = {}
    for name, text in parse_bases(directories).items():
        settings = load_settings({**flags, "summary_base_dir": text})
        require_base_dir(settings)
        base = settings.summary_base_dir
        if archive_of(base):
            raise UsageError(f"{base} is an archive, which opens alone: mindscope start {text}")
        bases[name] = NamedBase(str(base), _directory_of(base))
    return str(linked_bases(bases, load_settings(flags).workspace))


def _directory_of(base: Path | RemoteAddress) -> Path:
    if isinstance(base, Path):
        return base
    from mindscope.ingest.mirrored import open_address

    return open_address(base).directory


def _with_settings() -> inspect.Signature:
    """Return the signature of ``start`` with an option for each row of the table of settings."""
    *parameters, foreground, _ = inspect.signature(start, eval_str=True).parameters.values()
    for name, setting in settings_table().items():
        if setting.is_secret:
            continue
        is_switch = setting.metavar is None
        option = typer.Option(
            flag_of(name), metavar=setting.metavar, help=setting.help, show_default=setting.shown_default or False
        )
        plain = bool if is_switch else list[str] if setting.repeats else str
        annotation = Annotated[plain | None, option]
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
    return inspect.Signature([*parameters, foreground])


start.__signature__ = _with_settings()  # pyright: ignore[reportFunctionMemberAccess]


def _start_in_background(settings: Settings) -> None:
    _warn(workspace_warning(settings), settings.exposure)
    viewer = start_in_background(settings)
    _print_viewer(viewer, f"mindscope stop --port {viewer.port}", with_random_tokens(settings) is not settings)


def _print_viewer(viewer: RunningViewer, stop: str, has_random_tokens: bool) -> None:
    """Print where a viewer is. Tokens that the user gave are not repeated."""
    links = viewer.links if has_random_tokens else {}
    lines = {
        "viewer": viewer.address,
        **links,
        "runs": base_text(viewer.base_dir),
        "workspace": viewer.workspace,
        "stop": stop,
    }
    typer.echo("\n".join(f"{name + ':':<10} {value}" for name, value in lines.items()))


def _warn(*warnings: str | None) -> None:
    for warning in warnings:
        if warning is not None:
            typer.echo(f"warning: {warning}", err=True)


def _run_in_foreground(settings: Settings) -> None:
    import os

    # A NumPy with OpenBLAS starts a thread per core, which spins for 0.1 s. Nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with _without_garbage_collection():
        from mindscope.server.process.server import serve

    _warn(settings.exposure)
    given, settings = settings, with_random_tokens(settings)
    os.environ.update(settings.environment())
    for variable in secret_variables():
        os.environ.pop(variable, None)  # trials of sweeps must not inherit them
    serve(settings, lambda: _print_viewer(viewer_here(settings), "Ctrl-C", settings is not given))


@contextmanager
def _without_garbage_collection() -> Generator[None]:
    """Disable garbage collection during imports: it takes a fifth of their time, and modules are never collected."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
