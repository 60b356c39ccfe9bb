# SPDX-License-Identifier: Apache-2.0
"""Operations that an Ascend did: ``flops``, ``flops_summary`` and ``flops_scope``, which counters of the device give.

They are those of matrices that are padded to blocks of 16 x 16, more than the formulas of the operators say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable, columns_missing
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of
from mindscope.profile.formats.scope_names import module_of
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.schema import SUM, ColumnField, Unit

_NAMES = ("full_kernel_name", "full_op_name", "op_full_name")
_MILLIONS = {
    "": ("FLOPs", "MFLOPs(10^6)", "MFLOPs"),
    "cube": ("MFLOPs(10^6 cube)", "MFLOPs cube"),
    "vector": ("MFLOPs(10^6 vector)", "MFLOPs vector"),
}
"""Unit of the device -> names of the column of millions of operations in a run. A header has all, or two units."""
_PERCENT = {
    "": ("FLOPS utilization",),
    "cube": ("FLOPS utilization(cube)",),
    "vector": ("FLOPS utilization(vec)", "FLOPS utilization(vector)"),
}
_SUFFIX = re.compile(r" ?\([^()]*\)$")
_ROOT = "Total"


class RunFlops(NamedTuple):
    """Operations of one run of an operator, by unit: ``cube``, ``vector``, or an empty name for all."""

    operations: Mapping[str, int]
    utilization: Mapping[str, float]
    """Share of the peak, 0 to 1."""


def read_flops(table: CsvTable) -> dict[str, RunFlops]:
    """Return full name -> operations, of ``flops_N.txt``. Raises FormatError without the columns."""
    names = table.cells(*_NAMES)
    millions = {
        unit: numbers for unit, million in _MILLIONS.items() if (numbers := table.numbers(*million)) is not None
    }
    percent = {unit: numbers for unit, value in _PERCENT.items() if (numbers := table.numbers(*value)) is not None}
    if names is None or not millions:
        raise FormatError(columns_missing("names or FLOPs of operators", table.names))
    return {
        name: RunFlops(
            {unit: round(float(np.nan_to_num(column[row])) * 1e6) for unit, column in millions.items()},
            {unit: float(np.nan_to_num(column[row])) / 100 for unit, column in percent.items()},
        )
        for row, name in enumerate(names)
    }


def with_flops(operators: Operators, flops: Mapping[str, RunFlops]) -> Operators:
    """Return the operators with the operations of all their runs; without a match as they are.

    Where the device counts by unit, ``cube_flops`` and ``vector_flops`` are further columns, and the utilization is
    that of the cube, since vectors hardly count.
    """
    rows = [flops.get(name) for name in operators.name]
    if not any(rows):
        return operators

    def operations(unit: str) -> Any:
        each = np.array([row.operations.get(unit, 0) if row else 0 for row in rows], np.int64)
        return each * operators.count

    def utilization(unit: str) -> Any:
        return np.array([row.utilization.get(unit, 0.0) if row else 0.0 for row in rows])

    units = {unit for row in rows if row for unit in row.operations}
    shares = {unit for row in rows if row for unit in row.utilization}
    parts = {f"{unit}_flops": operations(unit) for unit in ("cube", "vector") if unit in units}
    main = "" if "" in shares else "cube"
    counted = replace(
        operators,
        flops=sum((operations(unit) for unit in units), np.zeros(len(rows), np.int64)),
        utilization=utilization(main) if main in shares else None,
    )
    return counted.with_extra(parts, dict.fromkeys(parts, ColumnField(Unit.COUNT, SUM)))


def read_summary(path: Path) -> dict[str, float]:
    """Return ``operations``, ``per_second`` and ``utilization`` (0 to 1) of a profile, of ``flops_summary_N.json``.

    Of a device that counts by unit, those of each, such as ``cube_operations``, and the sums.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    content = read_object(path)
    found: dict[str, float] = {}
    for prefix, unit in (("", ""), ("cube_", "cube_"), ("vec_", "vector_")):
        for name, key, scale in (("operations", "FLOPs", 1e6), ("per_second", "FLOPS", 1e9)):
            value = content.get(prefix + key)
            if isinstance(value, (int, float)):
                found[unit + name] = value * scale
    for name in ("operations", "per_second"):
        if f"cube_{name}" in found:
            found.setdefault(name, found[f"cube_{name}"] + found.get(f"vector_{name}", 0.0))
    percent = content.get("FLOPS_Utilization")
    if isinstance(percent, (int, float)):
        found["utilization"] = percent / 100
    return found


def read_scopes(path: Path) -> dict[str, int]:
    """Return the path of a module -> operations of it and of those in it, of ``flops_scope_N.json``.

    The file is a flow from ``Total`` to the scopes of each level, in millions of operations, whose names are only
    unique within a level: what is below such a name in several scopes is left out.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    data = mapping_of(read_object(path).get("data"))
    links = [mapping_of(each) for each in list_of(data.get("links"))]
    flows = [
        (str(link["source"]), str(link["target"]), float(link["value"]))
        for link in links
        if {"source", "target", "value"} <= link.keys()
    ]
    sources: dict[str, list[str]] = {}
    for source, target, _ in flows:
        sources.setdefault(target, []).append(source)
    found: dict[str, int] = {}
    for source, target, millions in flows:
        scopes = _scopes_above(source, sources)
        if scopes is not None:
            module = module_of("/".join([*scopes, _SUFFIX.sub("", target), ""]))
            if module and module != module_of("/".join([*scopes, ""])):
                found[module] = found.get(module, 0) + round(millions * 1e6)
    return found


def _scopes_above(name: str, sources: Mapping[str, list[str]]) -> list[str] | None:
    """Return the scopes from the root to ``name``; None if several ways lead there, or a circle."""
    found: list[str] = []
    while name != _ROOT:
        above = sources.get(name, [])
        if len(above) != 1 or len(found) > len(sources):
            return None
        found.insert(0, _SUFFIX.sub("", name))
        name = above[0]
    return found


def with_scope_flops(modules: Modules, operations: Mapping[str, int]) -> Modules:
    """Return the modules with their operations; as they are if they have them, or if no path matches."""
    if modules.flops is not None or not any(path in operations for path in modules.path.values):
        return modules
    return replace(modules, flops=np.array([operations.get(path, 0) for path in modules.path], np.int64))


def unknown_names(flops: Mapping[str, RunFlops], names: TextColumn) -> int:
    """Count the operators of the file that are not in the table of operators."""
    return len(flops.keys() - set(names.values))
