# SPDX-License-Identifier: Apache-2.0
"""Profiles a training with ``mindspore.profiler``, into the directory where the viewer finds it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from os import PathLike, environ, getpid
from pathlib import Path
from typing import Any, cast

from mindspore import profiler
from mindspore.train import Callback

from mindscope.capture.arguments import check_flag, check_log_dir
from mindscope.capture.latest_step import LATEST
from mindscope.log_settings import configure_log
from mindscope.profile.open import find_profiles
from mindscope.profile.printed_tables import (
    check_table_options,
    operators_as_json,
    printed_tables,
    read_operators,
)
from mindscope.profile.tables.operators import Operators
from mindscope.rank import rank_id

_log = logging.getLogger(__name__)

FACTS_FILE = "mindscope.json"
"""Name of the file in the directory of a profile with the steps of the run that it holds."""
_DIRECTORIES = "*_ascend_ms"
_FOR_PROFILE = (
    "activities with_stack profile_memory data_process parallel_strategy hbm_ddr pcie sync_enable record_shapes "
    "experimental_config"
).split()
"""Arguments of ``mindspore.profiler.profile``."""
_FOR_HARDWARE = ("profiler_level", "aic_metrics", "l2_cache", "data_simplification", "host_sys")
"""Arguments of its ``experimental_config``."""
_WITHOUT_EFFECT = "aicore_metrics ascend_job_id op_time profile_communication profile_framework timeline_limit".split()
"""Arguments that MindSpore 2.10 has no more."""


class Profiler(Callback):
    """Profiles a training with ``mindspore.profiler.profile``: in ``callbacks`` of ``Model``, or in your own loop.

    Each cycle of the schedule becomes a directory ``HOST_PID_TIME_ascend_ms`` in ``output_path``. Give it the directory
    of the run, and the viewer shows both together. Names and checks are those of MindSpore's first Profiler and of
    ``mindscope.torch.Profiler``.

    Args:
        subgraph: operators that ``analyse`` prints: ``all``, ``Default`` or ``Gradients``.
        is_detail: ``analyse`` also prints each operator, not only types.
        is_show_op_path: ``analyse`` also prints scopes.
        output_path: directory of the profiles; created if needed.
        optypes_to_deal: types of operators that ``analyse`` prints, separated by commas; all if empty.
        optypes_not_deal: types that it does not print.
        job_id: a label, stored beside the profile.
        start_profile: start at once; else ``start``, ``with`` or a training starts it.
        schedule: ``mindspore.profiler.schedule(...)``, or its numbers as a dict. None records all steps.
        on_trace_ready: called with this profiler after each cycle.
        others: those of ``mindspore.profiler.profile``, and ``profiler_level``, ``aic_metrics``, ``l2_cache``,
            ``data_simplification`` and ``host_sys`` for Ascend.

    Raises:
        TypeError, ValueError: arguments that can't be used.
        OSError: the directory can't be created.
    """

    def __init__(
        self,
        subgraph: str = "all",
        is_detail: bool = True,
        is_show_op_path: bool = False,
        output_path: str | PathLike[str] = "./data",
        optypes_to_deal: str = "",
        optypes_not_deal: str = "Variable",
        job_id: str = "",
        *,
        start_profile: bool = True,
        schedule: Any = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        **others: Any,
    ) -> None:
        configure_log()
        self._table = check_table_options(subgraph, is_detail, is_show_op_path, optypes_to_deal, optypes_not_deal)
        if not isinstance(job_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"job_id is {type(job_id).__name__} {job_id!r}, want text")
        if on_trace_ready is not None and not callable(on_trace_ready):
            raise TypeError(f"on_trace_ready is {type(on_trace_ready).__name__}, want a function of the profiler")
        self._label, self._on_trace_ready = job_id, on_trace_ready
        self._arguments = _check_others(others) | {"schedule": _check_schedule(schedule)}
        self._directory = check_log_dir(output_path)
        self._before = set(self._directory.glob(_DIRECTORIES))
        self._written: list[Path] = []
        self._profile: Any = None
        self._handler: Any = None  # has MindSpore analyze and write a cycle, while it runs
        self._depth = 0  # how often it is entered
        self._schedule = self._arguments["schedule"]
        self._count = 0  # of steps that ended since the start
        self._steps: list[int] = []  # of the run, that were recorded since the last cycle
        self._latest = LATEST.step
        if check_flag("start_profile", start_profile):
            self.start()

    @property
    def files(self) -> list[Path]:
        """The directories that were written until now, the oldest first."""
        return list(self._written)

    def start(self) -> None:
        """Start, if it does not run."""
        if self._profile is not None:
            _log.warning("profiler runs already; start() has no effect")
            return
        self._handler = cast(Any, profiler.tensorboard_trace_handler)(str(self._directory))
        self._profile = cast(Any, profiler.profile)(start_profile=False, on_trace_ready=self._save, **self._arguments)
        self._profile.start()

    def step(self, step: int | None = None) -> None:
        """Signal the end of a step of your own loop; ``step`` is its number, as in ``mindscope.torch.Profiler``."""
        if self._profile is None:
            _log.warning("profiler does not run; step() has no effect")
            return
        if step is None and LATEST.step != self._latest:
            step = self._latest = LATEST.step
        if step is not None and self._is_recorded(self._count):
            self._steps.append(step)
        self._count += 1
        self._profile.step()

    def stop(self) -> None:
        """Stop, and write what is recorded."""
        if self._profile is None:
            _log.warning("profiler does not run; stop() has no effect")
            return
        running, self._profile = self._profile, None
        running.stop()

    def analyse(self, offline_path: str | PathLike[str] | None = None) -> None:
        """Stop, and print the time of types of operators, and of single operators if ``is_detail``.

        Args:
            offline_path: a directory of earlier profiles, to print those instead.
        """
        if self._profile is not None:
            self.stop()
        for line in printed_tables(self._operators(offline_path), self._table):
            print(line)

    def op_analyse(self, op_name: str | list[str]) -> str:
        """Return JSON with the times of operators, by their names or types.

        Raises:
            TypeError: ``op_name`` is neither text nor a list of texts.
        """
        names: list[Any] = op_name if isinstance(op_name, list) else [op_name]
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"op_name is {op_name!r}, want text or a list of texts")
        return operators_as_json(self._operators(None), names)

    def __enter__(self) -> Profiler:
        self._depth += 1
        if self._profile is None:
            self.start()
        return self

    def __exit__(self, *err: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._profile is not None:
            self.stop()

    def step_end(self, run_context: Any) -> None:
        """End a step of a training."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self.step(int(params["cur_step_num"]))

    def _is_recorded(self, step: int) -> bool:
        return self._schedule is None or self._schedule(step).name.startswith("RECORD")

    def _operators(self, path: str | PathLike[str] | None) -> Operators:
        return read_operators(
            self._written if path is None else [find_profile.key for find_profile in find_profiles(Path(path))]
        )

    def _save(self, own: Any) -> None:
        """Have MindSpore write a cycle; none of it raises, since the training continues."""
        try:
            self._handler(own)
            new = sorted(set(self._directory.glob(_DIRECTORIES)) - self._before)
            for directory in new:
                self._before.add(directory)
                self._written.append(directory)
                self._write_facts(directory)
            if self._on_trace_ready is not None:
                self._on_trace_ready(self)
        except Exception as error:
            _log.warning("profiler can't write: %s: %s; the training continues without it", type(error).__name__, error)
        self._steps = []

    def _write_facts(self, directory: Path) -> None:
        facts = {"rank": rank_id(environ), "pid": getpid(), "job_id": self._label, "steps": self._steps}
        (directory / FACTS_FILE).write_text(json.dumps({"mindscope": facts}), "utf-8")


