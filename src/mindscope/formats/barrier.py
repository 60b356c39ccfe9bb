# SPDX-License-Identifier: Apache-2.0
"""Converts any exception of a decoder to a FormatError, so that one bad value does not stop the reading."""

from __future__ import annotations

from mindscope.errors import FormatError
from mindscope.reasons import Reason


def as_format_error(error: Exception, kind: str) -> FormatError:
    """Return ``error`` itself if it is a FormatError, else a FormatError with the ``kind`` of the value and the
    exception.
    """
    if isinstance(error, FormatError):
        return error
    is_plain = type(error) in (ValueError, TypeError, OverflowError)  # their texts are clear without the class name
    why = str(error) if is_plain else f"{type(error).__name__}: {error}"
    return FormatError(Reason("value_malformed", kind=kind, why=why))
