# SPDX-License-Identifier: Apache-2.0
"""Versions, settings and iterations that are kept beside a dump: ``.dump_metadata`` of a rank, ``execution_order``.

r1.2 keeps the settings in ``.metadata`` of the root.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

_RANK = re.compile(r"rank_(\d{1,9})", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_ITERATIONS = re.compile(r"ms_global_execution_order_graph_(\d+)\.csv", re.ASCII)
_SAMPLED = 1
_SAMPLE_SIZE = 100
_MOST_BYTES = 1 << 22


def read_facts(root: Path) -> dict[str, Any]:
    """Return ``ms_version`` and ``device_target``; ``settings``; ``iterations`` that ran, by rank and number of the
    graph.

    Settings can be those of an earlier training into the same directory. Iterations are in the order in which they ran;
    they name those that were not dumped too. What is not there, or damaged, is left out.
    """
    found: dict[str, Any] = {"iterations": {}}
    early = _object(root / ".metadata" / "data_dump.json")
    if early:
        found["settings"] = early
    ranks = [root] if _RANK.fullmatch(root.name) else _directories(root)
    for directory in ranks:
        match = _RANK.fullmatch(directory.name)
        if match is None:
            continue
        found = {**_object(directory / ".dump_metadata" / "config.json"), **found}
        settings = read_settings(directory)
        if settings:
            found.setdefault("settings", settings)
        iterations = _iterations(directory / "execution_order")
        if iterations:
            found["iterations"][int(match[1])] = iterations
    return found


def read_settings(rank_directory: Path) -> Mapping[str, Any]:
    """Return the configuration beside a dump; empty without one."""
    return _object(rank_directory / ".dump_metadata" / "data_dump.json")


def sample_size(rank_directory: Path) -> int:
    """Return elements to which larger tensors were cut; 0 if they were not."""
    settings: Any = read_settings(rank_directory).get("e2e_dump_settings")
    if not isinstance(settings, dict):
        return 0
    e2e = cast("dict[str, object]", settings)
    size = e2e.get("sample_num", _SAMPLE_SIZE)
    return size if e2e.get("sample_mode") == _SAMPLED and isinstance(size, int) else 0


def _iterations(directory: Path) -> dict[str, list[int]]:
    try:
        files = {match[1]: path for path in directory.iterdir() if (match := _ITERATIONS.fullmatch(path.name))}
        return {
            graph: [int(line) for line in _front(path).decode("ascii", "replace").split() if _NUMBER.fullmatch(line)]
            for graph, path in sorted(files.items())
        }
    except OSError:
        return {}


def _object(path: Path) -> dict[str, Any]:
    try:
        content: Any = json.loads(_front(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}


def _front(path: Path) -> bytes:
    """Return all of a file, which has some kB; the beginning of a larger one."""
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _directories(root: Path) -> list[Path]:
    return sorted(entry for entry in root.iterdir() if entry.is_dir() and not entry.is_symlink())
