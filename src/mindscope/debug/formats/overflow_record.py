# SPDX-License-Identifier: Apache-2.0
"""Records of overflows on Ascend: which task of which stream computed a number that its type can't hold.

The outputs of ``Opdebug.Node_OpDebug.*`` hold them, little endian. New: the words magic 0x5A5A5A5A and version, then
valid, kind of the unit, reserved and length, then fields of 8 bytes. Old: 2,048 bytes with a block for each unit.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

_MAGIC = 0x5A5A5A5A
_UNITS = ("AI Core", "AI Vector Core", "AI CPU", "SDMA")
_NEW_HEADER = struct.Struct("<6I")
_NEW_FIELDS = struct.Struct("<3Q")
_OLD_SIZE = 2048
_OLD_BLOCKS = (("DHA Atomic Add", 0), ("L2 Atomic Add", 128), ("AI Core", 256))
_OLD_FIELDS = struct.Struct("<6Q")


class OverflowTask(NamedTuple):
    """The task in which an overflow was."""

    unit: str
    """``AI Core``, ``AI CPU``, ..."""
    model: int
    stream: int
    task: int


def read_overflow_record(data: bytes) -> list[OverflowTask]:
    """Return the tasks that a record names; empty if it names none, or is no record."""
    if len(data) >= _NEW_HEADER.size + _NEW_FIELDS.size:
        words: tuple[int, ...] = _NEW_HEADER.unpack_from(data)
        magic, is_valid, unit = words[0], words[2], words[3]
        if magic == _MAGIC:
            name = _UNITS[unit] if unit < len(_UNITS) else f"unit {unit}"
            return [OverflowTask(name, *_NEW_FIELDS.unpack_from(data, _NEW_HEADER.size))] if is_valid else []
    if len(data) != _OLD_SIZE:
        return []
    blocks = ((unit, _OLD_FIELDS.unpack_from(data, offset)) for unit, offset in _OLD_BLOCKS)
    return [OverflowTask(unit, *values[:3]) for unit, values in blocks if any(values)]
