# SPDX-License-Identifier: Apache-2.0
"""Messages about the values of an image tag."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class ImagesAnswer(Answer):
    """The values of an image tag by ascending step, as columns: ``id`` names the bytes of a value forever.

    ``pictures`` is the number of images of the newest value, ``width`` and ``height`` are from its writer; null
    without a readable value. ``values`` counts all values. The columns omit the first ``kept`` values, which the client
    with the cursor ``since`` has.
    """

    run: str
    tag: str
    version: int
    pictures: int | None
    width: int | None
    height: int | None
    values: int
    cursor: str
    kept: int
    step: list[int]
    wall_time: list[float | None]
    id: list[str]
