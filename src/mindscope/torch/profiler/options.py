# SPDX-License-Identifier: Apache-2.0
"""Arguments of a profiler, checked when it is made."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

from torch.profiler import ProfilerActivity

from mindscope.profile.printed_tables import TableOptions, check_table_options
from mindscope.torch.core.arguments import check_count, check_flag
from mindscope.torch.profiler.schedule import Schedule, check_schedule

WITHOUT_EFFECT = (
    "aic_metrics aicore_metrics ascend_job_id data_process data_simplification experimental_config hbm_ddr host_sys "
    "l2_cache op_time parallel_strategy pcie profile_communication profile_framework profiler_level sync_enable"
).split()
"""Arguments of MindSpore's profilers that choose what the hardware of Ascend records."""

_UNWRITABLE = re.compile(r"[\\\n\0\ud800-\udfff]")
"""``torch.profiler`` makes a slash of a backslash, leaves out the end of a line, and takes only UTF-8."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProfilerOptions:
    """The data that a profiler records, and the tables that it prints."""

    directory: Path
    table: TableOptions
    """Options of the tables of the analysis."""
    label: str
    """Name of the job, ``job_id``."""
    activities: tuple[ProfilerActivity, ...] | None
    schedule: Schedule | None
    record_shapes: bool
    profile_memory: bool
    with_stack: bool
    with_modules: bool
    with_flops: bool
    use_gzip: bool
    memory_history: int
    """Most entries of the history of CUDA's memory; 0 for none."""
    limit_mb: int


def check_options(
    *,
    subgraph: Any,
    is_detail: Any,
    is_show_op_path: Any,
    output_path: Any,
    optypes_to_deal: Any,
    optypes_not_deal: Any,
    job_id: Any,
    activities: Any,
    schedule: Any,
    record_shapes: Any,
    profile_memory: Any,
    with_stack: Any,
    with_modules: Any,
    with_flops: Any,
    use_gzip: Any,
    memory_history: Any,
    timeline_limit: Any,
) -> ProfilerOptions:
    """Return the arguments of ``Profiler``, whose docstring explains them. Raises TypeError, ValueError."""
    table = check_table_options(subgraph, is_detail, is_show_op_path, optypes_to_deal, optypes_not_deal)
    return ProfilerOptions(
        directory=check_directory(output_path),
        table=table,
        label=_text("job_id", job_id),
        activities=_activities(activities),
        schedule=check_schedule(schedule),
        record_shapes=_flag_or("record_shapes", record_shapes, table.is_detailed),
        profile_memory=_flag_or("profile_memory", profile_memory, table.is_detailed),
        with_stack=_flag_or("with_stack", with_stack, table.has_paths),
        with_modules=check_flag("with_modules", with_modules),
        with_flops=_flag_or("with_flops", with_flops, table.is_detailed),
        use_gzip=check_flag("use_gzip", use_gzip),
        memory_history=check_count("memory_history", memory_history),
        limit_mb=check_count("timeline_limit", timeline_limit, 1),
    )


def check_others(given: Mapping[str, Any]) -> None:
    """Log which arguments have no effect here. Raises TypeError for an argument that no profiler has."""
    unknown = sorted(given.keys() - set(WITHOUT_EFFECT))
    if unknown:
        raise TypeError(f"Profiler has no argument {unknown[0]!r}; docs/pytorch.md lists its arguments")
    if given:
        _log.info("%s: has an effect on Ascend with MindSpore only", ", ".join(sorted(given)))


def check_directory(value: Any) -> Path:
    """Return the directory of traces.

    Raises TypeError for no path, ValueError for one that ``torch.profiler`` can't open.
    """
    if not isinstance(value, (str, PathLike)) or not value:
        raise TypeError(f"output_path is {type(cast(Any, value)).__name__} {value!r}, want the path of a directory")
    directory = Path(cast("str | PathLike[str]", value)).absolute()
    if _UNWRITABLE.search(str(directory)):
        raise ValueError(
            f"output_path is {str(directory)!r}; torch.profiler opens no path with a backslash or a line end, and none "
            "that is not UTF-8"
        )
    return directory


def _flag_or(name: str, value: Any, default: bool) -> bool:
    return default if value is None else check_flag(name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want text")
    return value


def _activities(value: Any) -> tuple[ProfilerActivity, ...] | None:
    """Return the activities to record, None for all that this machine has."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"activities is {type(value).__name__} {value!r}, want a list of {_names()}")
    return tuple(_activity(each) for each in cast("Iterable[Any]", value)) or None


def _activity(value: Any) -> ProfilerActivity:
    if isinstance(value, ProfilerActivity):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None)
    found = ProfilerActivity.__members__.get(_ALIASES.get(str(name), str(name)))
    if found is None:
        raise ValueError(f"activities holds {value!r}, want {_names()}")
    return found


def _names() -> str:
    return ", ".join(ProfilerActivity.__members__)


_ALIASES = {"GPU": "CUDA", "NPU": "PrivateUse1"}
"""MindSpore's names of activities."""

Handler = Callable[[Any], Any] | None
"""Called with the profiler after each cycle."""


def check_handler(value: Any) -> Handler:
    """Raises TypeError for what can't be called."""
    if value is not None and not callable(value):
        raise TypeError(f"on_trace_ready is {type(value).__name__}, want a function of the profiler")
    return cast("Handler", value)
