# SPDX-License-Identifier: Apache-2.0
"""Statistics of all tensors of a step, and descriptions of these tensors."""

from __future__ import annotations

import json
import zlib
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.formats.kinds.descriptor import KindDescriptor, mindspore_value
from mindscope.formats.tensor_statistics import MAX_ROWS, PackedColumn, TensorStatistics
from mindscope.reasons import Reason
from mindscope.types import Kind, Message

MAX_TABLE_BYTES = 1 << 28
"""A longer text of descriptions is damaged."""


def _from_mindspore(value: Message) -> TensorStatistics:
    message = value["tensor_statistics"]
    rows = message.get("rows", 0)
    if not 0 <= rows <= MAX_ROWS:
        raise _malformed(f"{rows} rows, want at most {MAX_ROWS}")
    columns = {
        each["name"]: PackedColumn(each["dtype"], bytes(each["data"]), each.get("is_deflated", False))
        for each in message.get("columns", ())
    }
    return TensorStatistics(
        table=message["table"],
        rank=message.get("rank", 0),
        first_tensor=message.get("first_tensor", 0),
        tensors=_described(bytes(message["tensors"])) if "tensors" in message else (),
        facts=_json_object(message["facts"]) if "facts" in message else {},
        rows=rows,
        packed=columns,
    )


def _described(deflated: bytes) -> tuple[Message, ...]:
    try:
        text = zlib.decompressobj().decompress(deflated, MAX_TABLE_BYTES)
        tensors: Any = json.loads(text)
    except (zlib.error, ValueError, RecursionError) as error:
        raise _malformed(f"descriptions of tensors can't be read: {error}") from error
    if not isinstance(tensors, list) or not all(isinstance(tensor, dict) for tensor in cast("list[Any]", tensors)):
        raise _malformed("descriptions of tensors are no list of objects")
    return tuple(cast("list[Message]", tensors))


def _json_object(text: str) -> Message:
    try:
        facts: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _malformed(f"facts can't be read: {error}") from error
    if not isinstance(facts, dict):
        raise _malformed("facts are no object")
    return cast("Message", facts)


def _malformed(why: str) -> FormatError:
    return FormatError(Reason("value_malformed", kind="tensor_statistics", why=why))


TENSOR_STATISTICS = KindDescriptor(
    Kind.TENSOR_STATISTICS,
    mindspore=mindspore_value(Kind.TENSOR_STATISTICS, _from_mindspore, 31),
    has_progress=True,
)
