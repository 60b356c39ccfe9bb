# SPDX-License-Identifier: Apache-2.0
"""Every error that mindscope raises on purpose. The text names the subject, both values, and the remedy."""

from __future__ import annotations

from mindscope.reasons import reason_of


class MindscopeError(Exception):
    """Base class of all mindscope errors."""


class FormatError(MindscopeError, ValueError):
    """Bytes that violate the file format."""


class WireError(FormatError):
    """A message that breaks the wire encoding, or a value that does not fit its field."""


class ValueRejectedError(MindscopeError, ValueError):
    """A value that the recorder can't record."""


class TypeRejectedError(ValueRejectedError, TypeError):
    """A value of a type that the recorder can't record."""


class RecorderClosedError(MindscopeError, RuntimeError):
    """The recorder was used after ``close()``."""


class QueueFullError(MindscopeError, TimeoutError):
    """Values that the recorder dropped because the queue was full for longer than ``queue_timeout``."""


class RunNotFoundError(MindscopeError, FileNotFoundError, KeyError):
    """No run at this path or with this id. A KeyError too, because runs are a mapping."""


class TagNotFoundError(MindscopeError, KeyError):
    """The run has no such tag of that kind."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CheckpointNotFoundError(MindscopeError, FileNotFoundError):
    """Weights for a loss landscape that were not kept, or are not there any more."""


class IndexingError(MindscopeError, RuntimeError):
    """An index that can't be written now, or whose workers do not reach its directory."""


class LandscapeError(MindscopeError, RuntimeError):
    """A loss landscape can't be computed further."""


class ProfilePartError(MindscopeError, LookupError):
    """A part that a profile does not hold."""


class DebugDataError(MindscopeError, LookupError):
    """Debugging data that a run does not hold: a step, a tensor, a statistic."""


class WatchpointError(MindscopeError, ValueError):
    """A watchpoint of debugging data that can't be parsed, or whose condition can't be evaluated."""


class SettingsError(MindscopeError, ValueError):
    """An invalid setting from the command line, a configuration file or the environment."""


class UsageError(SettingsError):
    """A value of the command line that a command refuses; the exit code is 2."""


class ServerError(MindscopeError, RuntimeError):
    """The viewer could not be started, reached or stopped."""


class AnnotationError(MindscopeError, RuntimeError):
    """User data can't be written to the workspace."""


class StaleRecordError(MindscopeError):
    """Another client changed a record of the annotations first."""


class ExpressionError(MindscopeError, ValueError):
    """An expression over tags, or over columns of the lineage, that can't be parsed or evaluated."""

    @property
    def position(self) -> int | None:
        """The character index of the error, from 0; None if the error is not at one character."""
        position = reason_of(self).values.get("position")
        return None if position is None else int(position)


class QueryError(MindscopeError, ValueError):
    """A statement of SQL that is refused, that failed, or that exceeded a limit."""


class ColumnNotFoundError(MindscopeError, KeyError):
    """The lineage table has no such column, or several."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class FrameworkError(MindscopeError, RuntimeError):
    """The installed version of a framework lacks a feature that this call needs."""


class MissingPackageError(MindscopeError, ImportError):
    """An optional package that this call needs is not installed."""


class ArchiveError(MindscopeError, OSError):
    """An archive of runs that is damaged, or that ``mindscope pack`` did not write or can't write."""


class StorageError(MindscopeError, OSError):
    """A remote store that can't be read, or an address of one that is refused."""


class ExportError(MindscopeError, OSError):
    """An export that would overwrite a file, or that failed to write."""
