# SPDX-License-Identifier: Apache-2.0
"""Messages about deleting runs."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class DeletionAnswer(Answer):
    """What deleting a run would do: its event ``files`` are gone, the names in ``kept`` stay in its directory.

    ``token`` is to be sent with the deletion; it holds as long as the files are what they are now.
    """

    run: str
    token: str
    files: list[str]
    size_bytes: int
    kept: list[str]


class DeletedAnswer(Answer):
    """The event ``files`` of a run that are gone. With nothing ``kept``, its directory is gone too."""

    run: str
    files: list[str]
    kept: list[str]
