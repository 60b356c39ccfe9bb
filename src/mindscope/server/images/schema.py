# SPDX-License-Identifier: Apache-2.0
"""Messages about the values of an image tag."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class ImagesAnswer(Answer):
    """The values of an image tag by ascending step, as columns: ``id`` names the bytes of a value for good.

    ``pictures`` is how many pictures the newest value holds, ``width`` and ``height`` what its writer declared; null
    when there is none or it can't be read. ``values`` counts all values. The columns leave out the first ``kept`` of
    them, which the sender of ``since``, the ``cursor`` of an earlier answer, has.
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
