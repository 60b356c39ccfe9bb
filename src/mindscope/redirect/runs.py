# SPDX-License-Identifier: Apache-2.0
"""The runs that a script begins with ``init`` of another library."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from mindscope.errors import MindscopeError
from mindscope.redirect import notes
from mindscope.redirect.hard_exit import flush_before_hard_exit
from mindscope.redirect.ignored import Ignored, error_class, unknown
from mindscope.sweep.trial_environment import trial_environment
from mindscope.tracking.current import DEFAULT_DIRECTORY, new_name, run_directory, show, start_run
from mindscope.tracking.run import TrackedRun
from mindscope.tracking.session import Facts
from mindscope.tracking.viewers import viewer_address

_LOG = logging.getLogger("mindscope")
_LIBRARIES: dict[str, str] = {}
"""The library that wanted a directory first in this process: another one with the same names gets its own."""

_OTHER_DIRECTORY = "; check the directory, or give another one with --dir"


class RedirectedRun(TrackedRun):
    """A run with the attributes that scripts use of the runs of W&B, Trackio and SwanLab."""

    library: Library
    entity = "mindscope"
    disabled = offline = resumed = False
    sweep_id: str | None = None
    sweep_url = None
    settings: Any = None

    def __getattr__(self, name: str) -> Any:
        return unknown(f"{self.library.name}.run.{name}")

    @property
    def name(self) -> str:
        """The name that ``init`` got, or else the id; a new one is recorded."""
        return self.__dict__.get("_name") or super().name

    @name.setter
    def name(self, name: Any) -> None:
        self.__dict__["_name"] = str(name)
        self._record_config({"env/name": str(name)})

    @property
    def notes(self) -> str | None:
        """The notes of ``init``; new ones are recorded."""
        return self.__dict__.get("_notes", self._facts.notes)

    @notes.setter
    def notes(self, text: Any) -> None:
        self.__dict__["_notes"] = text
        self._record_config({"env/notes": str(text)})

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of ``init``; new ones are recorded."""
        return self.__dict__.get("_tags", tuple(self._facts.tags))

    @tags.setter
    def tags(self, tags: Sequence[str]) -> None:
        self.__dict__["_tags"] = tuple(tags)
        self._record_config({"env/tags": ", ".join(map(str, tags))})

    @property
    def group(self) -> str | None:
        """The group of ``init``."""
        return self._facts.group

    @property
    def job_type(self) -> str | None:
        """The type of ``init``."""
        return self._facts.job_type

    @property
    def path(self) -> str:
        """Entity, project and id."""
        return "/".join(part for part in (self.entity, self.project, self.id) if part)

    @property
    def url(self) -> str:
        """The address of a viewer that shows the run; else the address of its directory."""
        try:
            address = viewer_address(Path(self.dir))
        except Exception as error:
            _LOG.debug("no viewer: %s", error)
            address = None
        return address or Path(self.dir).absolute().as_uri()

    def get_url(self) -> str:
        """Return ``url``."""
        return self.url

    project_url = property(get_url)

    @property
    def starting_step(self) -> int:
        """The first step of this process."""
        return self.__dict__["_first"]

    @property
    def start_time(self) -> float:
        """The time of ``init`` in seconds since 1970."""
        return self.__dict__["_start_time"]

    def project_name(self) -> str | None:
        """Return the project."""
        return self.project

    def log(self, data: Any, step: Any = None, commit: bool | None = None, sync: Any = None, **others: Any) -> None:
        """Record a row of values, as ``TrackedRun.log``."""
        super().log(data, step, commit)

    def define_metric(self, name: Any, *arguments: Any, **options: Any) -> Any:
        """Say how a metric is meant, as ``TrackedRun.define_metric``; what it does not know is ignored."""
        used = {key: value for key, value in options.items() if key in ("step_metric", "summary", "goal")}
        if isinstance(name, str):
            super().define_metric(name, *arguments[:1], **used)
        return Ignored(f"{self.library.name}.define_metric()")

    def alert(self, title: Any = "", text: Any = "", level: Any = "INFO", wait_duration: Any = None, **o: Any) -> None:
        """Record a message."""
        super().alert(str(title), str(text), level)

    def finish(self, exit_code: Any = None, quiet: Any = None, **others: Any) -> None:
        """Write everything and end the run."""
        super().finish(exit_code if isinstance(exit_code, int) else None)

    join = finish

    def _label(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""


class Library:
    """The open runs of one library in this process; ``run`` is the newest."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._runs: list[RedirectedRun] = []

    @property
    def run(self) -> RedirectedRun | None:
        """The newest run that is not finished."""
        return next((run for run in reversed(self._runs) if not run.is_finished), None)

    def current(self, function: str) -> RedirectedRun:
        """Return the run. Raises the Error of the library before ``init``."""
        run = self.run
        if run is None:
            raise error_class(self.name, "Error")(f"You must call {self.name}.init() before {self.name}.{function}")
        return run

    def start(
        self, project: Any, name: Any, config: Any, *, id: Any = None, group: Any = None, job_type: Any = None,
        tags: Any = None, notes_text: Any = None, resume: Any = None, is_disabled: bool = False,
        is_separate: bool = False,
    ) -> RedirectedRun:  # fmt: skip
        """Begin a run: a new one unless an ``id``, or ``resume``, says which. Nothing here stops a training.

        One that ``is_separate`` does not become ``run``.

        Raises the UsageError of the library where ``resume`` refuses.
        """
        base, is_refused = Path(os.environ.get(notes.DIRECTORY) or DEFAULT_DIRECTORY), False
        trial = trial_environment()
        project, name, id, group, job_type, notes_text = map(_text, (project, name, id, group, job_type, notes_text))
        try:
            wanted = run_directory(base, project, id or name or new_name())
            is_named = id or resume in ("must", "allow", "auto", True)
            is_of_trial = trial is not None and wanted == trial.directory
            is_free = _LIBRARIES.setdefault(str(wanted), self.name) == self.name
            directory = wanted if is_disabled or is_of_trial or (is_named and is_free) else _new(wanted)
            facts = Facts(str(directory), project, name, group, job_type, _texts(tags), notes_text)
            run = start_run(_class_of(self), facts, resume, is_disabled, system_metrics=True, files=True)
        except (OSError, ValueError, MindscopeError) as error:
            if resume is not None and isinstance(error, (FileNotFoundError, FileExistsError)):
                raise error_class(self.name, "UsageError")(str(error)) from None
            _LOG.error("%s.init() records nothing: %s", self.name, error)
            notes.note_refused_run(self.name, f"{error}{_OTHER_DIRECTORY if isinstance(error, OSError) else ''}")
            is_refused = is_disabled = True
            run = start_run(
                _class_of(self), Facts("disabled", project, name), None, True, system_metrics=False, files=False
            )
        run.__dict__.update(_first=run.step, _start_time=time.time())
        run.resumed, run.disabled = run.step > 0, is_disabled
        if not is_separate:
            self._runs = [one for one in self._runs if not one.is_finished] + [run]
        if not is_disabled:
            notes.note_run(run.dir, self.name)
            flush_before_hard_exit()
            show(Path(run.dir), base, view=False)
        elif not is_refused:
            notes.note_disabled_run(self.name)
        if config is not None and not isinstance(config, Ignored):
            self._configure(run, config)
        if trial is not None and not is_disabled:
            run.sweep_id = trial.sweep
            self._configure(run, trial.parameters)
        return run

    def _configure(self, run: RedirectedRun, config: Any) -> None:
        try:
            run.config.update(config)
        except Exception as error:  # whatever the objects of the caller raise
            _LOG.warning("%s.init() ignores config: %s", self.name, error)

    def finish(self, exit_code: Any = None) -> None:
        """End the newest run; without one, do nothing."""
        if self.run is not None:
            self.run.finish(exit_code)


def _class_of(owner: Library) -> type[RedirectedRun]:
    class Run(RedirectedRun):
        library = owner

    return Run


def _new(directory: Path) -> Path:
    """Return a directory that no run has, made now: ``directory``, or one with a number behind it."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        numbered = directory if number == 1 else directory.with_name(f"{directory.name}-{number}")
        try:
            numbered.mkdir()
        except FileExistsError:
            number += 1
        else:
            return numbered


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, Ignored) or not str(value).strip(". ") else str(value)


def _texts(tags: Any) -> list[str]:
    if tags is None or isinstance(tags, Ignored):
        return []
    return [tags] if isinstance(tags, str) else [str(tag) for tag in cast("Sequence[Any]", tags)]
