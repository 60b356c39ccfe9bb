# SPDX-License-Identifier: Apache-2.0
"""Messages of the live connection."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class LiveHello(Answer):
    """First event of a live connection, ``event: hello``."""

    version: int


class LiveChange(Answer):
    """``event: change``: ``runs`` have changed, appeared or disappeared; empty if only unreadable paths have changed.

    Changes that come faster than a client reads are merged.
    """

    version: int
    runs: list[str]
    run_list_changed: bool
