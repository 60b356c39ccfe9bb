# SPDX-License-Identifier: Apache-2.0
"""Every error that mindscope raises on purpose. The text names the place, both values, and the remedy."""

from __future__ import annotations


class MindscopeError(Exception):
    """Root of the tree: catch this to catch all of ours."""


class FormatError(MindscopeError, ValueError):
    """Bytes that are not what the format says."""


class WireError(FormatError):
    """A message that breaks the wire encoding, or a value that its field can't hold."""


class ValueRejectedError(MindscopeError, ValueError):
    """A value handed to the recorder that can't be recorded."""


class TypeRejectedError(ValueRejectedError, TypeError):
    """A value handed to the recorder whose type can't be recorded."""


class RecorderClosedError(MindscopeError, RuntimeError):
    """The recorder was used after ``close()``."""


class QueueFullError(MindscopeError, TimeoutError):
    """Values that the recorder dropped, because writing fell behind for longer than ``queue_timeout``."""


class RunNotFoundError(MindscopeError, FileNotFoundError):
    """No event file where a run was expected."""


class TagNotFoundError(MindscopeError, KeyError):
    """The run holds no such tag of that kind."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class SettingsError(MindscopeError, ValueError):
    """A setting from the command line, a configuration file or the environment that can't be used."""


class ServerError(MindscopeError, RuntimeError):
    """The viewer could not be started, reached or stopped."""


class AnnotationError(MindscopeError, RuntimeError):
    """People's own data can't be kept in the workspace."""


class StaleRecordError(MindscopeError):
    """Somebody changed a record of the annotations meanwhile."""


class ExpressionError(MindscopeError, ValueError):
    """An expression over tags that can't be read or evaluated."""


class ColumnNotFoundError(MindscopeError, KeyError):
    """The table of lineage has no such column, or several."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class FilterError(MindscopeError, ValueError):
    """A filter of lineage that can't be read. ``position`` is the character at which it fails, counted from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message, position)
        self.position = position

    def __str__(self) -> str:
        return str(self.args[0])


class FrameworkError(MindscopeError, RuntimeError):
    """A framework of a version that lacks what this call needs."""


class MissingPackageError(MindscopeError, ImportError):
    """An optional package that this call needs is not installed."""


class ExportError(MindscopeError, OSError):
    """An export that would overwrite a file or could not be written."""
