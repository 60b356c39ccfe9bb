# SPDX-License-Identifier: Apache-2.0
"""Messages about the values of a tag."""

from __future__ import annotations

from mindscope.server.http.schema import Answer
from mindscope.types import Kind


class ValuesAnswer(Answer):
    """The values of a tag by ascending step, as columns: ``id`` names a value forever."""

    run: str
    tag: str
    kind: Kind
    version: int
    step: list[int]
    wall_time: list[float | None]
    id: list[str]