def _check_others(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for ``mindspore.profiler.profile``."""
    unknown = sorted(given.keys() - {*_FOR_PROFILE, *_FOR_HARDWARE, *_WITHOUT_EFFECT})
    if unknown:
        raise TypeError(f"Profiler has no argument {unknown[0]!r}; docs/mindspore.md lists its arguments")
    if ignored := sorted(given.keys() & set(_WITHOUT_EFFECT)):
        _log.info("%s: has no effect with this MindSpore", ", ".join(ignored))
    hardware = {name: given[name] for name in _FOR_HARDWARE if name in given}
    found = {name: given[name] for name in _FOR_PROFILE if name in given}
    if hardware and "experimental_config" not in found:
        found["experimental_config"] = profiler._ExperimentalConfig(**hardware)
    return found


def _check_schedule(value: Any) -> Any:
    """Return a schedule of MindSpore. Raises TypeError, ValueError for numbers that can't be used."""
    if value is None or callable(value):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(
            f"schedule is {type(value).__name__}, want mindspore.profiler.schedule(...) or a dict of its numbers"
        )
    defaults = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1, "skip_first": 0}
    given = dict(cast("Mapping[str, Any]", value))
    unknown = sorted(given.keys() - defaults.keys())
    if unknown:
        raise ValueError(f"schedule has no {unknown[0]!r}, want {', '.join(defaults)}")
    return profiler.schedule(**(defaults | given))
