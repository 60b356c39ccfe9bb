# SPDX-License-Identifier: Apache-2.0
"""Messages about deleting runs."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class DeletionAnswer(Answer):
    """The effect of a deletion: it deletes the event ``files``, and leaves the names in ``kept`` in the directory.

    The deletion needs the ``token``, which is valid until the files change.
    """

    run: str
    token: str
    files: list[str]
    size_bytes: int
    kept: list[str]


class DeletedAnswer(Answer):
    """The deleted event ``files`` of a run. If ``kept`` is empty, its directory is deleted too."""

    run: str
    files: list[str]
    kept: list[str]
