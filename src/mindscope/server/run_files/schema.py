# SPDX-License-Identifier: Apache-2.0
"""Messages about deleting and moving runs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry

RunIds = Annotated[list[str], Field(min_length=1, max_length=MAX_RUNS)]


class RunDeletion(Answer):
    """A deletion of one run: it deletes ``files``, and leaves the names in ``kept`` in the directory.

    ``files`` are event files, and what the recorder of the run kept below ``files/``, by its list.

    If ``kept`` is empty, it deletes the directory too.
    """

    run: str
    files: list[str]
    size_bytes: int
    kept: list[str]


class RefusedRun(Answer):
    """A run that can't be deleted, and the reason."""

    run: str
    error: ReasonEntry


class DeletionQuery(Query):
    """Runs to delete."""

    runs: RunIds


class DeletionAnswer(Answer):
    """The deletions of several runs. ``token`` confirms all ``runs``; it is valid until a file of them changes."""

    token: str
    runs: list[RunDeletion]
    refused: list[RefusedRun]


class DeleteQuery(Query):
    """Delete exactly these runs, in their order in the plan."""

    runs: RunIds
    token: str = Field(max_length=100)


class DeletedAnswer(Answer):
    """The deleted runs."""

    runs: list[RunDeletion]


class Move(Query):
    """A run and its new id, a path below the base directory."""

    run: str
    to: str = Field(min_length=1, max_length=4096)


class MoveQuery(Query):
    """Move runs: all of them, or none if one can't be moved."""

    moves: list[Move] = Field(min_length=1, max_length=MAX_RUNS)


class MovedAnswer(Answer):
    """The number of moved directories. ``runs`` maps the old id of each run in them to the new one."""

    directories: int
    runs: dict[str, str]
