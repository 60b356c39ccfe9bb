# SPDX-License-Identifier: Apache-2.0
"""Settings of a dump: what ``MINDSPORE_DUMP_CONFIG`` names, in each version that MindSpore documents."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from mindscope.debug.dump.config_entries import ConfigEntries
from mindscope.debug.dump.iterations import Iterations, parse_iterations
from mindscope.debug.dump.kernels import KernelSelection, parse_kernels
from mindscope.debug.dump.statistic_columns import CATEGORIES, DEFAULT_CATEGORIES, DEVICE_CATEGORIES
from mindscope.errors import SettingsError

_log = logging.getLogger(__name__)

EVERY_OPERATOR, KERNELS, MARKED = 0, 1, 2
"""Values of ``dump_mode``."""
AS_CONFIGURED, OVERFLOWS, FAILURES = 0, 3, 4
"""Values of ``op_debug_mode``."""
DISK_LIMIT_MB = 10_240
_PATH = re.compile(r"/[A-Za-z0-9_/-]*", re.ASCII)
_NET_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_LARGEST_CONFIG = 1 << 24


@dataclass(frozen=True, slots=True)
class DumpSettings:
    """Settings that say what a dump writes, and where."""

    content: bytes
    """The configuration itself, for ``.dump_metadata``."""
    directory: Path
    net_name: str
    iterations: Iterations
    kernels: KernelSelection
    dump_mode: int
    op_debug_mode: int
    overflow_number: int
    """Overflowing operators after which a dump ends; 0 for no limit."""
    has_inputs: bool
    has_outputs: bool
    has_tensors: bool
    has_statistics: bool
    categories: tuple[str, ...]
    """Statistics, in the order of their columns."""
    is_device_statistic: bool
    """Compute statistics on the device."""
    is_low_precision: bool
    """Compute them in the type of the tensor."""
    is_synchronous: bool
    """Write each operator before the next one runs."""
    sample_size: int | None
    """Elements of a larger tensor that are kept; None for all."""
    has_kernel_args: bool
    devices: frozenset[int]
    initial_iteration: int
    disk_limit_bytes: int


def read_dump_config(
    file: str | PathLike[str], environ: Mapping[str, str], path: str | PathLike[str] | None = None
) -> DumpSettings | None:
    """Return the settings in a configuration file; None if it switches the dump off.

    Args:
        file: a JSON file of MindSpore.
        environ: has ``MS_DIAGNOSTIC_DATA_PATH``, where the file has no path.
        path: the directory of the dump, in place of that in the file.

    Raises:
        SettingsError: the file can't be read, is no JSON, lacks an entry, or has an invalid one.
    """
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(_LARGEST_CONFIG + 1)
        if len(content) > _LARGEST_CONFIG:
            raise ValueError(f"it has more than {_LARGEST_CONFIG} bytes")
        config: Any = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"dump configuration {file} can't be read: {error}; want a JSON file") from error
    return dump_settings(config, environ, path, file=str(file), content=content)


def dump_settings(
    config: Any,
    environ: Mapping[str, str],
    path: str | PathLike[str] | None = None,
    *,
    file: str = "the dump configuration",
    content: bytes | None = None,
) -> DumpSettings | None:
    """Read the settings from the content of a file, as ``read_dump_config``."""
    objects = ConfigEntries(file, "configuration", config)
    common = ConfigEntries(file, "common_dump_settings", objects.raw("common_dump_settings"))
    e2e = _optional(objects, "e2e_dump_settings", file)
    early = _optional(objects, "async_dump_settings", file)
    is_synchronous = e2e is not None and e2e.flag("enable", True)
    if early is not None and not early.flag("enable", False) and not is_synchronous:
        return None  # r1.0 to r1.2 have a switch for each way, and none was on
    settings = _common(common, environ, path, content or json.dumps(config).encode("utf-8"))
    settings = replace(settings, is_synchronous=is_synchronous, **_debug_mode(common, early))
    if e2e is not None:
        settings = _with_e2e(settings, e2e)
    return _forced(settings)


def _optional(objects: ConfigEntries, name: str, file: str) -> ConfigEntries | None:
    return ConfigEntries(file, name, objects.raw(name)) if name in objects else None


def _common(
    common: ConfigEntries, environ: Mapping[str, str], path: str | PathLike[str] | None, content: bytes
) -> DumpSettings:
    kept = common.number("input_output", None, highest=2, means="0 inputs and outputs, 1 inputs, 2 outputs")
    saved = common.choice("saved_data", ("tensor", "statistic", "full"))
    mode = common.number(
        "dump_mode", None, highest=2, means="0 every operator, 1 those of kernels, 2 those of set_dump"
    )
    if common.choice("file_format", ("bin", "npy")) == "bin" and "file_format" in common:
        _log.warning("%s is 'bin', which only Ascend writes; the dump has npy files", common.label("file_format"))
    return DumpSettings(
        content=content,
        directory=Path(path).absolute() if path is not None else _directory(common, environ),
        net_name=_net_name(common),
        iterations=_iterations(common),
        kernels=parse_kernels(common.list_of("kernels", str, None), common.label("kernels")),
        dump_mode=mode,
        op_debug_mode=AS_CONFIGURED,
        overflow_number=0,
        has_inputs=kept != 2,
        has_outputs=kept != 1,
        has_tensors=saved != "statistic",
        has_statistics=saved != "tensor",
        categories=_categories(common),
        is_device_statistic=False,
        is_low_precision=False,
        is_synchronous=False,
        sample_size=None,
        has_kernel_args=False,
        devices=frozenset(common.list_of("support_device", int, None)),
        initial_iteration=common.number("initial_iteration", 0),
        disk_limit_bytes=common.number("disk_limit_mb", DISK_LIMIT_MB, 1) << 20,
    )


def _directory(common: ConfigEntries, environ: Mapping[str, str]) -> Path:
    text = common.text("path", "")
    if not text:
        base = environ.get("MS_DIAGNOSTIC_DATA_PATH", "")
        if not base:
            raise SettingsError(f"{common.label('path')} is missing, and MS_DIAGNOSTIC_DATA_PATH is not set; want one")
        return Path(base).absolute() / "debug_dump"
    if not _PATH.fullmatch(text):
        want = "an absolute path of ASCII letters, digits, '-', '_' and '/'"
        raise SettingsError(f"{common.label('path')} is {text!r}, want {want}")
    return Path(text)


def _net_name(common: ConfigEntries) -> str:
    name = common.text("net_name", None)
    if not _NET_NAME.fullmatch(name):
        raise SettingsError(f"{common.label('net_name')} is {name!r}, want ASCII letters, digits, '-' and '_'")
    return name


def _iterations(common: ConfigEntries) -> Iterations:
    if type(common.raw("iteration")) is int:  # r1.0 to r1.2
        number = common.number("iteration", None)
        return Iterations((range(number, number + 1),)) if number else Iterations()
    return parse_iterations(common.text("iteration", None), common.label("iteration"))


def _categories(common: ConfigEntries) -> tuple[str, ...]:
    listed = common.list_of("statistic_category", str, list(DEFAULT_CATEGORIES))
    for name in listed:
        if name not in CATEGORIES:
            label = common.label("statistic_category")
            raise SettingsError(f"{label} has {name!r}, want some of {', '.join(CATEGORIES)}")
    return tuple(dict.fromkeys(listed))


def _debug_mode(common: ConfigEntries, early: ConfigEntries | None) -> dict[str, int]:
    """Return ``op_debug_mode``, which r1.0 to r1.2 have in ``async_dump_settings``.

    1 and 2 are overflows of one kind.
    """
    entries = early if early is not None and "op_debug_mode" in early else common
    means = "0 as configured, 1 to 3 operators that overflow, 4 operators that fail"
    mode = entries.number("op_debug_mode", AS_CONFIGURED, highest=FAILURES, means=means)
    mode = OVERFLOWS if mode in (1, 2) else mode
    overflows = common.number("overflow_number", 0)
    if overflows and mode != OVERFLOWS:
        raise SettingsError(f"{common.label('overflow_number')} is {overflows}, want 0, since op_debug_mode is not 3")
    return {"op_debug_mode": mode, "overflow_number": overflows}


def _with_e2e(settings: DumpSettings, e2e: ConfigEntries) -> DumpSettings:
    e2e.flag("trans_flag", True)  # layouts are those of the host already
    is_sampled = e2e.number("sample_mode", 0, highest=1, means="0 whole tensors, 1 sample_num elements")
    size = e2e.number("sample_num", 100, 1)
    return replace(
        settings,
        sample_size=size if is_sampled else None,
        is_device_statistic=e2e.choice("stat_calc_mode", ("host", "device")) == "device",
        is_low_precision=e2e.choice("device_stat_precision_mode", ("high", "low")) == "low",
        has_kernel_args=e2e.flag("save_kernel_args", False),
    )


def _forced(settings: DumpSettings) -> DumpSettings:
    """Change settings that others force, as MindSpore does."""
    if settings.op_debug_mode:
        settings = replace(settings, dump_mode=EVERY_OPERATOR)
    if settings.op_debug_mode == OVERFLOWS:
        settings = replace(settings, has_inputs=True, has_outputs=True)
    if settings.op_debug_mode == FAILURES:
        settings = replace(
            settings, iterations=Iterations(), sample_size=None, has_tensors=True, has_statistics=False,
            has_inputs=True, has_outputs=False,
        )  # fmt: skip
    if settings.is_device_statistic and (
        settings.has_tensors or (settings.op_debug_mode == OVERFLOWS and not settings.is_synchronous)
    ):
        settings = replace(settings, is_device_statistic=False)
    if settings.is_device_statistic:
        missing = [name for name in settings.categories if name not in DEVICE_CATEGORIES]
        if missing:
            _log.warning("stat_calc_mode device has no %s; its cells are null", ", ".join(missing))
    return settings
