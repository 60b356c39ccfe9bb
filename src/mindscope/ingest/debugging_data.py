# SPDX-License-Identifier: Apache-2.0
"""Recognizes debugging data by names of directories and files, and finds the run that it belongs to."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable

from mindscope.formats.debug_mode_text import HEAD_BYTES, LOG_SUFFIXES, is_debug_mode_text
from mindscope.formats.regular_files import file_head
from mindscope.formats.tensor_dump_names import tensor_dump_names
from mindscope.natural_order import natural_key
from mindscope.store.contents import DEBUG_DATA_DEPTH, FAILURE_DEPTH, ContentKind

DEBUGGING_FILES = frozenset((ContentKind.DEBUG_MODE_LOG, ContentKind.FLIGHT_RECORD))
DEBUGGING_DATA = DEBUGGING_FILES | {
    ContentKind.MINDSPORE_DUMP,
    ContentKind.MSPROBE_DUMP,
    ContentKind.TENSOR_DUMP,
    ContentKind.RUNNING_DATA,
}
"""Kinds of contents; those of ``DEBUGGING_FILES`` are single files, the others directories."""
_DEPTHS = {ContentKind.RUNNING_DATA: FAILURE_DEPTH - 2, ContentKind.FLIGHT_RECORD: FAILURE_DEPTH}
"""Levels below a run at which its data is found; running data is two levels below its root."""
_RANK = re.compile(r"rank_\d+", re.ASCII)
_RAW_DIRECTORY = re.compile(r"iteration_\d+", re.ASCII)
_DEVICE = re.compile(r"device_\d+", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_TIME = re.compile(r"\d{14}", re.ASCII)
_RAW = re.compile(r".+_(input|output)_\d+_shape_.+\.bin", re.ASCII)
_TENSOR = re.compile(
    r"statistic\.csv|.+\.\d+\.\d+\.(input|output)\.\d+\.[^.]+(\.[^.]+)?\.npy|"
    r"[^.]+\.[^.]+\.\d+(\.\d{1,10})?\.\d{13,20}(\.\d+){0,4}",
    re.ASCII,
)
_PROBE_RANK = re.compile(r"rank\d*|proc\d+", re.ASCII)
_PROBE_STEP = re.compile(r"step\d+", re.ASCII)
_BESIDE_DUMP = frozenset((".dump_metadata", "execution_order"))
_RUNNING_DATA = "rdr"
_GRAPHS = "graphs"
_FLIGHT_RECORD = re.compile(r".*(rank|trace|flight|nccl|fr)_?\d{1,9}(\.(pickle|pkl))?", re.ASCII | re.IGNORECASE)
_PICKLE_START = b"\x80"


def recognize_debugging_data(directory: str, names: Collection[str]) -> tuple[ContentKind, str] | None:
    """Return the kind and the root of the debugging data that a directory with these names is a part of.

    It returns None without any.
    """
    above, own = os.path.split(directory)
    if _RANK.fullmatch(own) and not _BESIDE_DUMP.isdisjoint(names):
        return ContentKind.MINDSPORE_DUMP, above
    if own == _RUNNING_DATA and _RANK.fullmatch(os.path.basename(above)) and names:  # noqa: PTH119
        return ContentKind.RUNNING_DATA, os.path.dirname(above)  # noqa: PTH120
    if _PROBE_RANK.fullmatch(own) and "dump.json" in names and _PROBE_STEP.fullmatch(os.path.basename(above)):  # noqa: PTH119
        return ContentKind.MSPROBE_DUMP, os.path.dirname(above)  # noqa: PTH120
    if _RAW_DIRECTORY.fullmatch(own) and _has(names, _RAW):
        is_of_device = _DEVICE.fullmatch(os.path.basename(above)) is not None  # noqa: PTH119
        return ContentKind.MINDSPORE_DUMP, _above(directory, 3 if is_of_device else 2)
    if _NUMBER.fullmatch(own) and _has(names, _TENSOR):
        return ContentKind.MINDSPORE_DUMP, _root_of_numbers(directory)
    if tensor_dump_names(names):
        return ContentKind.TENSOR_DUMP, directory
    return None


def recognize_debugging_file(entry: os.DirEntry[str]) -> tuple[ContentKind, str] | None:
    """Return the kind and the path of a file that may be debugging data by its name, and is by its first bytes."""
    if entry.name.endswith(LOG_SUFFIXES) and is_debug_mode_text(_head(entry)):
        return ContentKind.DEBUG_MODE_LOG, entry.path
    if _FLIGHT_RECORD.fullmatch(entry.name):
        head = _head(entry)
        if head.startswith(_PICKLE_START) and (b"pg_config" in head or b"entries" in head):
            return ContentKind.FLIGHT_RECORD, entry.path
    return None


def dump_of_graph(directory: str) -> str:
    """Return the root of the dump whose graphs a directory would hold by its name, ``ROOT/rank_N/graphs``.

    It is empty for none.
    """
    rank, own = os.path.split(directory)
    return os.path.dirname(rank) if own == _GRAPHS and _RANK.fullmatch(os.path.basename(rank)) else ""  # noqa: PTH119, PTH120


def run_of(kind: ContentKind, root: str, base: str, runs: Collection[str]) -> str:
    """Return the directory of the run that debugging data belongs to.

    That is the nearest of the root, its parent, the only run beside it, and the directories above, as far down as a run
    is searched. Running data of ranks that are runs belongs to the first of them. Without any, the root is a run
    itself, or the directory of a file.

    Args:
        kind: of the debugging data.
        root: of the debugging data.
        base: below which runs are.
        runs: directories with event files.
    """
    if len(root) < len(base):
        return base
    above = os.path.dirname(root)  # noqa: PTH120
    ranks = [run for run in runs if kind is ContentKind.RUNNING_DATA and _is_rank_in(run, root)]
    beside = [run for run in runs if os.path.dirname(run) == above] if len(above) >= len(base) else []  # noqa: PTH120
    near = [directory for directory in (root, above) if directory in runs]
    if near or ranks:
        return near[0] if near else min(ranks, key=natural_key)
    if len(beside) == 1:
        return beside[0]
    far = _run_above(above, base, runs, _DEPTHS.get(kind, DEBUG_DATA_DEPTH) - 1)
    return far or (above if kind in DEBUGGING_FILES else root)


def _run_above(directory: str, base: str, runs: Collection[str], levels: int) -> str:
    """Return the nearest run above a directory, at most ``levels`` levels; "" without one."""
    for _ in range(levels):
        directory = os.path.dirname(directory)  # noqa: PTH120
        if len(directory) < len(base):
            break
        if directory in runs:
            return directory
    return ""


def _is_rank_in(run: str, root: str) -> bool:
    above, name = os.path.split(run)
    return above == root and _RANK.fullmatch(name) is not None


def _head(entry: os.DirEntry[str]) -> bytes:
    """Return the first bytes of a file; empty of another entry, or if it can't be read."""
    try:
        return file_head(entry.path, HEAD_BYTES, follows_links=False) if entry.is_file(follow_symlinks=False) else b""
    except OSError:
        return b""


def _has(names: Iterable[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch(name) for name in names)


def _root_of_numbers(directory: str) -> str:
    """Return the root above ``rank_N/NET/GRAPH/ITERATION``, ``[STEP/]TIME/DEVICE/...`` or
    ``DEVICE/NET/GRAPH/ITERATION``.
    """
    parts = directory.split(os.sep)  # noqa: PTH206 (ten thousand times)
    for index in range(len(parts) - 1, max(len(parts) - 6, 0), -1):
        if _RANK.fullmatch(parts[index]):
            return os.sep.join(parts[:index])  # noqa: PTH118
        if _TIME.fullmatch(parts[index]):
            has_step = _NUMBER.fullmatch(parts[index - 1]) is not None
            return os.sep.join(parts[: index - has_step])  # noqa: PTH118
    return _above(directory, 4)


def _above(directory: str, levels: int) -> str:
    for _ in range(levels):
        directory = os.path.dirname(directory)  # noqa: PTH120
    return directory
