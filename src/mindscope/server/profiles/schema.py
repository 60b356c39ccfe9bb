# SPDX-License-Identifier: Apache-2.0
"""Messages about the profiles of runs."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry


class ProfilesQuery(Query):
    """Runs whose profiles are listed. An unknown run has none."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class ProfileEntry(Answer):
    """A profile of a run; ``profile`` is its path below the directory of the run.

    ``format`` is such as ``torch_trace``, ``format_title`` what users call it. ``size_bytes`` are those of the file,
    or of the files in the directory. ``first_step`` and ``last_step`` are those of the training, null if the beginning
    of the file does not name them.
    """

    run: str
    profile: str
    format: str
    format_title: str
    size_bytes: int
    modified_at: float
    first_step: int | None
    last_step: int | None


class UnlistedRun(Answer):
    """A run whose directory can't be searched."""

    run: str
    problem: ReasonEntry


class ProfilesAnswer(Answer):
    """Profiles in the order of the query's runs and of their paths."""

    profiles: list[ProfileEntry]
    unlisted: list[UnlistedRun]
