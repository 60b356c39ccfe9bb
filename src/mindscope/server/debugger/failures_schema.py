# SPDX-License-Identifier: Apache-2.0
"""Messages about failed trainings."""

from __future__ import annotations

from mindscope.debug.formats.flight_recorder import MismatchKind
from mindscope.debug.logs.crash import CrashKind
from mindscope.server.http.schema import Answer, Query, ReasonEntry


class DebugFailureEntry(Answer):
    """Running data of a rank: ``run`` holds it, ``source`` is its path there. ``error`` is empty if unknown."""

    run: str
    source: str
    rank: int | None
    error: str


class DebugFlightRank(Answer):
    """The dump of a rank: how many collectives it has, the last ones with the source lines that called them."""

    rank: int
    version: str
    collectives: int
    skipped: int
    last: list[DebugCollective]


class DebugCollective(Answer):
    """A collective in its process group; ``stack`` is innermost first."""

    group: str
    sequence: int
    operation: str
    state: str
    input_sizes: list[list[int]]
    stack: list[str]


class DebugMismatch(Answer):
    """A collective on which ranks differ: what each rank has, empty where it has none."""

    kind: MismatchKind
    group: str
    sequence: int
    values: dict[int, str]


class DebugCrashError(Answer):
    """An exception, and the innermost line of the program itself."""

    error: str
    line: str


class DebugCrash(Answer):
    """The error that a log of ``run`` ends with; a training that went on after an error has none.

    The first of ``errors`` ended the training, the last one is its first cause. ``text`` is the traceback, ``before``
    are the lines of the log before it. ``is_memory``: there was not enough memory.
    """

    run: str
    file: str
    rank: int | None
    kind: CrashKind
    errors: list[DebugCrashError]
    text: str
    before: list[str]
    is_memory: bool
    wall_time: float


class DebugFailuresAnswer(Answer):
    """What is known of failed trainings.

    ``crashes`` are errors at the ends of ``logs`` files, the first one first. ``failures`` are the data that recorders
    wrote, ``ranks`` dumps of flight recorders, ``mismatches`` their differences, ``problems`` what can't be read.
    ``unclosed`` are runs that no longer grow and whose writer did not close them, as of a killed process.
    """

    crashes: list[DebugCrash]
    logs: int
    unclosed: list[str]
    failures: list[DebugFailureEntry]
    ranks: list[DebugFlightRank]
    mismatches: list[DebugMismatch]
    problems: list[str]


class DebugFailureQuery(Query):
    """One of the failures that are listed."""

    run: str
    source: str


class DebugTextTable(Answer):
    """The first rows of a table, and how many there are."""

    columns: list[str]
    rows: list[list[str]]
    total: int


class DebugFailureFile(Answer):
    """A file of the directory."""

    name: str
    size_bytes: int


class DebugFailureAnswer(Answer):
    """Running data of a rank; what was not recorded is empty.

    ``module`` is the innermost module that ran, of class ``type``. ``call`` is the innermost line that called
    something, ``lines`` are those of the user's program, innermost first. ``not_finite`` is the first tensor with a NaN
    or an infinity. ``facts`` are state and memory. ``nodes`` and ``addresses`` were recorded by MindSpore.
    """

    error: str
    phase: str
    module: str
    type: str
    call: str
    lines: list[str]
    not_finite: str
    facts: dict[str, str]
    exception: str
    stacks: str
    statistics: DebugTextTable
    order: DebugTextTable
    memory_history: DebugTextTable
    nodes: DebugTextTable
    addresses: DebugTextTable
    files: list[DebugFailureFile]
    problems: list[ReasonEntry]
