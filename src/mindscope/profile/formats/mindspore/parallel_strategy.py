# SPDX-License-Identifier: Apache-2.0
"""Reads how a network is cut among ranks: a graph of protobuf as JSON, whose integers are texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of, whole_of
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.schema import TEXT

COLUMN = "shard_strategy"
_ATTRIBUTES = ("in_strategy", "strategy", "gen_strategy", "shard_strategy", "sharding_strategy")


class ParallelStrategy(NamedTuple):
    """``config`` is for the facts; ``shards`` are by the scope and name of an operator, and by its name alone."""

    config: Mapping[str, Any]
    shards: Mapping[str, str]


def read_parallel_strategy(path: Path) -> ParallelStrategy:
    """Return the strategy of a file. Raises FormatError if it is no JSON object, OSError."""
    content = read_object(path)
    config = mapping_of(content.get("config"))
    devices = [_numbers(mapping_of(stage)) for stage in list_of(config.get("stageDevices"))]
    shards: dict[str, str] = {}
    names: dict[str, set[str]] = {}
    for each in list_of(mapping_of(content.get("graph")).get("node")):
        node = mapping_of(each)
        strategy = _strategy(node)
        if strategy:
            name, scope = str(node.get("name", "")), str(node.get("scope", "")).strip("/")
            shards[f"{scope}/{name.rpartition('/')[2]}" if scope else name] = strategy
            names.setdefault(name.rpartition("/")[2], set()).add(strategy)
    shards |= {name: found.pop() for name, found in names.items() if len(found) == 1 and name not in shards}
    return ParallelStrategy(
        {
            "parallel_type": str(config.get("parallelType", "")),
            "stage": whole_of(config.get("stageId"), -1),
            "rank": whole_of(config.get("rankId"), -1),
            "stage_devices": devices,
        },
        shards,
    )


def with_shards(operators: Operators, shards: Mapping[str, str]) -> Operators:
    """Return the operators with the column ``shard_strategy``; as they are if none has one."""
    found = [shards.get(name) or shards.get(name.rpartition("/")[2], "") for name in operators.name]
    if not any(found):
        return operators
    return operators.with_extra({COLUMN: TextColumn.of(found)}, {COLUMN: TEXT})


def _strategy(node: Mapping[str, Any]) -> str:
    attributes = {
        str(mapping_of(each).get("name", "")): mapping_of(each).get("value") for each in list_of(node.get("attribute"))
    }
    named = next((attributes[name] for name in _ATTRIBUTES if attributes.get(name)), None)
    if named is None:
        named = next((value for name, value in attributes.items() if "strategy" in name.lower() and value), "")
    return named if isinstance(named, str) else json.dumps(named, separators=(",", ":"))


def _numbers(stage: Mapping[str, Any]) -> list[int]:
    """Return the ranks of ``{"dim": [{"size": "0"}, ...]}``."""
    return [number for each in list_of(stage.get("dim")) if (number := whole_of(mapping_of(each).get("size"), -1)) >= 0]
