# SPDX-License-Identifier: Apache-2.0
"""Profiles a training with ``torch.profiler``, with the names of MindSpore's Profiler."""

from __future__ import annotations

import logging
import weakref
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from mindscope.log_settings import configure_log
from mindscope.profile.open import find_profiles
from mindscope.profile.printed_tables import operators_as_json, printed_tables, read_operators
from mindscope.profile.tables.operators import Operators
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.callbacks.running_profilers import RUNNING
from mindscope.torch.core.arguments import check_flag, check_text
from mindscope.torch.core.run_context import RunContext
from mindscope.torch.profiler.options import check_handler, check_options, check_others
from mindscope.torch.profiler.recording import ProfilingSession
from mindscope.torch.profiler.trace_files import MEMORY_HISTORY, TRACE, make_directory

_log = logging.getLogger(__name__)


class Profiler(Callback):
    """Profiles a training with ``torch.profiler``: in your own loop, in ``with``, or in ``callbacks`` of ``Model``.

    It starts when it is made, and ends with ``stop``, ``analyse``, the end of ``with`` or of the training that it is a
    callback of, or with the process. Each cycle of the schedule becomes a file ``HOST_PID_rankN.TIME.pt.trace.json`` in
    ``output_path``. Give it the directory of the run, and the viewer shows both together. Without a schedule
    everything is one cycle: profile few steps then, since memory and file grow with each operator.

    A failure of the profiler is logged, and the training continues. When it ends it prints what it cost.

    Args:
        subgraph: operators that ``analyse`` prints: ``all``, ``Default`` (forward and optimizer) or ``Gradients``.
        is_detail: ``analyse`` also prints each operator, not only types; the default of ``record_shapes``,
            ``profile_memory`` and ``with_flops``.
        is_show_op_path: ``analyse`` also prints modules; the default of ``with_stack``.
        output_path: directory of the traces; created if needed.
        optypes_to_deal: types of operators that ``analyse`` prints, separated by commas; all if empty.
        optypes_not_deal: types that it does not print.
        job_id: a label, stored in the trace.
        start_profile: start at once; else ``start``, ``with`` or a training starts it.
        activities: ``CPU``, ``CUDA`` (or ``GPU``) or members of ``torch.profiler.ProfilerActivity``; None for all that
            the machine has. With torch_npu and an NPU, its profiler records CPU and NPU.
        schedule: ``torch.profiler.schedule(...)``, or its numbers: ``{"wait": 1, "warmup": 1, "active": 3, "repeat": 2,
            "skip_first": 10}``. None records all steps. Call ``step`` after each step of your own loop.
        on_trace_ready: called with this profiler after each file; ``files`` lists them.
        record_shapes: shapes of inputs; keeps the tensors alive until the step ends.
        profile_memory: allocations.
        with_stack: Python frames, which also show the modules; costs most time and most of the file.
        with_modules: modules of TorchScript; ``with_stack`` includes it.
        with_flops: floating-point operations of matrix products and convolutions.
        use_gzip: compress the files, about 10 to 1, which takes longer.
        memory_history: also record the history of CUDA's memory for each cycle, with at most this many entries, as
            ``*.memory_snapshot.pickle``; 0 for none.
        timeline_limit: size of a trace in MB above which a log line advises to profile less.
        others: arguments of MindSpore's Profiler for the hardware of Ascend; they have no effect.

    Raises:
        TypeError, ValueError: arguments that can't be used.
        OSError: the directory can't be created or written.
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
        activities: Any = None,
        schedule: Any = None,
        on_trace_ready: Any = None,
        record_shapes: bool | None = None,
        profile_memory: bool | None = None,
        with_stack: bool | None = None,
        with_modules: bool = False,
        with_flops: bool | None = None,
        use_gzip: bool = False,
        memory_history: int = 0,
        timeline_limit: int = 500,
        **others: Any,
    ) -> None:
        configure_log()
        check_others(others)
        self._options = check_options(
            subgraph=subgraph, is_detail=is_detail, is_show_op_path=is_show_op_path, output_path=output_path,
            optypes_to_deal=optypes_to_deal, optypes_not_deal=optypes_not_deal, job_id=job_id, activities=activities,
            schedule=schedule, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_modules=with_modules, with_flops=with_flops, use_gzip=use_gzip, memory_history=memory_history,
            timeline_limit=timeline_limit,
        )  # fmt: skip
        self._on_trace_ready = check_handler(on_trace_ready)
        does_start = check_flag("start_profile", start_profile)
        make_directory(self._options.directory)
        own = weakref.WeakMethod(self._announce)
        self.recording = ProfilingSession(self._options, lambda: (announce := own()) and announce())
        """Follows the steps; for trainers of other packages."""
        self._depth = 0  # how often it is entered
        self._is_loop_next = False  # who enters it next: a loop, or its user
        self._finalizer = weakref.finalize(self, _finish, self.recording)
        if does_start:
            self.recording.start(is_step=False)
            RUNNING.add(self)

    @property
    def files(self) -> list[Path]:
        """Paths that were written until now, the oldest first."""
        return list(self.recording.files)

    def start(self) -> None:
        """Start, if it does not run."""
        self.recording.start()
        RUNNING.add(self)

    def step(self, step: int | None = None) -> None:
        """Signal the end of a step of your own loop.

        Args:
            step: its number in the run; if None, the one that a ``SummaryRecord`` or ``SummaryCollector`` of this
                process recorded, else profiles count from 0.
        """
        if not self.recording.is_running:
            _log.warning("profiler does not run; step() has no effect")
        self.recording.step(step)

    def stop(self) -> None:
        """Stop, and write what is recorded."""
        RUNNING.discard(self)
        if self.recording.stop():
            _print_cost(self.recording)
        else:
            _log.warning("profiler does not run; stop() has no effect")

    def analyse(self, offline_path: str | PathLike[str] | None = None) -> None:
        """Stop, and print the time of types of operators, and of single operators if ``is_detail``.

        Times are those of the device if operators ran there, without operators that they call. A trace that can't be
        read is logged and left out.

        Args:
            offline_path: a directory or file of an earlier profile, to print that instead.
        """
        if self.recording.is_running:
            self.stop()
        for line in printed_tables(self._operators(offline_path), self._options.table):
            print(line)

    def op_analyse(self, op_name: str | list[str]) -> str:
        """Return JSON with the times of operators, by their names or types: ``mm``, ``aten::mm``.

        Raises:
            TypeError: ``op_name`` is neither text nor a list of texts.
        """
        names: list[Any] = op_name if isinstance(op_name, list) else [op_name]
        for name in names:
            check_text("op_name", name)
        return operators_as_json(self._operators(None), names)

    def _operators(self, path: str | PathLike[str] | None) -> Operators:
        files = [file for file in self.recording.files if not file.name.endswith(MEMORY_HISTORY)]
        return read_operators(
            files if path is None else [find_profile.path for find_profile in find_profiles(Path(path))]
        )

    def __enter__(self) -> Profiler:
        self._depth += 1
        is_step, self._is_loop_next = not self._is_loop_next, False
        if not self.recording.is_running:
            self.recording.start(is_step)
            RUNNING.add(self)
        elif self._depth == 1 and is_step:
            self.recording.resume()
        return self

    def in_loop(self) -> Profiler:
        """Return the profiler, which a loop enters and whose ``recording.begin_run`` it calls when its steps begin."""
        self._is_loop_next = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0 and self.recording.is_running:
            self.stop()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Count steps as this training does."""
        self.recording.begin_run(int(run_context.original_args()["cur_step_num"]))

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Begin the first step of an epoch."""
        self.recording.resume()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """End a step; the next one begins at once, so that it includes the wait for its data."""
        params = run_context.original_args()
        is_last = params["dataset_sink_mode"] or params.get("cur_step_in_epoch") == params.get("batch_num")
        self.recording.step(int(params["cur_step_num"]), is_step_next=not is_last)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """End the mark of the step: later work belongs to no step."""
        self.recording.pause()

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Pause: an evaluation belongs to no step."""
        self.recording.pause()

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Do nothing: steps of evaluations don't count."""

    def _announce(self) -> None:
        """Warn if the file of a written cycle is too large, and call ``on_trace_ready``."""
        file = next(each for each in reversed(self.recording.files) if TRACE in each.name)
        size_mb = file.stat().st_size / 1e6
        if size_mb > self._options.limit_mb:
            _log.warning(
                "%s has %.0f MB, more than timeline_limit=%d; profile fewer steps, or without stacks",
                file, size_mb, self._options.limit_mb,
            )  # fmt: skip
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)


def _finish(recording: ProfilingSession) -> None:
    """Finish a profiler that is collected as garbage, or whose process ends."""
    if recording.stop():
        _log.warning("profiler was not stopped; its last cycle is written")
        _print_cost(recording)


def _print_cost(recording: ProfilingSession) -> None:
    """Print the profiled steps, and their cost."""
    if not recording.cycles:
        why = "it failed, see the log" if recording.failures else "its schedule records none of them"
        print(f"profiler wrote no trace: {recording.steps} steps ended, and {why}", flush=True)
        return
    size_mb = sum(file.stat().st_size for file in recording.files if file.exists()) / 1e6
    steps = f"{len(recording.recorded)} steps{_range(recording.recorded)}" if recording.recorded else "no marked step"
    files = f"{len(recording.files)} files" if len(recording.files) > 1 else str(recording.files[0])
    print(f"profiled {steps}, {size_mb:.3g} MB in {files}; {recording.cost.text()}", flush=True)


def _range(steps: list[int]) -> str:
    return f" ({min(steps)} to {max(steps)})" if len(steps) > 1 else f" ({steps[0]})" if steps else ""
