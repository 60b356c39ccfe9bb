# SPDX-License-Identifier: Apache-2.0
"""The arguments of a SummaryCollector, checked when it is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from mindscope.capture.arguments import (
    check_export_options,
    check_log_dir,
    check_max_file_size,
    check_queue_timeout,
    check_workers,
)
from mindscope.collector.collect_options import CollectOptions, check_collect_options
from mindscope.collector.custom_lineage import check_custom
from mindscope.collector.landscape import LandscapeSettings


@dataclass(frozen=True, slots=True)
class CollectorArguments:
    """Checked arguments of a collector, under their names."""

    summary_dir: Path
    collect_freq: int
    num_process: int
    options: CollectOptions
    custom_lineage_data: dict[str, Any]
    collect_tensor_freq: int | None
    max_file_size: int | None
    export_options: dict[str, str | None] | None
    queue_timeout: float | None


def check_arguments(
    summary_dir: str | PathLike[str],
    collect_freq: Any,
    num_process: Any,
    collect_specified_data: Any,
    keep_default_action: Any,
    custom_lineage_data: Any,
    collect_tensor_freq: Any,
    max_file_size: Any,
    export_options: Any,
    environment: Mapping[str, str] | None = None,
    default_landscape: LandscapeSettings | None = None,
    queue_timeout: Any = None,
) -> CollectorArguments:
    """Return the nine arguments; the directory is made when all others are right.

    ``default_landscape`` is the default of ``collect_landscape``; None for nothing.

    Raises:
        TypeError, ValueError: an argument that can't be used; the text names it, its value and what is accepted.
        OSError: the directory can't be made.
    """
    check_workers(num_process)
    check_export_options(export_options)
    return CollectorArguments(
        collect_freq=check_positive("collect_freq", collect_freq),
        num_process=num_process,
        options=check_collect_options(collect_specified_data, keep_default_action, default_landscape),
        custom_lineage_data=check_custom(custom_lineage_data, os.environ if environment is None else environment),
        collect_tensor_freq=_check_optional("collect_tensor_freq", collect_tensor_freq),
        max_file_size=check_max_file_size(_check_optional("max_file_size", max_file_size)),
        export_options=export_options,
        queue_timeout=check_queue_timeout(queue_timeout),
        summary_dir=check_log_dir(summary_dir, "summary_dir"),
    )


def check_positive(name: str, value: Any) -> int:
    """Return a whole number above 0. Raises TypeError, ValueError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want a whole number greater than 0")
    if value <= 0:
        raise ValueError(f"{name} is {value}, want a whole number greater than 0")
    return value


def _check_optional(name: str, value: Any) -> int | None:
    return None if value is None else check_positive(name, value)
