# SPDX-License-Identifier: Apache-2.0
"""Messages of the live connection."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class LiveHello(Answer):
    """First event of a live connection, ``event: hello``."""

    version: int


class LiveChange(Answer):
    """``event: change``: these runs grew, or runs came or went; none where only what can't be read is another.

    What comes faster than a client reads is joined.
    """

    version: int
    runs: list[str]
    run_list_changed: bool
