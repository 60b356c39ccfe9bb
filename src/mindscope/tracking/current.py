# SPDX-License-Identifier: Apache-2.0
"""``init``, ``log`` and ``finish`` of the run that a process records."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from mindscope.capture.event_stream import EventStream
from mindscope.capture.files import story
from mindscope.errors import MindscopeError
from mindscope.sweep.trial_environment import trial_environment
from mindscope.system.sampler import are_wanted
from mindscope.tensorboard.nowhere import Nowhere
from mindscope.tracking.last_step import event_files, last_step
from mindscope.tracking.run import TrackedRun
from mindscope.tracking.session import Facts
from mindscope.tracking.viewers import start_viewer, viewer_address

DEFAULT_DIRECTORY = "runs"
_MODES = ("online", "offline", "local", "shared", "disabled")
_RESUMES = ("allow", "auto", "must", "never")
_LOG = logging.getLogger("mindscope")


_Run = TypeVar("_Run", bound=TrackedRun)


class _Process:
    """The run that ``log`` of this process writes to, and all that end with the process."""

    run: TrackedRun | None = None
    trial_pid: int | None = None
    """The process that began a run in the directory of a trial of a sweep: its later runs have others."""
    started: ClassVar[list[tuple[int, TrackedRun]]] = []
    """The runs with the process that began them: a forked child does not end them."""


def _finish_at_exit() -> None:
    exit_code = 0 if getattr(sys, "last_value", None) is None else 1
    for pid, run in _Process.started:
        if pid == os.getpid():
            run.finish(exit_code)


atexit.register(_finish_at_exit)


def init(
    project: str | None = None,
    name: str | None = None,
    config: Any = None,
    *,
    group: str | None = None,
    tags: Sequence[str] | str | None = None,
    notes: str | None = None,
    resume: str | bool | None = None,
    dir: str | PathLike[str] | None = None,
    mode: str | None = None,
    id: str | None = None,
    job_type: str | None = None,
    view: bool = False,
    system_metrics: bool = True,
    files: bool = True,
    **others: Any,
) -> TrackedRun:
    """Begin a run, or resume the one of this id or name; the run of before is finished.

    The run is the directory ``dir/project/id``. If it has event files, the new values are appended: ``log`` without a
    step goes on behind the last one, and the newest value of a step wins. If a viewer shows the directory, its address
    is printed. A run that is not finished ends with the process, as failed if an exception ended it.

    Args:
        project: a directory of runs that belong together.
        name: the name of the run, by default the time.
        config: parameters: a dict, a Namespace of argparse, a dataclass, or a configuration of OmegaConf or pydantic.
        group: shown in the table of runs.
        tags: a text or texts, shown there too.
        notes: a text, shown there too.
        job_type: such as ``train`` or ``eval``, shown there too.
        resume: ``allow`` (the default, also ``auto`` and True), ``must`` or ``never`` (False): whether the run may,
            must or must not exist.
        dir: directory of all projects, by default ``runs``.
        mode: ``disabled`` to record nothing; every other mode records to disk, and nothing is ever sent.
        id: the name of the directory, by default ``name``.
        view: start a viewer over ``dir`` unless one runs.
        system_metrics: record processors, memory, disk, network and GPUs every 10 seconds.
        files: keep the command line, script, settings files, installed packages and changes since the commit of git,
            without secrets.
        others: accepted and ignored with a warning, such as ``entity``.

    Raises:
        TypeError, ValueError: an invalid argument.
        FileNotFoundError, FileExistsError: the run has to exist, or must not.
        OSError: the directory can't be created.
    """
    if mode is not None and mode not in _MODES:
        raise ValueError(f"mode is {mode!r}, want one of {', '.join(_MODES)}")
    if others:
        _LOG.warning("init() ignores %s", ", ".join(sorted(others)))
    finish()
    trial = trial_environment()
    base = Path(DEFAULT_DIRECTORY if dir is None else dir)
    directory = run_directory(base, project, id or name or new_name())
    facts = Facts(
        str(directory), project, name, group, job_type, [tags] if isinstance(tags, str) else list(tags or ()), notes
    )
    run = start_run(TrackedRun, facts, resume, mode == "disabled", system_metrics, files)
    if mode != "disabled":
        show(directory, base, view)
    _Process.run = run
    if config is not None:
        run.config.update(config)
    if trial is not None and mode != "disabled":
        run.config.update(trial.parameters)
    return run


def run_directory(base: Path, project: Any, name: Any) -> Path:
    """Return the directory of a run below ``base``; in a trial of a sweep, the first is the one of the trial.

    Raises ValueError.
    """
    trial = trial_environment()
    if trial is not None:
        if _Process.trial_pid != os.getpid():
            _Process.trial_pid = os.getpid()
            return trial.directory
        base = trial.directory
    return base / _part("project", project) / _part("id", name)


def start_run(
    run_class: type[_Run],
    facts: Facts,
    resume: str | bool | None,
    is_disabled: bool,
    system_metrics: bool,
    files: bool,
) -> _Run:
    """Return a run of the directory of ``facts`` that ends with the process at the latest. Raises as ``init``."""
    if is_disabled:
        run = run_class(Nowhere(), facts, 0, has_system_metrics=False, has_files=False)
    else:
        first = _first_step(Path(facts.directory), resume)
        run = run_class(
            EventStream(facts.directory), facts, first, system_metrics and are_wanted(), files and story.is_wanted()
        )
    _Process.started = [(pid, one) for pid, one in _Process.started if not one.is_finished]
    _Process.started.append((os.getpid(), run))
    return run


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
    """Record a row of values in the run of this process; see ``TrackedRun.log``.

    Raises MindscopeError before ``init``.
    """
    run = _Process.run
    if run is None:
        raise _no_run("log")
    run.log(data, step, commit)


def log_file(
    path: str | PathLike[str], name: str | None = None, step: int | None = None, *, link: bool = False
) -> None:
    """Keep a file or a directory in the run of this process; see ``TrackedRun.log_file``.

    Raises MindscopeError before ``init``.
    """
    if _Process.run is None:
        raise _no_run("log_file")
    _Process.run.log_file(path, name, step, link=link)


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """Write everything and end the run of this process. Without one, do nothing."""
    if _Process.run is not None:
        _Process.run.finish(exit_code, quiet)


def define_metric(name: str, *arguments: Any, **options: Any) -> None:
    """Say how metrics are meant; see ``TrackedRun.define_metric``. Raises MindscopeError before ``init``."""
    if _Process.run is None:
        raise _no_run("define_metric")
    _Process.run.define_metric(name, *arguments, **options)


def alert(title: str, text: str = "", level: Any = "INFO", wait_duration: Any = None) -> None:
    """Record a message of the training; see ``TrackedRun.alert``. Raises MindscopeError before ``init``."""
    if _Process.run is None:
        raise _no_run("alert")
    _Process.run.alert(title, text, level, wait_duration)


def _no_run(function: str) -> MindscopeError:
    return MindscopeError(f"mindscope.{function}() has no run yet: call mindscope.init() first")


def _part(argument: str, name: Any) -> str:
    """Return ``name`` as one part of a path. Raises ValueError."""
    if name is None:
        return ""
    text = str(name)
    if not text.strip(". ") or "\0" in text:
        raise ValueError(f"{argument} is {text!r}, want a name of a directory")
    return text.replace("/", "-").replace(os.sep, "-")


def new_name() -> str:
    """Return a name from the time that no other run has."""
    return f"{datetime.now():%Y-%m-%d_%H-%M-%S}_{secrets.token_hex(2)}"


def _first_step(directory: Path, resume: str | bool | None) -> int:
    """Return the first step of a run: 0, or behind the last one. Raises ValueError, FileNotFoundError, ..."""
    wanted = {None: "allow", True: "allow", False: "never"}.get(resume, resume)  # type: ignore[arg-type]
    if wanted not in _RESUMES:
        raise ValueError(f"resume is {resume!r}, want one of {', '.join(_RESUMES)}, a bool or None")
    files = event_files(directory)
    if wanted == "must" and not files:
        raise FileNotFoundError(f"run {directory} does not exist, and resume is {resume!r}; check id, project and dir")
    if wanted == "never" and files:
        raise FileExistsError(f"run {directory} exists, and resume is {resume!r}; give another name or resume='allow'")
    last = last_step(directory) if files else None
    return 0 if last is None else last + 1


def show(directory: Path, base: Path, view: bool) -> None:
    """Print the address of a viewer; start one if ``view``. What goes wrong is a warning."""
    try:
        address = viewer_address(directory)
        if address is None and view:
            address = start_viewer(base)
    except Exception as error:
        _LOG.warning("no viewer: %s", error)
        return
    if address is not None:
        print(f"mindscope: {directory} is shown at {address}", file=sys.stderr)
